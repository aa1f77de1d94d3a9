--- Following the agent: the place that it works at, in one window of its own. Off until it is turned on.
--- The window is reused and never entered; it pauses when the user goes there, until the next turn.
local notify = require('agent_ls.notify')
local windows = require('agent_ls.windows')

local M = {}

local ns = vim.api.nvim_create_namespace('agent_ls.follow')
local group = vim.api.nvim_create_augroup('agent_ls.follow', { clear = true })

-- The shortest time between two places, in milliseconds; the latest one wins.
local PACE = 250

local LINES = 15

local state = {
  on = false,
  paused = false,
  win = nil, ---@type integer?
  marked = nil, ---@type integer? the buffer with the highlighted line
  latest = nil, ---@type agent_ls.Location?
  waiting = false,
}

---@return integer? win
local function window()
  local win = state.win
  return win and vim.api.nvim_win_is_valid(win) and win or nil
end

local function unmark()
  if state.marked and vim.api.nvim_buf_is_valid(state.marked) then
    vim.api.nvim_buf_clear_namespace(state.marked, ns, 0, -1)
  end
  state.marked = nil
end

local function pause()
  if window() and vim.api.nvim_get_current_win() == state.win then
    state.paused = true
    unmark()
  end
end

-- Reports whether the window may show a buffer. One that the user has fixed to
-- another one is left alone.
---@param win integer
---@param buf integer
local function may_show(win, buf)
  return vim.api.nvim_win_get_buf(win) == buf or not vim.wo[win].winfixbuf
end

---@param location agent_ls.Location
local function show(location)
  local stat = vim.uv.fs_stat(location.path)
  if not stat or stat.type ~= 'file' then
    return
  end
  local buf = vim.fn.bufadd(location.path)
  vim.bo[buf].buflisted = true
  vim.fn.bufload(buf)
  local win = window()
  if not win then
    win = windows.split(buf, 'bottom', LINES)
    vim.wo[win].winfixbuf = false
    state.win = win
  elseif not may_show(win, buf) then
    return
  elseif vim.api.nvim_win_get_buf(win) ~= buf then
    vim.api.nvim_win_set_buf(win, buf)
  end
  local line = math.max(1, math.min(location.line or 1, vim.api.nvim_buf_line_count(buf)))
  vim.api.nvim_win_set_cursor(win, { line, 0 })
  unmark()
  vim.api.nvim_buf_set_extmark(buf, ns, line - 1, 0, { line_hl_group = 'AgentLsFollow' })
  state.marked = buf
end

local function flush()
  state.waiting = false
  local location = state.latest
  state.latest = nil
  if not location or not state.on or state.paused then
    return
  end
  local ok, err = pcall(show, location)
  if not ok then
    notify('cannot follow to ' .. location.path .. ': ' .. err, vim.log.levels.DEBUG)
  end
end

--- Takes the place that the agent works at.
---@param location agent_ls.Location
function M.locate(location)
  if not state.on or state.paused then
    return
  end
  state.latest = location
  if not state.waiting then
    state.waiting = true
    vim.defer_fn(flush, PACE)
  end
end

--- Lets following go on after a pause: a turn begins.
function M.turn_started()
  state.paused = false
end

--- Takes the highlight away: a turn has ended.
function M.turn_ended()
  unmark()
end

--- Turns following on or off.
---@param on boolean
function M.set(on)
  state.on, state.paused, state.latest = on, false, nil
  unmark()
  vim.api.nvim_clear_autocmds({ group = group })
  if on then
    vim.api.nvim_create_autocmd({ 'WinEnter', 'CursorMoved', 'InsertEnter' }, { group = group, callback = pause })
  elseif window() and vim.api.nvim_win_get_config(state.win).relative == '' and #vim.api.nvim_list_wins() > 1 then
    vim.api.nvim_win_close(state.win, false)
  end
  state.win = on and window() or nil
end

---@return boolean
function M.is_on()
  return state.on
end

---@return boolean
function M.is_paused()
  return state.paused
end

--- Returns the window that follows.
---@return integer?
function M.window()
  return window()
end

return M
