--- Questions of the agent: each is a card of its session until the user answers, or the call ends.
local config = require('agent_ls.config')
local notify = require('agent_ls.notify')
local text = require('agent_ls.text')

local M = {}

---@class agent_ls.Option
---@field optionId string
---@field name string
---@field kind 'allow_once'|'allow_always'|'reject_once'|'reject_always'

---@class agent_ls.Question
---@field options agent_ls.Option[]
---@field asked integer when, in milliseconds of vim.uv.now
---@field private answer fun(outcome: table)

---@param outcome table
local function answer_of(outcome)
  return { outcome = outcome }
end

---@param session agent_ls.Session
---@param item agent_ls.Item
---@param outcome table
local function settle(session, item, outcome)
  local question = item.question
  if not question then
    return
  end
  item.question = nil
  session:touch(item)
  question.answer(outcome)
  vim.cmd.redrawstatus({ bang = true })
end

---@param session agent_ls.Session
---@param item agent_ls.Item
local function announce(session, item)
  notify(('permission is asked for (:AgentLs answer): %s'):format(text.one_line(item.title)))
  vim.api.nvim_exec_autocmds('User', {
    pattern = 'AgentLsPermission',
    data = { session_id = session.id, tool_call_id = item.id, title = item.title },
  })
  vim.cmd.redrawstatus({ bang = true })
end

--- Serves session/request_permission; it runs in a coroutine of the client, which waits here.
---@param session agent_ls.Session
---@param params table
---@return table result
function M.ask(session, params)
  local update = vim.tbl_extend('force', params.toolCall, { sessionUpdate = 'tool_call_update' })
  session:apply(update)
  local item = assert(session:call(params.toolCall.toolCallId))
  settle(session, item, { outcome = 'cancelled' })
  local thread = coroutine.running()
  item.question = {
    options = params.options,
    asked = vim.uv.now(),
    answer = function(outcome)
      vim.schedule(function()
        coroutine.resume(thread, answer_of(outcome))
      end)
    end,
  }
  session:touch(item)
  announce(session, item)
  return coroutine.yield()
end

--- Answers a question with an option of a kind.
---@param session agent_ls.Session
---@param item agent_ls.Item
---@param kind string
---@return boolean answered
function M.answer(session, item, kind)
  for _, option in ipairs(item.question and item.question.options or {}) do
    if option.kind == kind then
      settle(session, item, { outcome = 'selected', optionId = option.optionId })
      return true
    end
  end
  return false
end

--- Answers by a key on the card. A question that has just come takes none: the key was for something else.
---@param session agent_ls.Session
---@param item agent_ls.Item
---@param kind string
function M.key(session, item, kind)
  local elicitation = require('agent_ls.elicitation')
  if not item.question then
    local elsewhere = session:waiting()[1]
    notify(
      elsewhere and 'nothing is asked here; :AgentLs answer goes to the question' or 'nothing is asked',
      vim.log.levels.WARN
    )
  elseif vim.uv.now() - item.question.asked < config.get().grace_ms then
    notify('the question has just come; read it and press the key again', vim.log.levels.WARN)
  elseif item.kind == 'form' and kind == 'allow_once' then
    elicitation.answer(session, item)
  elseif item.kind == 'form' and kind == 'reject_once' then
    elicitation.decline(session, item)
  elseif not M.answer(session, item, kind) then
    notify('this answer is not offered', vim.log.levels.WARN)
  end
end

--- Takes back the question of a call that has ended.
---@param session agent_ls.Session
---@param item agent_ls.Item
function M.withdraw(session, item)
  settle(session, item, { outcome = 'cancelled' })
end

-- Asks about a call through vim.ui.select.
---@param session agent_ls.Session
---@param item agent_ls.Item
local function choose(session, item)
  local page = require('agent_ls.cards').render(item, session.cwd)
  vim.ui.select(item.question.options, {
    prompt = table.concat(page.lines, '\n', 1, #page.lines - #item.question.options - 2) .. '\nAllow this?',
    kind = 'agent-ls-permission',
    format_item = function(option)
      return text.one_line(option.name)
    end,
  }, function(option)
    if option then
      M.answer(session, item, option.kind)
    end
  end)
end

--- Asks the oldest question of a session through vim.ui.select, the card in sight.
---@param session agent_ls.Session
function M.select(session)
  local item = session:waiting()[1]
  if not item then
    notify('no question is open')
    return
  end
  local view = require('agent_ls.view')
  view.open(session, false)
  view.reveal(session, item)
  vim.cmd.redraw()
  if item.kind == 'form' then
    require('agent_ls.elicitation').answer(session, item)
  else
    choose(session, item)
  end
end

return M
