--- The sessions of all servers, and what happens when something happens in one.
local notify = require('agent_ls.notify')

local Session = require('agent_ls.session')
local buffers = require('agent_ls.buffers')
local client = require('agent_ls.client')
local elicitation = require('agent_ls.elicitation')
local follow = require('agent_ls.follow')
local permission = require('agent_ls.permission')
local view = require('agent_ls.view')

local M = {}

---@type table<string, agent_ls.Session> by id
local sessions = {}

---@type table<string, agent_ls.Session> the current one of each workspace
local current = {}

---@class agent_ls.Waiting who waits for the first session of a workspace
---@field client_id integer
---@field callbacks fun(session: agent_ls.Session, lsp: vim.lsp.Client)[]

---@type table<string, agent_ls.Waiting> by workspace
local waiting = {}

---@type agent_ls.Session? the one used last, also after its server has ended
local latest

---@type agent_ls.Observer
local observer = {
  changed = view.changed,
  located = function(_, location)
    follow.locate(location)
  end,
  settled = function(session, item)
    permission.withdraw(session, item)
    buffers.check(session.client_id)
  end,
  state = function()
    vim.cmd.redrawstatus({ bang = true })
  end,
}

---@param id string
---@param root string
---@param client_id integer
---@return agent_ls.Session
local function add(id, root, client_id)
  local session = Session.new(id, root, client_id, observer)
  sessions[id], current[root], latest = session, session, session
  return session
end

---@param client_id integer
---@param id string
---@return agent_ls.Session
local function known(client_id, id)
  local lsp = assert(vim.lsp.get_client_by_id(client_id))
  return sessions[id] or add(id, lsp.config.root_dir or assert(vim.uv.cwd()), client_id)
end

--- Takes session/update.
---@param client_id integer
---@param params { sessionId: string, update: table }
function M.update(client_id, params)
  known(client_id, params.sessionId):apply(params.update)
end

--- Serves session/request_permission.
---@param client_id integer
---@param params table
function M.ask(client_id, params)
  return permission.ask(known(client_id, params.sessionId), params)
end

--- Serves elicitation/create.
---@param client_id integer
---@param params table
function M.elicit(client_id, params)
  return elicitation.ask(known(client_id, params.sessionId), params)
end

--- Gives up the sessions of a client that has ended.
---@param client_id integer
---@param how string
function M.gone(client_id, how)
  for root, asked in pairs(waiting) do
    if asked.client_id == client_id then
      waiting[root] = nil
    end
  end
  for id, session in pairs(sessions) do
    if session.client_id == client_id then
      local busy = session.running > 0
      elicitation.withdraw(session)
      session:abandon(
        ('agent-ls has ended (%s). :AgentLs prompt starts it again, :AgentLs sessions goes on.'):format(how)
      )
      sessions[id] = nil
      if current[session.cwd] == session then
        current[session.cwd] = nil
      end
      if busy then
        follow.turn_ended()
        M.event('AgentLsTurnEnd', { session_id = id, error = 'agent-ls has ended: ' .. how })
        notify(('the server has ended in the middle of a turn (%s)'):format(how), vim.log.levels.WARN)
      end
    end
  end
end

--- Fires a User event.
---@param pattern string
---@param data table
function M.event(pattern, data)
  vim.api.nvim_exec_autocmds('User', { pattern = pattern, data = data })
end

--- Returns the session that the current buffer belongs to: that of its view, of its workspace, or the latest.
---@return agent_ls.Session?
function M.session()
  local shown = view.of(vim.api.nvim_get_current_buf())
  return shown and shown.session or current[client.root(0)] or latest
end

--- Returns the folder that commands are about.
---@return string
function M.root()
  local shown = view.of(vim.api.nvim_get_current_buf())
  return shown and shown.session.cwd or client.root(0)
end

--- Calls back with the client of the session, or of the workspace.
---@param callback fun(lsp: vim.lsp.Client)
function M.with_client(callback)
  client.with(M.root(), callback)
end

---@param lsp vim.lsp.Client
---@param root string
---@param callback fun(session?: agent_ls.Session)
local function create(lsp, root, callback)
  client.request(lsp, 'session/new', { cwd = root, mcpServers = {} }, function(err, result)
    if err then
      notify('no session: ' .. err.message, vim.log.levels.ERROR)
      callback()
      return
    end
    local session = add(result.sessionId, root, lsp.id)
    session:opened(result)
    callback(session)
  end)
end

-- Makes the first session of a workspace, one for all who ask at a time.
---@param lsp vim.lsp.Client
---@param root string
---@param callback fun(session: agent_ls.Session, lsp: vim.lsp.Client)
local function create_once(lsp, root, callback)
  if waiting[root] then
    table.insert(waiting[root].callbacks, callback)
    return
  end
  local asked = { client_id = lsp.id, callbacks = { callback } }
  waiting[root] = asked
  create(lsp, root, function(session)
    waiting[root] = nil
    for _, call in ipairs(session and asked.callbacks or {}) do
      call(session, lsp)
    end
  end)
end

--- Calls back with the current session of the workspace, made where there is none.
---@param callback fun(session: agent_ls.Session, lsp: vim.lsp.Client)
function M.with_session(callback)
  local root = M.root()
  local shown = view.of(vim.api.nvim_get_current_buf())
  client.with(root, function(lsp)
    local session = shown and not shown.session.ended and shown.session or current[root]
    if session then
      callback(session, lsp)
    else
      create_once(lsp, root, callback)
    end
  end)
end

--- Makes a new session the current one.
---@param callback fun(session: agent_ls.Session)
function M.new(callback)
  local root = M.root()
  client.with(root, function(lsp)
    create(lsp, root, function(session)
      if session then
        callback(session)
      end
    end)
  end)
end

--- Loads a session of the store with its history and makes it the current one.
---@param id string
---@param callback fun(session: agent_ls.Session)
function M.load(id, callback)
  local root = M.root()
  client.with(root, function(lsp)
    local open = sessions[id]
    if open then
      current[root], latest = open, open
      callback(open)
      return
    end
    local session = add(id, root, lsp.id)
    client.request(lsp, 'session/load', { sessionId = id, cwd = root, mcpServers = {} }, function(err, result)
      if err then
        sessions[id], current[root] = nil, nil
        notify('the session is not loaded: ' .. err.message, vim.log.levels.ERROR)
        return
      end
      session:opened(result)
      callback(session)
    end)
  end)
end

---@param session agent_ls.Session
---@param err lsp.ResponseError?
---@param result table?
local function turn_over(session, err, result)
  session:stopped()
  if err then
    session:notice('The turn failed', err.message)
  elseif result.stopReason ~= 'end_turn' then
    session:notice('The turn ended', result.stopReason)
  end
  buffers.check(session.client_id)
  if session.running == 0 then
    elicitation.withdraw(session)
    follow.turn_ended()
  end
  M.event('AgentLsTurnEnd', {
    session_id = session.id,
    stop_reason = result and result.stopReason,
    error = err and err.message,
  })
end

--- Sends a prompt; the session queues it where a turn runs.
---@param blocks table[] ACP's content
function M.prompt(blocks)
  M.with_session(function(session, lsp)
    local id = tostring(vim.uv.hrtime())
    for _, block in ipairs(blocks) do
      session:apply({ sessionUpdate = 'user_message_chunk', content = block, messageId = id })
    end
    session:started()
    follow.turn_started()
    M.event('AgentLsTurnStart', { session_id = session.id })
    client.request(lsp, 'session/prompt', { sessionId = session.id, prompt = blocks }, function(err, result)
      if not session.ended then
        turn_over(session, err, result)
      end
    end)
  end)
end

return M
