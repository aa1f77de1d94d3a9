--- The editor's side of files: edits into buffers, saving them, and reading again what commands changed.
local M = {}

-- LSP's RequestFailed.
local FAILED = -32803

---@param message string
local function failure(message)
  return nil, setmetatable({ code = FAILED, message = message }, { __tostring = vim.inspect })
end

-- Ends the undo step of what came before: setting 'undolevels' does that.
---@param buf integer
local function end_undo_step(buf)
  vim.bo[buf].undolevels = vim.bo[buf].undolevels
end

-- Says why a buffer cannot take an edit. The built-in handler applies an edit of an
-- older version to a document that has none yet, and answers that it made edits
-- that it left out; the server has to know better.
---@param document { uri: string, version?: integer }
---@return string?
local function refusal(document)
  local buf = vim.uri_to_bufnr(document.uri)
  local version = vim.lsp.util.buf_versions[buf]
  if type(document.version) == 'number' and version ~= document.version then
    return ('%s is at version %s, the edit is for version %d'):format(
      document.uri,
      version or 'none',
      document.version
    )
  end
  if vim.api.nvim_buf_is_loaded(buf) and not vim.bo[buf].modifiable then
    return document.uri .. " is not 'modifiable' in the editor"
  end
end

-- Applies edits as one undo step of the buffer's own; cursors stay at their text.
---@param edits lsp.TextEdit[]
---@param buf integer
---@param encoding string
local function apply(edits, buf, encoding)
  vim.fn.bufload(buf)
  end_undo_step(buf)
  vim.lsp.util.apply_text_edits(edits, buf, encoding)
  end_undo_step(buf)
end

---@param edit lsp.WorkspaceEdit
---@return { uri: string, version?: integer, edits: lsp.TextEdit[] }[]
local function documents_of(edit)
  local out = {}
  for uri, edits in pairs(edit.changes or {}) do
    out[#out + 1] = { uri = uri, edits = edits }
  end
  for _, change in ipairs(edit.documentChanges or {}) do
    local document = change.textDocument
    if not document then
      error(('file operation %q is not served'):format(change.kind), 0)
    end
    out[#out + 1] = { uri = document.uri, version = document.version, edits = change.edits }
  end
  return out
end

--- Serves workspace/applyEdit: all edits are made, or none.
function M.apply_edit(_, params, context)
  local ok, documents = pcall(documents_of, params.edit)
  if not ok then
    return { applied = false, failureReason = documents }
  end
  for _, document in ipairs(documents) do
    local reason = refusal(document)
    if reason then
      return { applied = false, failureReason = reason }
    end
  end
  local client = assert(vim.lsp.get_client_by_id(context.client_id))
  for _, document in ipairs(documents) do
    local made, err = pcall(apply, document.edits, vim.uri_to_bufnr(document.uri), client.offset_encoding)
    if not made then
      return { applied = false, failureReason = tostring(err) }
    end
  end
  return { applied = true }
end

-- Reports whether the file of a buffer is newer than what was read, without the
-- question that Neovim would ask.
---@param buf integer
---@return boolean
local function newer_on_disk(buf)
  local newer = false
  local id = vim.api.nvim_create_autocmd('FileChangedShell', {
    buffer = buf,
    callback = function()
      newer = vim.v.fcs_reason ~= 'mode' and vim.v.fcs_reason ~= 'time'
      vim.v.fcs_choice = ''
    end,
  })
  pcall(vim.cmd.checktime, buf)
  vim.api.nvim_del_autocmd(id)
  return newer
end

--- Serves agent-ls/saveDocument (docs/lsp.md): writes the buffer as `:update` does.
function M.save_document(_, params)
  local buf = vim.uri_to_bufnr(params.uri)
  if not vim.api.nvim_buf_is_loaded(buf) then
    return failure(params.uri .. ' is not open in the editor')
  end
  if not vim.bo[buf].modified then
    return vim.NIL
  end
  if newer_on_disk(buf) then
    return failure(params.uri .. ' has changed on disk since it was read; the user decides about it')
  end
  local ok, err = pcall(vim.api.nvim_buf_call, buf, function()
    vim.cmd('silent lockmarks update')
  end)
  if not ok then
    return failure(tostring(err))
  end
  return vim.NIL
end

-- Keeps the place in the text of every window of a buffer while it is read again.
---@param buf integer
---@param reload fun()
local function keeping_places(buf, reload)
  local places = {}
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    local cursor = vim.api.nvim_win_get_cursor(win)
    local view = vim.api.nvim_win_call(win, vim.fn.winsaveview)
    places[win] = { line = cursor[1], column = cursor[2], above = cursor[1] - view.topline, view = view }
  end
  local before = vim.api.nvim_buf_get_lines(buf, 0, -1, false)
  reload()
  local after = vim.api.nvim_buf_get_lines(buf, 0, -1, false)
  local moved = M.moved_lines(before, after)
  for win, place in pairs(places) do
    if vim.api.nvim_win_is_valid(win) then
      local line = math.max(1, math.min(moved(place.line), #after))
      vim.api.nvim_win_call(win, function()
        place.view.lnum, place.view.col = line, place.column
        place.view.topline = math.max(1, line - place.above)
        vim.fn.winrestview(place.view)
      end)
    end
  end
end

--- Returns where the lines of an old text are in a new one.
---@param before string[]
---@param after string[]
---@return fun(line: integer): integer
function M.moved_lines(before, after)
  local diff = vim.text and vim.text.diff or vim.diff
  local old, new = table.concat(before, '\n') .. '\n', table.concat(after, '\n') .. '\n'
  local hunks = diff(old, new, { result_type = 'indices' }) --[[@as integer[][] ]]
  return function(line)
    local shift = 0
    for _, hunk in ipairs(hunks) do
      local first, count, _, added = unpack(hunk)
      if first + math.max(count, 1) > line then
        break
      end
      shift = shift + added - count
    end
    return line + shift
  end
end

---@param buf integer
local function may_reload(buf)
  local autoread = vim.bo[buf].autoread
  if autoread == nil then
    autoread = vim.go.autoread
  end
  return autoread and vim.api.nvim_buf_is_loaded(buf) and vim.bo[buf].buftype == '' and not vim.bo[buf].modified
end

---@type table<integer, string> the state of its file that a buffer was last compared with
local seen = {}

-- Reports whether a file has another state than when it was last looked at.
---@param buf integer
---@return boolean
local function is_news(buf)
  local stat = vim.uv.fs_stat(vim.api.nvim_buf_get_name(buf))
  local state = stat and ('%d.%d %d %d'):format(stat.mtime.sec, stat.mtime.nsec, stat.size, stat.ino) or ''
  local news = seen[buf] ~= state
  seen[buf] = state
  return news
end

-- Reads the files of clean buffers again where they have changed; 'noautoread' is
-- respected. In Insert mode the buffer that is typed in waits for its end.
---@param bufs integer[]
local function reload(bufs)
  local inserting = vim.api.nvim_get_mode().mode:find('^[iR]') and vim.api.nvim_get_current_buf()
  for _, buf in ipairs(bufs) do
    if buf == inserting then
      vim.api.nvim_create_autocmd('InsertLeave', {
        buffer = buf,
        once = true,
        callback = vim.schedule_wrap(function()
          reload({ buf })
        end),
      })
    elseif may_reload(buf) and is_news(buf) then
      keeping_places(buf, function()
        vim.cmd('silent! checktime ' .. buf)
      end)
    end
  end
end

local due = {} ---@type table<integer, true> clients whose buffers are looked at next

--- Looks at all buffers of a client for changes of their files, once for all that is asked for at a time.
---@param client_id integer
function M.check(client_id)
  if due[client_id] then
    return
  end
  due[client_id] = true
  vim.schedule(function()
    due[client_id] = nil
    local client = vim.lsp.get_client_by_id(client_id)
    reload(client and vim.tbl_keys(client.attached_buffers) or {})
  end)
end

return M
