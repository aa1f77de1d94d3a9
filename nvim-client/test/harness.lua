--- Drives a child Neovim with the plugin against the real server. Nothing is timed: tests wait for states.
local M = {}

local here = vim.fs.dirname(vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p'))

M.plugin = vim.fs.dirname(here)
M.server = assert(vim.env.AGENT_LS, 'AGENT_LS: the path of the agent-ls to test')

-- Bounds waits that would otherwise never end, in milliseconds.
local PATIENCE = tonumber(vim.env.TEST_PATIENCE) or 30000

M.patience = PATIENCE

---@class Child
---@field job integer
---@field dir string the workspace
---@field state string the server's state folder
local Child = {}
Child.__index = Child

---@param path string
---@param content string
function M.write(path, content)
  vim.fn.mkdir(vim.fs.dirname(path), 'p')
  local file = assert(io.open(path, 'wb'))
  file:write(content)
  file:close()
end

---@param path string
---@return string?
function M.read(path)
  local file = io.open(path, 'rb')
  if not file then
    return nil
  end
  local content = file:read('*a')
  file:close()
  return content
end

local children = {} ---@type Child[]

---@class ChildOptions
---@field files? table<string, string>
---@field env? table<string, string>
---@field options? table the plugin's
---@field plain? boolean without the plugin

--- Starts a Neovim in a workspace of its own.
---@param o? ChildOptions
---@return Child
function M.child(o)
  o = o or {}
  local top = vim.fn.tempname()
  local child = setmetatable({ dir = top .. '/ws', state = top .. '/state' }, Child)
  vim.fn.mkdir(child.dir, 'p')
  child.dir = assert(vim.uv.fs_realpath(child.dir))
  for name, content in pairs(o.files or {}) do
    M.write(child.dir .. '/' .. name, content)
  end
  local env = vim.tbl_extend('force', {
    AGENT_LS_STATE_DIR = child.state,
    XDG_CONFIG_HOME = top .. '/config',
    XDG_STATE_HOME = top .. '/xdg-state',
    XDG_DATA_HOME = top .. '/data',
  }, o.env or {})
  local command = { vim.v.progpath, '--embed', '--headless', '--clean', '-n', '--cmd', 'set lines=40 columns=140' }
  if not o.plain then
    vim.list_extend(command, { '--cmd', 'set runtimepath^=' .. M.plugin })
  end
  child.job = vim.fn.jobstart(command, { rpc = true, env = env, cwd = child.dir })
  assert(child.job > 0, 'Neovim did not start')
  children[#children + 1] = child
  child:lua([[
    _G.notes, _G.events, _G.original_notify = {}, {}, vim.notify
    vim.notify = function(message) table.insert(_G.notes, message) end
    -- Tests choose by _G.choose; what is asked is in _G.asked.
    vim.ui.select = function(items, opts, on_choice)
      _G.asked = { prompt = opts.prompt, items = vim.tbl_map(opts.format_item, items) }
      on_choice(_G.choose and _G.choose(items))
    end
    for _, name in ipairs({ 'AgentLsTurnStart', 'AgentLsTurnEnd', 'AgentLsPermission' }) do
      vim.api.nvim_create_autocmd('User', { pattern = name, callback = function(event)
        table.insert(_G.events, { name = name, data = event.data })
      end })
    end
  ]])
  if not o.plain then
    local options = vim.tbl_extend(
      'force',
      { cmd = { M.server, 'lsp' }, grace_ms = 0, root_markers = { 'no-such' } },
      o.options or {}
    )
    child:lua("require('agent_ls').setup(...)", options)
  end
  return child
end

--- Ends all children.
function M.cleanup()
  for _, child in ipairs(children) do
    child:stop()
  end
  children = {}
end

function Child:stop()
  vim.fn.jobstop(self.job)
  vim.fn.jobwait({ self.job }, PATIENCE)
end

--- Runs Lua in the child and returns its result.
---@param code string
---@return any
function Child:lua(code, ...)
  local result = vim.rpcrequest(self.job, 'nvim_exec_lua', code, { ... })
  return result ~= vim.NIL and result or nil
end

---@param command string
function Child:cmd(command)
  vim.rpcrequest(self.job, 'nvim_command', command)
end

--- Types keys, as a user does.
---@param keys string
function Child:keys(keys)
  vim.rpcrequest(self.job, 'nvim_input', keys)
end

---@param expression string
function Child:eval(expression)
  return vim.rpcrequest(self.job, 'nvim_eval', expression)
end

--- Opens a file of the workspace.
---@param name string
function Child:edit(name)
  self:cmd('edit ' .. self.dir .. '/' .. name)
end

--- Returns the text of a file on disk.
---@param name string
---@return string?
function Child:disk(name)
  return M.read(self.dir .. '/' .. name)
end

--- Returns the text of a buffer, of a file or the current one.
---@param name? string
---@return string
function Child:text(name)
  return self:lua(
    [[
    local name = ...
    local buf = name and vim.fn.bufnr(name) or 0
    return table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), '\n') .. '\n'
  ]],
    name and self.dir .. '/' .. name
  )
end

--- Returns the text of the session's buffer, "" where there is none.
---@return string
function Child:session()
  return self:lua([[
    local session = require('agent_ls.hub').session()
    if not session then return '' end
    local view = require('agent_ls.view').get(session)
    require('agent_ls.view').flush(view)
    return table.concat(vim.api.nvim_buf_get_lines(view.buf, 0, -1, false), '\n')
  ]])
end

--- Returns what the child's screen shows.
---@return string
function Child:screen()
  return self:lua([[
    vim.cmd.redraw()
    local rows = {}
    for row = 1, vim.o.lines do
      local cells = {}
      for column = 1, vim.o.columns do cells[column] = vim.fn.screenstring(row, column) end
      rows[row] = (table.concat(cells):gsub('%s+$', ''))
    end
    return table.concat(rows, '\n')
  ]])
end

-- What the children told their users, for a test that fails.
local function told()
  local out = {}
  for _, child in ipairs(children) do
    out[#out + 1] = vim.inspect(child:lua("return { _G.notes, vim.fn.execute('messages') }"))
  end
  return table.concat(out, '\n')
end

--- Waits until a condition holds.
---@param what string
---@param condition fun(): any
function M.eventually(what, condition)
  local last
  local ok = vim.wait(PATIENCE, function()
    last = condition()
    return last
  end, 5)
  if not ok then
    error('not reached: ' .. what .. '\n' .. told(), 2)
  end
  return last
end

--- Waits until the session's text has a piece.
---@param piece string plain text
function Child:shows(piece)
  local text
  local ok = vim.wait(PATIENCE, function()
    text = self:session()
    return text:find(piece, 1, true)
  end, 5)
  if not ok then
    error(('the session does not show %q:\n%s\n%s'):format(piece, text, told()), 2)
  end
end

--- Counts events of a name.
---@param name string
---@return integer
function Child:count(name)
  return self:lua(
    [[
    local name, n = ..., 0
    for _, event in ipairs(_G.events) do if event.name == name then n = n + 1 end end
    return n
  ]],
    name
  )
end

--- Sends a prompt and returns once its turn has ended.
---@param text string
function Child:prompt(text)
  local before = self:count('AgentLsTurnEnd')
  self:send(text)
  M.eventually('the end of the turn of ' .. text, function()
    return self:count('AgentLsTurnEnd') > before
  end)
end

--- Sends a prompt.
---@param text string
function Child:send(text)
  self:lua("require('agent_ls').prompt(...)", text)
end

--- Prompts without being asked for anything.
function Child:full_access()
  self:cmd('AgentLs mode full-access')
  M.eventually('the mode', function()
    return self:lua("local s = require('agent_ls.hub').session() return s and s.mode == 'full-access'")
  end)
end

--- Reads a file and edits it.
---@param file string
---@param old string
---@param new string
---@return string two lines of a prompt
function M.edit(file, old, new)
  local arguments = vim.json.encode({ file_path = file, old_string = old, new_string = new })
  return ('/read %s\n/edit %s'):format(file, arguments)
end

---@param want any
---@param got any
---@param what? string
function M.equal(want, got, what)
  if not vim.deep_equal(want, got) then
    error(('%s:\nwant %s\ngot  %s'):format(what or 'not equal', vim.inspect(want), vim.inspect(got)), 2)
  end
end

--- Fails unless text has a piece.
---@param text string
---@param piece string
function M.has(text, piece)
  if not text:find(piece, 1, true) then
    error(('%q is not in:\n%s'):format(piece, text), 2)
  end
end

return M
