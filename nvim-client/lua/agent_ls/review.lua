--- What agents changed in files and the user has not decided about: marks in buffers, keep and undo.
--- The server keeps the hunks; here is only what it said last of each file.
local notify = require('agent_ls.notify')
local text = require('agent_ls.text')

local M = {}

local ns = vim.api.nvim_create_namespace('agent_ls.review')

---@class agent_ls.Hunk
---@field id string
---@field range { start: { line: integer }, ['end']: { line: integer } } the agent's lines
---@field oldText string the lines that they replaced

---@class agent_ls.FileReview
---@field client_id integer
---@field hunks agent_ls.Hunk[]
---@field marks table<integer, agent_ls.Hunk> by extmark, where the buffer is loaded

---@type table<string, agent_ls.FileReview> by path
local files = {}

---@param path string
---@return integer? buf
local function loaded(path)
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(buf) and vim.api.nvim_buf_get_name(buf) == path then
      return buf
    end
  end
end

---@param hunk agent_ls.Hunk
---@return table[]? virtual lines
local function removed(hunk)
  local lines = {}
  for _, line in ipairs(text.lines(hunk.oldText)) do
    lines[#lines + 1] = { { line == '' and ' ' or line, 'AgentLsDelete' } }
  end
  return #lines > 0 and lines or nil
end

---@param buf integer
---@param hunk agent_ls.Hunk
---@return integer mark
local function draw(buf, hunk)
  local last = vim.api.nvim_buf_line_count(buf)
  local first, stop = hunk.range.start.line, hunk.range['end'].line
  local row = math.min(first, last - 1)
  return vim.api.nvim_buf_set_extmark(buf, ns, row, 0, {
    end_row = math.max(math.min(stop, last) - 1, row),
    end_col = 0,
    line_hl_group = first < stop and 'AgentLsAdd' or nil,
    virt_lines = removed(hunk),
    virt_lines_above = first < last,
    sign_text = first < stop and '▌' or '▁',
    sign_hl_group = first < stop and 'AgentLsSignAdd' or 'AgentLsSignDelete',
    strict = false,
  })
end

---@param path string
---@param buf integer
local function mark(path, buf)
  vim.api.nvim_buf_clear_namespace(buf, ns, 0, -1)
  local file = files[path]
  if not file then
    return
  end
  file.marks = {}
  for _, hunk in ipairs(file.hunks) do
    file.marks[draw(buf, hunk)] = hunk
  end
end

--- Takes agent-ls/review (docs/lsp.md).
function M.told(_, params, context)
  local path = vim.uri_to_fname(params.uri)
  files[path] = #params.hunks > 0 and { client_id = context.client_id, hunks = params.hunks, marks = {} } or nil
  local buf = loaded(path)
  if buf then
    mark(path, buf)
  end
  vim.cmd.redrawstatus({ bang = true })
end

--- Marks a buffer that was just loaded.
---@param buf integer
function M.attached(buf)
  mark(vim.api.nvim_buf_get_name(buf), buf)
end

--- Forgets what a client told: it is gone.
---@param client_id integer
function M.forget(client_id)
  for path, file in pairs(files) do
    if file.client_id == client_id then
      files[path] = nil
      local buf = loaded(path)
      if buf then
        mark(path, buf)
      end
    end
  end
end

--- Returns how many hunks are pending.
---@return integer
function M.count()
  local n = 0
  for _, file in pairs(files) do
    n = n + #file.hunks
  end
  return n
end

---@class agent_ls.Place
---@field hunk agent_ls.Hunk
---@field first integer row of its first line
---@field last integer row of its last line

-- The hunks of a buffer where they are now, the first one first.
---@param buf integer
---@return agent_ls.Place[]
local function places(buf)
  local file = files[vim.api.nvim_buf_get_name(buf)]
  local out = {}
  for _, m in ipairs(file and vim.api.nvim_buf_get_extmarks(buf, ns, 0, -1, { details = true }) or {}) do
    local hunk = file.marks[m[1]]
    if hunk then
      out[#out + 1] = { hunk = hunk, first = m[2], last = math.max(m[4].end_row or m[2], m[2]) }
    end
  end
  return out
end

--- Returns the hunk at the cursor, and the client that knows it.
---@return agent_ls.Hunk?
---@return integer? client_id
function M.at_cursor()
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  local buf = vim.api.nvim_get_current_buf()
  for _, place in ipairs(places(buf)) do
    if place.first <= row and row <= place.last then
      return place.hunk, files[vim.api.nvim_buf_get_name(buf)].client_id
    end
  end
end

--- Goes to another hunk of the buffer, around its ends.
---@param step 1|-1
function M.go(step)
  local list = places(0)
  if #list == 0 then
    notify('no change to review in this file')
    return
  end
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  local target = step == 1 and list[1] or list[#list]
  for i = step == 1 and 1 or #list, step == 1 and #list or 1, step do
    local first = list[i].first
    if step == 1 and first > row or step == -1 and first < row then
      target = list[i]
      break
    end
  end
  vim.cmd("normal! m'")
  vim.api.nvim_win_set_cursor(0, { target.first + 1, 0 })
end

---@param hunk agent_ls.Hunk
---@param path string
local function summary(hunk, path)
  local buf = loaded(path)
  local row = hunk.range.start.line
  local line = buf and hunk.range['end'].line > row and vim.api.nvim_buf_get_lines(buf, row, row + 1, false)[1]
  if line then
    return '+ ' .. vim.trim(line)
  end
  return hunk.oldText == '' and 'added lines' or '- ' .. vim.trim(text.lines(hunk.oldText)[1] or '')
end

--- Puts all pending hunks into the quickfix list and opens it.
function M.quickfix()
  local items = {}
  local paths = vim.tbl_keys(files)
  table.sort(paths)
  for _, path in ipairs(paths) do
    for _, hunk in ipairs(files[path].hunks) do
      items[#items + 1] = {
        filename = path,
        lnum = hunk.range.start.line + 1,
        end_lnum = math.max(hunk.range['end'].line, hunk.range.start.line + 1),
        text = summary(hunk, path),
      }
    end
  end
  vim.fn.setqflist({}, ' ', { title = 'agent-ls: changes to review', items = items })
  if #items == 0 then
    notify('no changes to review')
  else
    vim.cmd('botright copen')
  end
end

--- Shows the current file beside its text before agents changed it.
---@param client vim.lsp.Client
function M.diff(client)
  local buf = vim.api.nvim_get_current_buf()
  if not require('agent_ls.client').is_file(buf) then
    notify('this buffer is no file; go to the one to compare', vim.log.levels.WARN)
    return
  end
  local path = vim.api.nvim_buf_get_name(buf)
  local base = 'agent-ls:/review/base' .. vim.uri_from_fname(path):gsub('^file://', '')
  require('agent_ls.client').request(client, 'workspace/textDocumentContent', { uri = base }, function(err, result)
    if err then
      notify(err.message, vim.log.levels.WARN)
      return
    end
    require('agent_ls.diff').open({ name = base, text = result.text }, { name = path, buf = buf }, path)
  end)
end

return M
