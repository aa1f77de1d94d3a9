--- The sub-commands of :AgentLs.
local client = require('agent_ls.client')
local hub = require('agent_ls.hub')
local notify = require('agent_ls.notify')
local review = require('agent_ls.review')

local M = {}

---@class agent_ls.Call
---@field text string what follows the sub-command
---@field range? integer[] first and last line, 1-based

---@class agent_ls.SubCommand
---@field run fun(call: agent_ls.Call)
---@field about string
---@field complete? fun(): string[]

---@param message string
local function warn(message)
  notify(message, vim.log.levels.WARN)
end

---@return string[]
local function mode_names()
  local session = hub.session()
  return vim.tbl_map(function(mode)
    return mode.id
  end, session and session.modes or {})
end

---@param id string
---@return { value: string, name: string }[]
local function choices(id)
  local session = hub.session()
  local option = session and session:option(id)
  return option and option.options or {}
end

-- What a prompt may begin with.
---@return string[]
local function slash_commands()
  local session = hub.session()
  return vim.tbl_map(function(command)
    return '/' .. command.name
  end, session and session.commands or {})
end

-- The selected lines as ACP's embedded resource.
---@param range integer[]
local function selection(range)
  local lines = vim.api.nvim_buf_get_lines(0, range[1] - 1, range[2], false)
  local uri = vim.uri_from_bufnr(0) .. ('#L%d-L%d'):format(range[1], range[2])
  return { type = 'resource', resource = { uri = uri, mimeType = 'text/plain', text = table.concat(lines, '\n') } }
end

---@param text string
---@param range? integer[]
local function send(text, range)
  local blocks = { { type = 'text', text = text } }
  if range then
    table.insert(blocks, selection(range))
  end
  hub.prompt(blocks)
end

---@param call agent_ls.Call
local function prompt(call)
  if call.text ~= '' then
    send(call.text, call.range)
    return
  end
  local context = call.range and selection(call.range)
  vim.ui.input({ prompt = 'Prompt: ' }, function(text)
    if text and text ~= '' then
      hub.prompt({ { type = 'text', text = text }, context })
    end
  end)
end

local function open()
  hub.with_session(function(session)
    require('agent_ls.view').open(session, true)
  end)
end

local function stop()
  local session = hub.session()
  local lsp = session and not session.ended and vim.lsp.get_client_by_id(session.client_id)
  if lsp then
    client.notify(lsp, 'session/cancel', { sessionId = session.id })
  else
    warn('nothing runs')
  end
end

-- Sets a config option of the session, chosen from a list where none is named.
---@param id string
local function option(id)
  ---@param call agent_ls.Call
  return function(call)
    hub.with_session(function(session, lsp)
      local function set(value)
        local params = { sessionId = session.id, configId = id, value = value }
        client.request(lsp, 'session/set_config_option', params)
      end
      if call.text ~= '' then
        set(call.text)
        return
      end
      vim.ui.select(choices(id), {
        prompt = 'agent-ls ' .. id,
        format_item = function(choice)
          return ('%s: %s'):format(choice.value, choice.description or choice.name)
        end,
      }, function(choice)
        if choice then
          set(choice.value)
        end
      end)
    end)
  end
end

local function sessions()
  hub.with_client(function(lsp)
    client.request(lsp, 'session/list', { cwd = hub.root() }, function(err, result)
      if err or #result.sessions == 0 then
        warn(err and err.message or 'no sessions in this folder yet')
        return
      end
      vim.ui.select(result.sessions, {
        prompt = 'agent-ls session',
        format_item = function(info)
          return ('%s  %s'):format(
            require('agent_ls.text').local_time(info.updatedAt or ''),
            info.title or info.sessionId
          )
        end,
      }, function(info)
        if info then
          hub.load(info.sessionId, function(session)
            require('agent_ls.view').open(session, true)
          end)
        end
      end)
    end)
  end)
end

local function follow()
  local follower = require('agent_ls.follow')
  follower.set(not follower.is_on())
  notify('following is ' .. (follower.is_on() and 'on' or 'off'))
end

-- Keeps or undoes: the hunk at the cursor, this file, or all.
---@param verb 'keep'|'undo'
local function decide(verb)
  ---@param call agent_ls.Call
  return function(call)
    local what = call.text == '' and 'hunk' or call.text
    local hunk, id = review.at_cursor()
    if what == 'hunk' and not hunk then
      warn('there is no change to review at the cursor')
      return
    end
    local arguments = { hunk = { hunk and hunk.id }, file = { vim.uri_from_bufnr(0) }, all = {}, decision = {} }
    local names = { hunk = verb .. 'Hunk', file = verb .. 'File', all = verb .. 'All', decision = 'undoDecision' }
    if not names[what] or (what == 'decision' and verb == 'keep') then
      warn(
        ('%s: expected hunk, file%s, got %q'):format(verb, verb == 'undo' and ', all or decision' or ' or all', what)
      )
      return
    end
    local lsp = id and vim.lsp.get_client_by_id(id)
    if lsp then
      client.command(lsp, names[what], arguments[what])
    else
      hub.with_client(function(other)
        client.command(other, names[what], arguments[what])
      end)
    end
  end
end

---@param lsp vim.lsp.Client
---@param id? string
local function restore_one(lsp, id)
  client.command(lsp, 'restoreCheckpoint', { id }, function(err)
    if err then
      warn(err.message)
    else
      require('agent_ls.buffers').check(lsp.id)
      notify('restored; :AgentLs restore takes that back too')
    end
  end)
end

---@param call agent_ls.Call
local function restore(call)
  hub.with_session(function(session, lsp)
    if call.text ~= '' then
      restore_one(lsp, call.text)
      return
    end
    client.command(lsp, 'checkpoints', { session.id }, function(err, list)
      if err or #list == 0 then
        warn(err and err.message or 'there is no checkpoint yet')
        return
      end
      vim.ui.select(list, {
        prompt = 'agent-ls: restore the files to before',
        format_item = function(checkpoint)
          local files = #(checkpoint.files or {})
          return ('%s (%d %s)'):format(
            require('agent_ls.text').one_line(checkpoint.prompt or ''),
            files,
            files == 1 and 'file' or 'files'
          )
        end,
      }, function(checkpoint)
        if checkpoint then
          restore_one(lsp, checkpoint.id)
        end
      end)
    end)
  end)
end

local function log()
  vim.cmd.tabedit(vim.fn.fnameescape(vim.lsp.log.get_filename()))
end

local function answer()
  local session = hub.session()
  if session then
    require('agent_ls.permission').select(session)
  else
    warn('there is no session')
  end
end

---@param list string[]
local function fixed(list)
  return function()
    return list
  end
end

---@type table<string, agent_ls.SubCommand>
M.commands = {
  prompt = { run = prompt, about = 'send a prompt, with the selected lines as context', complete = slash_commands },
  open = { run = open, about = 'show the session' },
  new = {
    run = function()
      hub.new(function(session)
        require('agent_ls.view').open(session, true)
      end)
    end,
    about = 'begin a new session',
  },
  stop = { run = stop, about = 'end the turn' },
  answer = { run = answer, about = 'answer a question of the agent' },
  mode = { run = option('mode'), about = 'what the agent may do without asking', complete = mode_names },
  model = {
    run = option('model'),
    about = 'who decides the tool calls',
    complete = function()
      return vim.tbl_map(function(choice)
        return choice.value
      end, choices('model'))
    end,
  },
  sessions = { run = sessions, about = 'go on with an earlier session' },
  follow = { run = follow, about = 'follow the agent in a window of its own, or no more' },
  keep = { run = decide('keep'), about = 'keep a change', complete = fixed({ 'hunk', 'file', 'all' }) },
  undo = { run = decide('undo'), about = 'undo a change', complete = fixed({ 'hunk', 'file', 'all', 'decision' }) },
  review = { run = review.quickfix, about = 'list all changes to review' },
  diff = {
    run = function()
      hub.with_client(review.diff)
    end,
    about = 'show this file beside its text before the agent',
  },
  restore = { run = restore, about = 'restore the files to before a prompt' },
  log = { run = log, about = "open Neovim's log of language servers" },
}

---@return string[]
local function names()
  local list = vim.tbl_keys(M.commands)
  table.sort(list)
  return list
end

---@param list string[]
---@param lead string
local function beginning(list, lead)
  return vim.tbl_filter(function(name)
    return vim.startswith(name, lead)
  end, list)
end

--- Runs :AgentLs.
---@param opts vim.api.keyset.create_user_command.command_args
function M.run(opts)
  local name, rest = opts.args:match('^%s*(%S*)%s*(.-)%s*$')
  if name == '' then
    name = 'open'
  end
  local command = M.commands[name]
  if not command then
    warn(('unknown sub-command %q; expected one of %s'):format(name, table.concat(names(), ', ')))
    return
  end
  command.run({ text = rest, range = opts.range > 0 and { opts.line1, opts.line2 } or nil })
end

--- Completes :AgentLs.
---@param lead string
---@param line string
---@return string[]
function M.complete(lead, line)
  local name = line:match('AgentLs!?%s+(%S+)%s')
  if not name then
    return beginning(names(), lead)
  end
  local command = M.commands[name]
  return command and command.complete and beginning(command.complete(), lead) or {}
end

return M
