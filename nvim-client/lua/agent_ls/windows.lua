--- Where things are shown, so that no window of the user is changed, and the focus stays where it is.
local config = require('agent_ls.config')

local M = {}

local splits = { left = 'left', right = 'right', top = 'above', bottom = 'below' }

-- How many columns are left to the files, where the screen has twice as many.
local FILES = 40

--- Opens a window for a buffer at an edge of the tab page, without entering it. It leaves the files
--- what they need, or half of a narrow screen.
---@param buf integer
---@param position 'left'|'right'|'top'|'bottom'
---@param size integer
---@return integer win
function M.split(buf, position, size)
  local vertical = position == 'left' or position == 'right'
  -- A size that is given keeps 'equalalways' from evening out the other windows.
  local opened = vim.api.nvim_open_win(buf, false, {
    split = splits[position],
    win = -1,
    width = vertical and math.min(size, math.max(math.floor(vim.o.columns / 2), vim.o.columns - FILES)) or nil,
    height = not vertical and math.min(size, math.max(5, vim.o.lines - 8)) or nil,
  })
  vim.wo[opened][vertical and 'winfixwidth' or 'winfixheight'] = true
  return opened
end

--- Returns the window of the current tab page that shows a buffer.
---@param buf integer
---@return integer?
function M.showing(buf)
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    if vim.api.nvim_win_get_buf(win) == buf then
      return win
    end
  end
end

-- The window of the current tab page that shows another session.
---@return integer?
local function showing_sessions()
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    local shown = vim.api.nvim_win_get_buf(win)
    if vim.bo[shown].filetype == 'agentls' and not vim.wo[win].winfixbuf then
      return win
    end
  end
end

--- Opens the window of a session where it is not shown: that of another session, or a new one.
---@param buf integer
---@return integer win
function M.session(buf)
  local win = M.showing(buf)
  if win then
    return win
  end
  win = showing_sessions()
  if win then
    vim.api.nvim_win_set_buf(win, buf)
    return win
  end
  local options = config.get()
  return M.split(buf, options.position, options.size)
end

---@param win integer
local function takes_files(win)
  return vim.bo[vim.api.nvim_win_get_buf(win)].buftype == ''
    and not vim.wo[win].winfixbuf
    and vim.api.nvim_win_get_config(win).relative == ''
end

--- Returns a window that may show a file: the one used last, any other one, or a new one.
---@return integer win
function M.for_file()
  local last = vim.fn.win_getid(vim.fn.winnr('#'))
  local wins = vim.api.nvim_tabpage_list_wins(0)
  table.insert(wins, 1, vim.api.nvim_get_current_win())
  if last ~= 0 then
    table.insert(wins, 1, last)
  end
  for _, win in ipairs(wins) do
    if takes_files(win) then
      return win
    end
  end
  return vim.api.nvim_open_win(vim.api.nvim_create_buf(true, false), false, { split = 'left', win = 0 })
end

--- Goes to a place of a file, since the user asks for it.
---@param path string
---@param line? integer 1-based
function M.go_to(path, line)
  vim.api.nvim_set_current_win(M.for_file())
  vim.cmd.edit(vim.fn.fnameescape(path))
  if line then
    local last = vim.api.nvim_buf_line_count(0)
    vim.api.nvim_win_set_cursor(0, { math.min(line, last), 0 })
  end
end

return M
