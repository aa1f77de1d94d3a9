--- Two-window diffs, each in a tab page of its own.
local M = {}

---@class agent_ls.Side
---@field name string what the buffer is called, unique
---@field text? string of a scratch buffer
---@field buf? integer an existing buffer instead

---@param side agent_ls.Side
---@param filetype string
---@return integer buf
local function buffer_of(side, filetype)
  if side.buf then
    return side.buf
  end
  local buf = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_lines(buf, 0, -1, true, vim.split((side.text:gsub('\n$', '')), '\n', { plain = true }))
  pcall(vim.api.nvim_buf_set_name, buf, side.name)
  vim.bo[buf].bufhidden, vim.bo[buf].modifiable = 'wipe', false
  vim.bo[buf].syntax = filetype
  return buf
end

---@param tab integer
local function close(tab)
  if vim.api.nvim_tabpage_is_valid(tab) and #vim.api.nvim_list_tabpages() > 1 then
    vim.cmd.tabclose(vim.api.nvim_tabpage_get_number(tab))
  end
end

---@param tab integer
---@param buf integer
local function map_close(tab, buf)
  if vim.bo[buf].buftype ~= '' then
    vim.keymap.set('n', 'q', function()
      close(tab)
    end, { buffer = buf, desc = 'Close the diff' })
  end
end

--- Shows two texts side by side in a new tab page. Windows that there are stay as they are; closing
--- the tab page leads back to them.
---@param before agent_ls.Side
---@param after agent_ls.Side
---@param path string decides about syntax
---@return integer tab
function M.open(before, after, path)
  local filetype = vim.filetype.match({ filename = path }) or ''
  local right = buffer_of(after, filetype)
  local left = buffer_of(before, filetype)
  vim.cmd('tab split')
  local tab = vim.api.nvim_get_current_tabpage()
  local win = vim.api.nvim_get_current_win()
  vim.wo[win].winfixbuf = false
  vim.api.nvim_win_set_buf(win, right)
  local other = vim.api.nvim_open_win(left, false, { split = 'left', win = win })
  for _, w in ipairs({ win, other }) do
    vim.api.nvim_win_call(w, vim.cmd.diffthis)
  end
  map_close(tab, left)
  map_close(tab, right)
  return tab
end

local count = 0

--- Shows the diffs of a card: what was before on the left, what is after on the right.
---@param diffs table[] ACP's diffs
---@return integer tab
function M.card(diffs)
  local old, new = {}, {}
  for _, diff in ipairs(diffs) do
    old[#old + 1] = type(diff.oldText) == 'string' and diff.oldText or ''
    new[#new + 1] = diff.newText
  end
  count = count + 1
  local path = diffs[1].path
  local name = ('agent-ls://diff/%d/%%s/%s'):format(count, vim.fs.basename(path):gsub('%%', '%%%%'))
  return M.open(
    { name = name:format('before'), text = table.concat(old, '\n') },
    { name = name:format('after'), text = table.concat(new, '\n') },
    path
  )
end

return M
