--- One session as the server tells of it: a list of items that only grows, each of which may change.
--- It knows no buffer and no window; whoever shows it is told through `observer`.
local Output = require('agent_ls.output')
local config = require('agent_ls.config')

---@class agent_ls.Location
---@field path string absolute
---@field line? integer 1-based

---@class agent_ls.Item
---@field kind 'user'|'agent'|'thought'|'call'|'plan'|'notice'|'form'
---@field index integer its place in the session
---@field text? string of messages, notices and forms
---@field schema? table of a form: what is asked
---@field url? string of a form that is a page instead
---@field message_id? string
---@field entries? { content: string, status: string }[] of a plan
---@field id? string of a call, as are the following fields
---@field title? string
---@field tool_kind? string
---@field status? 'pending'|'in_progress'|'completed'|'failed' of a call; of a form what the user did
---@field content? table[] ACP's content, diffs and terminals
---@field locations? agent_ls.Location[]
---@field raw_input? any
---@field output? agent_ls.Output
---@field question? agent_ls.Question while it waits for the user

---@class agent_ls.Observer
---@field changed fun(session: agent_ls.Session, item: agent_ls.Item)
---@field located fun(session: agent_ls.Session, location: agent_ls.Location)
---@field settled fun(session: agent_ls.Session, item: agent_ls.Item) a call has ended
---@field state fun(session: agent_ls.Session) title, mode, model or running have changed

---@class agent_ls.Session
---@field id string
---@field cwd string
---@field client_id integer
---@field title? string
---@field running integer prompts that are not answered
---@field ended? boolean its server is gone
---@field modes { id: string, name: string }[]
---@field mode? string
---@field options table[] ACP's config options
---@field commands { name: string, description: string }[]
---@field usage? { used: integer, size: integer }
---@field items agent_ls.Item[]
---@field private calls table<string, agent_ls.Item>
---@field private plan? agent_ls.Item of this turn
---@field private observer agent_ls.Observer
local Session = {}
Session.__index = Session

---@param id string
---@param cwd string
---@param client_id integer
---@param observer agent_ls.Observer
---@return agent_ls.Session
function Session.new(id, cwd, client_id, observer)
  return setmetatable({
    id = id,
    cwd = cwd,
    client_id = client_id,
    observer = observer,
    running = 0,
    modes = {},
    options = {},
    commands = {},
    items = {},
    calls = {},
  }, Session)
end

--- Adds an item at the end.
---@param item agent_ls.Item
---@return agent_ls.Item
function Session:append(item)
  item.index = #self.items + 1
  self.items[item.index] = item
  self.observer.changed(self, item)
  return item
end

--- Says that an item is to be shown again.
---@param item agent_ls.Item
function Session:touch(item)
  self.observer.changed(self, item)
end

--- Returns a call by its id.
---@param id string
---@return agent_ls.Item?
function Session:call(id)
  return self.calls[id]
end

--- Returns the calls and forms that wait for the user, the oldest first.
---@return agent_ls.Item[]
function Session:waiting()
  return vim.tbl_filter(function(item)
    return item.question ~= nil
  end, self.items)
end

--- Tells the user something within the session.
---@param title string
---@param description? string
function Session:notice(title, description)
  self:append({ kind = 'notice', text = title .. (description and ': ' .. description or '') })
end

--- Takes what session/new and session/load answer.
---@param answer table
function Session:opened(answer)
  if answer.modes then
    self.modes, self.mode = answer.modes.availableModes, answer.modes.currentModeId
  end
  self.options = answer.configOptions or self.options
  self.observer.state(self)
end

--- Returns a config option by its id.
---@param id string
---@return table?
function Session:option(id)
  for _, option in ipairs(self.options) do
    if option.id == id then
      return option
    end
  end
end

--- Begins to wait for the answer of a prompt.
function Session:started()
  self.running = self.running + 1
  self.plan = nil
  self.observer.state(self)
end

--- Ends that waiting.
function Session:stopped()
  self.running = math.max(self.running - 1, 0)
  self.observer.state(self)
end

-- A piece of a message.
---@param kind 'user'|'agent'|'thought'
local function chunk(kind)
  ---@param session agent_ls.Session
  return function(session, update)
    local content = update.content or {}
    local piece = content.text or (content.resource and content.resource.text) or content.uri or ''
    if content.type ~= 'text' then
      piece = ('\n[%s %s]\n'):format(
        content.type,
        content.uri or (content.resource or {}).uri or content.mimeType or ''
      )
    end
    local last = session.items[#session.items]
    if last and last.kind == kind and last.message_id == update.messageId then
      last.text = last.text .. piece
      session:touch(last)
    else
      session:append({ kind = kind, text = piece, message_id = update.messageId })
    end
  end
end

---@param item agent_ls.Item
---@param update table
local function merge(item, update)
  item.title = update.title or item.title
  item.tool_kind = update.kind or item.tool_kind
  item.status = update.status or item.status
  item.content = update.content or item.content
  item.locations = update.locations or item.locations
  if update.rawInput ~= nil then
    item.raw_input = update.rawInput
  end
end

-- The terminal that the agent feeds through _meta.
---@param item agent_ls.Item
---@param meta table
local function feed(item, meta)
  if meta.terminal_info then
    item.output = item.output or Output.new(config.get().output_bytes)
  end
  if not item.output then
    return
  end
  if meta.terminal_output then
    item.output:add(meta.terminal_output.data or '')
  end
  if meta.terminal_exit then
    item.output:finish(meta.terminal_exit.exit_code, meta.terminal_exit.signal)
  end
end

---@param session agent_ls.Session
local function call(session, update)
  local item = session.calls[update.toolCallId]
  if not item then
    item = { kind = 'call', id = update.toolCallId, title = 'tool call', status = 'pending' }
    session.calls[item.id] = item
    item.index = #session.items + 1
    session.items[item.index] = item
  end
  local done = item.status == 'completed' or item.status == 'failed'
  merge(item, update)
  feed(item, update._meta or {})
  session:touch(item)
  if update.locations and update.locations[1] then
    session.observer.located(session, update.locations[1])
  end
  if not done and (item.status == 'completed' or item.status == 'failed') then
    session.observer.settled(session, item)
  end
end

local updates = {
  user_message_chunk = chunk('user'),
  agent_message_chunk = chunk('agent'),
  agent_thought_chunk = chunk('thought'),
  tool_call = call,
  tool_call_update = call,
  plan = function(session, update)
    if session.plan then
      session.plan.entries = update.entries
      session:touch(session.plan)
    else
      session.plan = session:append({ kind = 'plan', entries = update.entries })
    end
  end,
  notice = function(session, update)
    session:notice(update.title, update.description)
  end,
  available_commands_update = function(session, update)
    session.commands = update.availableCommands
  end,
  current_mode_update = function(session, update)
    session.mode = update.currentModeId
    session.observer.state(session)
  end,
  config_option_update = function(session, update)
    session.options = update.configOptions
    session.observer.state(session)
  end,
  session_info_update = function(session, update)
    session.title = update.title or session.title
    session.observer.state(session)
  end,
  usage_update = function(session, update)
    session.usage = { used = update.used, size = update.size }
    session.observer.state(session)
  end,
}

--- Takes an update of the server; kinds that are not known are left out.
---@param update table
function Session:apply(update)
  local take = updates[update.sessionUpdate]
  if take then
    take(self, update)
  end
end

--- Gives up what is open: the server is gone.
---@param why string
function Session:abandon(why)
  self.ended, self.running = true, 0
  for _, item in ipairs(self.items) do
    if item.kind == 'call' and item.status ~= 'completed' and item.status ~= 'failed' then
      item.status = 'failed'
      if item.output then
        item.output:finish()
      end
      self.observer.settled(self, item)
      self:touch(item)
    end
  end
  self:notice(why)
  self.observer.state(self)
end

return Session
