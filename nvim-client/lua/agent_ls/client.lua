--- The connection to the server over Neovim's own LSP client: starting, attaching, requests.
local buffers = require('agent_ls.buffers')
local config = require('agent_ls.config')
local notify = require('agent_ls.notify')
local review = require('agent_ls.review')

local M = {}

M.name = 'agent_ls'

-- What we offer beside Neovim's own: ACP's session methods, with terminals that the agent feeds, and
-- edits with versions, which Neovim takes without saying so.
local capabilities = {
  experimental = {
    acp = {
      _meta = { terminal_output = true },
      session = { configOptions = vim.empty_dict(), notices = vim.empty_dict() },
      elicitation = { form = vim.empty_dict(), url = vim.empty_dict() },
    },
  },
  workspace = { workspaceEdit = { documentChanges = true } },
}

---@type table<integer, fun(client: vim.lsp.Client)[]> by client, until it is initialized
local waiting = {}

---@type table<integer, true> clients that are initialized
local ready = {}

-- The sessions; they know this module, so they are loaded late.
local function hub()
  return require('agent_ls.hub')
end

-- `session/update` and the like, by their ACP names.
local handlers = {
  ['session/update'] = function(_, params, context)
    hub().update(context.client_id, params)
  end,
  ['session/request_permission'] = function(_, params, context)
    return hub().ask(context.client_id, params)
  end,
  ['elicitation/create'] = function(_, params, context)
    return hub().elicit(context.client_id, params)
  end,
  ['agent-ls/review'] = review.told,
  ['agent-ls/saveDocument'] = buffers.save_document,
  ['workspace/applyEdit'] = buffers.apply_edit,
}

---@param client vim.lsp.Client
local function on_init(client)
  ready[client.id] = true
  local callbacks = waiting[client.id] or {}
  waiting[client.id] = nil
  for _, callback in ipairs(callbacks) do
    callback(client)
  end
end

---@param code integer
---@param signal integer
---@param id integer
local function on_exit(code, signal, id)
  vim.schedule(function()
    local how = signal ~= 0 and 'signal ' .. signal or 'exit code ' .. code
    if not ready[id] then
      notify(('the server did not start (%s); :checkhealth agent_ls says why'):format(how), vim.log.levels.ERROR)
    end
    ready[id], waiting[id] = nil, nil
    hub().gone(id, how)
    review.forget(id)
  end)
end

--- Returns the configuration of the client, for vim.lsp.start and vim.lsp.enable.
---@return vim.lsp.ClientConfig
function M.config()
  local options = config.get()
  return {
    name = M.name,
    cmd = options.cmd,
    cmd_env = options.cmd_env,
    init_options = next(options.settings) and options.settings or nil,
    capabilities = vim.tbl_deep_extend('force', vim.lsp.protocol.make_client_capabilities(), capabilities),
    handlers = handlers,
    -- Each key is told at once: an edit of the agent is for the text that is there.
    flags = { debounce_text_changes = 0 },
    on_init = on_init,
    on_exit = on_exit,
    on_attach = function(_, buf)
      review.attached(buf)
    end,
  }
end

--- Returns the top folder of a buffer's workspace.
---@param buf integer
---@return string
function M.root(buf)
  local named = vim.bo[buf].buftype == '' and vim.api.nvim_buf_get_name(buf) ~= ''
  return named and vim.fs.root(buf, config.get().root_markers) or assert(vim.uv.cwd())
end

--- Reports whether a buffer is a file that the server should know.
---@param buf integer
---@return boolean
function M.is_file(buf)
  return vim.api.nvim_buf_is_loaded(buf)
    and vim.bo[buf].buftype == ''
    and vim.api.nvim_buf_get_name(buf) ~= ''
    and not vim.api.nvim_buf_get_name(buf):find('^%a[%w+.-]+://')
end

---@param buf integer
---@param root string
---@return boolean
local function is_inside(buf, root)
  return M.is_file(buf) and M.root(buf) == root
end

-- Attaches the files of a workspace, those that are open and those to come.
---@param id integer
---@param root string
local function attach_all(id, root)
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    if is_inside(buf, root) then
      vim.lsp.buf_attach_client(buf, id)
    end
  end
  vim.api.nvim_create_autocmd({ 'BufReadPost', 'BufNewFile', 'BufFilePost' }, {
    group = vim.api.nvim_create_augroup('agent_ls.client.' .. id, { clear = true }),
    callback = function(event)
      if not vim.lsp.get_client_by_id(id) then
        return true
      end
      if is_inside(event.buf, root) then
        vim.lsp.buf_attach_client(event.buf, id)
      end
    end,
  })
end

-- The client of a workspace that runs or is starting, whoever started it.
---@param root string
---@return vim.lsp.Client?
local function find(root)
  for _, client in ipairs(vim.lsp.get_clients({ name = M.name, _uninitialized = true })) do
    if client.config.root_dir == root and not client:is_stopped() then
      return client
    end
  end
end

-- Starts a client without attaching the current buffer, which need not be a file.
---@param options vim.lsp.ClientConfig
---@return integer? id
local function start_client(options)
  if vim.fn.has('nvim-0.11') == 0 then
    return (vim.lsp.start_client(options))
  end
  local function never()
    return false
  end
  return vim.lsp.start(options, { attach = false, silent = true, reuse_client = never })
end

---@param root string
---@return integer? id
local function start(root)
  local options = vim.tbl_extend('force', M.config(), { root_dir = root })
  local id = start_client(options)
  if id then
    attach_all(id, root)
  end
  return id
end

--- Calls back with the client of a workspace, started where there is none, once it may be asked.
---@param root string
---@param callback fun(client: vim.lsp.Client)
function M.with(root, callback)
  local client = find(root)
  local id = client and client.id or start(root)
  if not id then
    notify(('cannot start %s; see :checkhealth agent_ls'):format(config.get().cmd[1]), vim.log.levels.ERROR)
  elseif ready[id] then
    callback(assert(vim.lsp.get_client_by_id(id)))
  else
    waiting[id] = waiting[id] or {}
    table.insert(waiting[id], callback)
  end
end

--- Asks the server; callback gets its error or its result. Without one an error is shown.
---@param client vim.lsp.Client
---@param method string
---@param params table
---@param callback? fun(err: lsp.ResponseError?, result: any)
function M.request(client, method, params, callback)
  local function answered(err, result)
    if callback then
      callback(err, result)
    elseif err then
      notify(err.message, vim.log.levels.ERROR)
    end
  end
  if vim.fn.has('nvim-0.11') == 1 then
    client:request(method, params, answered)
  else
    client.request(method, params, answered)
  end
end

--- Tells the server something.
---@param client vim.lsp.Client
---@param method string
---@param params table
function M.notify(client, method, params)
  if vim.fn.has('nvim-0.11') == 1 then
    client:notify(method, params)
  else
    client.notify(method, params)
  end
end

--- Runs a command of the server (docs/lsp.md).
---@param client vim.lsp.Client
---@param name string without "agent-ls."
---@param arguments any[]
---@param callback? fun(err: lsp.ResponseError?, result: any)
function M.command(client, name, arguments, callback)
  M.request(client, 'workspace/executeCommand', { command = 'agent-ls.' .. name, arguments = arguments }, callback)
end

return M
