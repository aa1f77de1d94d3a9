-- nvim -l agent.lua: an agent that asks its user what the prompt says (JSON: the params of elicitation/create),
-- and says what was answered.
local function send(message)
  message.jsonrpc = '2.0'
  io.stdout:write(vim.json.encode(message), '\n')
  io.stdout:flush()
end

local prompting

local requests = {
  initialize = function()
    return { protocolVersion = 1, agentCapabilities = vim.empty_dict() }
  end,
  ['session/new'] = function()
    return { sessionId = 's' }
  end,
  ['session/prompt'] = function(id, params)
    prompting = id
    local question = vim.json.decode(params.prompt[1].text)
    question.sessionId = 's'
    send({ id = 1, method = 'elicitation/create', params = question })
  end,
}

for line in io.lines() do
  local message = vim.json.decode(line)
  if message.method == 'session/cancel' then
    send({ id = prompting, result = { stopReason = 'cancelled' } })
  elseif message.method then
    local serve = requests[message.method]
    local result = serve and serve(message.id, message.params)
    if result or not serve then
      send({ id = message.id, result = result or vim.empty_dict() })
    end
  elseif message.id == 1 and prompting then
    local content = { type = 'text', text = 'answered ' .. vim.json.encode(message.result or message.error) }
    local update = { sessionUpdate = 'agent_message_chunk', content = content }
    send({ method = 'session/update', params = { sessionId = 's', update = update } })
    send({ id = prompting, result = { stopReason = 'end_turn' } })
  end
end
