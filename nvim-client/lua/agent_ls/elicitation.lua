--- What an agent asks its user beside permission: a form, or to go to a page. Each is an item of its session
--- until it is answered; nothing pops up.
local notify = require('agent_ls.notify')
local text = require('agent_ls.text')

local M = {}

---@class agent_ls.Field a property of a form's schema
---@field type string
---@field title? string
---@field description? string
---@field default? any
---@field enum? string[]
---@field oneOf? { const: string, title?: string }[]
---@field items? { enum?: string[], anyOf?: { const: string, title?: string }[] }

---@class agent_ls.Choice
---@field label string
---@field value any

---@class agent_ls.Asked
---@field name string of the property
---@field field agent_ls.Field
---@field required boolean
---@field label string

-- vim.NIL is how JSON's null comes.
---@param value any
local function given(value)
  if value ~= vim.NIL then
    return value
  end
end

---@param session agent_ls.Session
---@param item agent_ls.Item
---@param action 'accept'|'decline'|'cancel'
---@param content? table
local function settle(session, item, action, content)
  local question = item.question
  if not question then
    return
  end
  item.question = nil
  item.status = action
  session:touch(item)
  question.answer({ action = action, content = content })
  vim.cmd.redrawstatus({ bang = true })
end

--- Serves elicitation/create; it runs in a coroutine of the client, which waits here.
---@param session agent_ls.Session
---@param params table
---@return table result
function M.ask(session, params)
  local thread = coroutine.running()
  local item = session:append({
    kind = 'form',
    text = params.message,
    url = given(params.url),
    schema = given(params.requestedSchema),
    question = {
      options = {},
      asked = vim.uv.now(),
      answer = function(result)
        vim.schedule(function()
          coroutine.resume(thread, result)
        end)
      end,
    },
  })
  notify(('the agent asks (:AgentLs answer): %s'):format(text.one_line(item.text)))
  vim.api.nvim_exec_autocmds('User', {
    pattern = 'AgentLsQuestion',
    data = { session_id = session.id, message = item.text },
  })
  vim.cmd.redrawstatus({ bang = true })
  return coroutine.yield()
end

--- Takes back what nobody has answered: the turn has ended.
---@param session agent_ls.Session
function M.withdraw(session)
  for _, item in ipairs(session:waiting()) do
    if item.kind == 'form' then
      settle(session, item, 'cancel')
    end
  end
end

--- Answers with a no.
---@param session agent_ls.Session
---@param item agent_ls.Item
function M.decline(session, item)
  settle(session, item, 'decline')
end

---@param list? any[] texts, or tables with `const` and `title`
---@return agent_ls.Choice[]?
local function choices(list)
  return list
    and vim.tbl_map(function(choice)
      if type(choice) == 'table' then
        return { label = given(choice.title) or choice.const, value = choice.const }
      end
      return { label = choice, value = choice }
    end, list)
end

---@param field agent_ls.Field
---@return agent_ls.Choice[]?
local function choices_of(field)
  if field.type == 'boolean' then
    return { { label = 'Yes', value = true }, { label = 'No', value = false } }
  end
  local items = field.items or {}
  return choices(field.oneOf or items.anyOf or field.enum or items.enum)
end

---@param asked agent_ls.Asked
---@param list agent_ls.Choice[]
---@param done fun(value: any)
local function ask_one(asked, list, done)
  vim.ui.select(list, {
    prompt = asked.label,
    kind = 'agent-ls-form',
    format_item = function(choice)
      return text.one_line(choice.label) .. (choice.value == given(asked.field.default) and ' (default)' or '')
    end,
  }, function(choice)
    if choice then
      done(choice.value)
    end
  end)
end

-- Several of a list: each choice turns one on or off until it is done.
---@param asked agent_ls.Asked
---@param list agent_ls.Choice[]
---@param picked table<any, true>
---@param done fun(value: any)
local function ask_several(asked, list, picked, done)
  local items = vim.list_extend({ { label = 'Done' } }, list)
  vim.ui.select(items, {
    prompt = asked.label .. ' (any number of them)',
    kind = 'agent-ls-form',
    format_item = function(choice)
      local box = choice.value == nil and '' or picked[choice.value] and '[x] ' or '[ ] '
      return box .. text.one_line(choice.label)
    end,
  }, function(choice)
    if not choice then
      return
    elseif choice.value ~= nil then
      picked[choice.value] = not picked[choice.value] or nil
      ask_several(asked, list, picked, done)
      return
    end
    local values = {}
    for _, one in ipairs(list) do
      if picked[one.value] then
        values[#values + 1] = one.value
      end
    end
    done(values)
  end)
end

-- What a typed text is as the value of a field, or why it is none.
---@param asked agent_ls.Asked
---@param typed string
---@return any value
---@return string? fault
local function value_of(asked, typed)
  local kind = asked.field.type
  if typed == '' then
    return nil, asked.required and 'a value is needed' or nil
  elseif kind ~= 'number' and kind ~= 'integer' then
    return typed
  end
  local number = tonumber(typed)
  if not number then
    return nil, 'a number is needed'
  elseif kind == 'integer' and number ~= math.floor(number) then
    return nil, 'a whole number is needed'
  end
  return number
end

---@param asked agent_ls.Asked
---@param done fun(value: any)
local function ask_text(asked, done)
  local default = given(asked.field.default)
  local note = asked.required and '' or ' (may stay empty)'
  vim.ui.input(
    { prompt = asked.label .. note .. ': ', default = default ~= nil and tostring(default) or nil },
    function(typed)
      if not typed then
        return
      end
      local value, fault = value_of(asked, vim.trim(typed))
      if fault then
        notify(fault, vim.log.levels.WARN)
        ask_text(asked, done)
      else
        done(value)
      end
    end
  )
end

---@param asked agent_ls.Asked
---@param done fun(value: any)
local function ask_field(asked, done)
  local list = choices_of(asked.field)
  if list and asked.field.type == 'array' then
    local picked = {}
    for _, value in ipairs(given(asked.field.default) or {}) do
      picked[value] = true
    end
    ask_several(asked, list, picked, done)
  elseif list then
    ask_one(asked, list, done)
  else
    ask_text(asked, done)
  end
end

-- The fields of a form, those that are needed first: JSON's order of members is lost.
---@param schema? table
---@return agent_ls.Asked[]
local function fields_of(schema)
  schema = schema or {}
  local required = {}
  for i, name in ipairs(given(schema.required) or {}) do
    required[name] = i
  end
  local list = {}
  for name, field in pairs(given(schema.properties) or {}) do
    local label = given(field.title) or name
    if given(field.description) then
      label = label .. ': ' .. field.description
    end
    list[#list + 1] = { name = name, field = field, required = required[name] ~= nil, label = text.one_line(label) }
  end
  table.sort(list, function(a, b)
    local i, j = required[a.name] or math.huge, required[b.name] or math.huge
    return i ~= j and i < j or i == j and a.name < b.name
  end)
  return list
end

---@param session agent_ls.Session
---@param item agent_ls.Item
local function fill_in(session, item)
  local list, content = fields_of(item.schema), vim.empty_dict()
  local function next_field(i)
    if not list[i] then
      settle(session, item, 'accept', content)
      return
    end
    ask_field(list[i], function(value)
      content[list[i].name] = value
      next_field(i + 1)
    end)
  end
  next_field(1)
end

---@param session agent_ls.Session
---@param item agent_ls.Item
local function go_to_page(session, item)
  local _, err = vim.ui.open(item.url)
  if err then
    notify(err, vim.log.levels.ERROR)
  else
    settle(session, item, 'accept')
  end
end

--- Lets the user answer by vim.ui.select and vim.ui.input. Who leaves one of them has not answered yet.
---@param session agent_ls.Session
---@param item agent_ls.Item
function M.answer(session, item)
  local yes = item.url and 'Open ' .. item.url or 'Answer'
  vim.ui.select({ yes, 'Decline' }, {
    prompt = text.plain(item.text),
    kind = 'agent-ls-form',
    format_item = text.one_line,
  }, function(choice)
    if choice == 'Decline' then
      M.decline(session, item)
    elseif choice and item.url then
      go_to_page(session, item)
    elseif choice then
      fill_in(session, item)
    end
  end)
end

return M
