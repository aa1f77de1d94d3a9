--- The buffer of a session: its items as text, kept up to date at most 20 times a second.
local cards = require('agent_ls.cards')
local config = require('agent_ls.config')
local windows = require('agent_ls.windows')

local M = {}

local ns = vim.api.nvim_create_namespace('agent_ls.view')

-- The shortest time between two updates of a buffer, in milliseconds.
local PACE = 50

---@class agent_ls.View
---@field session agent_ls.Session
---@field buf integer
---@field sizes integer[] lines of each item
---@field dirty table<integer, true> indexes of items to show again
---@field waiting boolean an update is due

---@type table<string, agent_ls.View> by session
local views = {}

---@type table<integer, agent_ls.View> by buffer
local by_buffer = {}

--- Returns the view that a buffer is of.
---@param buf integer
---@return agent_ls.View?
function M.of(buf)
  return by_buffer[buf]
end

---@param view agent_ls.View
---@param index integer
---@return integer row of an item's first line, 0-based
local function row_of(view, index)
  local row = vim.api.nvim_buf_line_count(view.buf)
  for i = #view.sizes, index, -1 do
    row = row - view.sizes[i]
  end
  return row
end

--- Returns the item at a row, and the row where it begins.
---@param view agent_ls.View
---@param row integer 0-based
---@return agent_ls.Item? item
---@return integer first
function M.item_at(view, row)
  local first = vim.api.nvim_buf_line_count(view.buf)
  for i = #view.sizes, 1, -1 do
    first = first - view.sizes[i]
    if row >= first then
      return view.session.items[i], first
    end
  end
  return nil, 0
end

--- Returns the rows where cards and messages begin.
---@param view agent_ls.View
---@return integer[]
function M.rows(view)
  local rows, row = {}, row_of(view, 1)
  for i, size in ipairs(view.sizes) do
    rows[i] = row
    row = row + size
  end
  return rows
end

-- Replaces lines, leaving alone those at both ends that stay the same, so that
-- cursors and folds there are not disturbed.
---@param buf integer
---@param first integer
---@param last integer exclusive
---@param lines string[]
local function replace(buf, first, last, lines)
  local old = vim.api.nvim_buf_get_lines(buf, first, last, true)
  local head, tail = 0, 0
  while head < #old and head < #lines and old[head + 1] == lines[head + 1] do
    head = head + 1
  end
  while tail < #old - head and tail < #lines - head and old[#old - tail] == lines[#lines - tail] do
    tail = tail + 1
  end
  if head < #old - tail or head < #lines - tail then
    vim.api.nvim_buf_set_lines(buf, first + head, last - tail, true, vim.list_slice(lines, head + 1, #lines - tail))
  end
end

---@param view agent_ls.View
---@param index integer
local function show(view, index)
  local page = cards.render(view.session.items[index], view.session.cwd)
  local known = view.sizes[index] ~= nil
  local first = known and row_of(view, index) or vim.api.nvim_buf_line_count(view.buf)
  local last = first + (view.sizes[index] or 0)
  vim.api.nvim_buf_clear_namespace(view.buf, ns, first, last)
  replace(view.buf, first, last, page.lines)
  view.sizes[index] = #page.lines
  for _, mark in ipairs(page.marks) do
    local row = first + mark.row
    local whole = mark.from == nil
    vim.api.nvim_buf_set_extmark(view.buf, ns, row, mark.from or 0, {
      end_row = whole and row + 1 or row,
      end_col = whole and 0 or mark.to,
      hl_group = mark.group,
      hl_eol = whole,
      strict = false,
    })
  end
end

-- Windows whose cursor is in the last line: they follow the end.
---@param buf integer
local function at_end(buf)
  local last = vim.api.nvim_buf_line_count(buf)
  return vim.tbl_filter(function(win)
    return vim.api.nvim_win_get_cursor(win)[1] == last
  end, vim.fn.win_findbuf(buf))
end

---@param view agent_ls.View
local function update(view)
  local indexes = vim.tbl_keys(view.dirty)
  table.sort(indexes)
  local followers = at_end(view.buf)
  vim.bo[view.buf].modifiable = true
  for _, index in ipairs(indexes) do
    show(view, index)
    view.dirty[index] = nil
  end
  vim.bo[view.buf].modifiable = false
  vim.bo[view.buf].modified = false
  local last = vim.api.nvim_buf_line_count(view.buf)
  for _, win in ipairs(followers) do
    vim.api.nvim_win_set_cursor(win, { last, 0 })
  end
end

---@param view agent_ls.View
local function schedule(view)
  if view.waiting then
    return
  end
  view.waiting = true
  vim.defer_fn(function()
    view.waiting = false
    M.flush(view)
  end, PACE)
end

--- Shows now what is due. While text is locked it is put off.
---@param view agent_ls.View
function M.flush(view)
  if not next(view.dirty) or not vim.api.nvim_buf_is_loaded(view.buf) then
    return
  end
  local ok, err = pcall(update, view)
  if not ok and tostring(err):find('E565') then
    schedule(view)
  elseif not ok then
    error(err, 0)
  end
end

--- Says that an item has changed.
---@param session agent_ls.Session
---@param item agent_ls.Item
function M.changed(session, item)
  local view = views[session.id]
  if view and view.session == session then
    view.dirty[item.index] = true
    schedule(view)
  end
end

---@param view agent_ls.View
local function watch(view)
  by_buffer[view.buf] = view
  vim.api.nvim_create_autocmd('BufWinEnter', {
    buffer = view.buf,
    callback = function()
      M.dress(vim.api.nvim_get_current_win())
    end,
  })
  vim.api.nvim_create_autocmd('BufWipeout', {
    buffer = view.buf,
    callback = function()
      by_buffer[view.buf], views[view.session.id] = nil, nil
    end,
  })
end

---@param view agent_ls.View
local function make_buffer(view)
  local buf = view.buf
  vim.api.nvim_buf_set_name(buf, 'agent-ls://session/' .. view.session.id)
  vim.bo[buf].bufhidden, vim.bo[buf].undolevels = 'hide', -1
  watch(view)
  vim.bo[buf].filetype = 'agentls'
  require('agent_ls.keys').set(buf)
end

-- Shows a session from its beginning in the buffer of a view.
---@param view agent_ls.View
---@param session agent_ls.Session
local function fill(view, session)
  view.session, view.sizes, view.dirty = session, {}, {}
  vim.bo[view.buf].modifiable = true
  local title = 'agent-ls in ' .. vim.fn.fnamemodify(session.cwd, ':~')
  if config.get().keymaps then
    title = title .. ' (p: prompt, g?: all keys)'
  end
  vim.api.nvim_buf_set_lines(view.buf, 0, -1, true, { title })
  vim.bo[view.buf].modifiable, vim.bo[view.buf].modified = false, false
  for index in ipairs(session.items) do
    view.dirty[index] = true
  end
  M.flush(view)
end

--- Returns the view of a session, made when it has none. A session that was loaded again takes the
--- buffer that it had.
---@param session agent_ls.Session
---@return agent_ls.View
function M.get(session)
  local view = views[session.id]
  if not view then
    view = { session = session, buf = vim.api.nvim_create_buf(false, true), sizes = {}, dirty = {}, waiting = false }
    make_buffer(view)
    views[session.id] = view
    fill(view, session)
  elseif view.session ~= session then
    fill(view, session)
  end
  return view
end

--- Gives a window that shows a session its options.
---@param win integer
function M.dress(win)
  local wo = vim.wo[win][0]
  wo.wrap, wo.linebreak, wo.breakindent = true, true, true
  wo.number, wo.relativenumber, wo.signcolumn, wo.foldcolumn, wo.list = false, false, 'no', '0', false
  wo.foldmethod, wo.foldlevel, wo.foldenable = 'expr', 99, true
  wo.foldexpr = "v:lua.require'agent_ls.view'.fold(v:lnum)"
  wo.foldtext = ''
end

--- A card's body folds under its title.
---@param lnum integer
---@return string
function M.fold(lnum)
  local line = vim.fn.getline(lnum)
  if vim.startswith(line, '    ') then
    return '1'
  end
  return vim.startswith(vim.fn.getline(lnum + 1), '    ') and '>1' or '0'
end

--- Shows a session.
---@param session agent_ls.Session
---@param focus boolean enter its window
---@return integer win
function M.open(session, focus)
  local view = M.get(session)
  local win = windows.showing(view.buf)
  if not win then
    win = windows.session(view.buf)
    M.dress(win)
    vim.api.nvim_win_set_cursor(win, { vim.api.nvim_buf_line_count(view.buf), 0 })
  end
  if focus then
    vim.api.nvim_set_current_win(win)
  end
  return win
end

--- Puts the cursor of a session's windows on an item.
---@param session agent_ls.Session
---@param item agent_ls.Item
function M.reveal(session, item)
  local view = M.get(session)
  view.dirty[item.index] = true
  M.flush(view)
  for _, win in ipairs(vim.fn.win_findbuf(view.buf)) do
    vim.api.nvim_win_set_cursor(win, { row_of(view, item.index) + 1, 0 })
  end
end

return M
