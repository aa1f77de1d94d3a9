--- What an item of a session looks like: lines of plain text and what to highlight in them. Pure.
--- Cards have a title at column 0, with their state in words, and bodies that are indented.
local config = require('agent_ls.config')
local text = require('agent_ls.text')

local M = {}

local INDENT = '    '

-- The signs of kinds of calls, as in the terminal.
local icons = { read = '→', edit = '±', delete = '×', move = '»', search = '?', execute = '$', fetch = '↓' }

local states = {
  pending = { 'waiting', 'AgentLsPending' },
  in_progress = { 'running', 'AgentLsRunning' },
  completed = { 'completed', 'AgentLsCompleted' },
  failed = { 'failed', 'AgentLsFailed' },
}

---@class agent_ls.Mark
---@field row integer 0-based, within the item
---@field from? integer byte column; none is the whole line
---@field to? integer
---@field group string

---@class agent_ls.Page
---@field lines string[]
---@field marks agent_ls.Mark[]
---@field most integer the most lines of a body
local Page = {}
Page.__index = Page

---@param line string
---@param group? string
function Page:add(line, group)
  self.lines[#self.lines + 1] = (line:gsub('\n', ' '))
  if group then
    self.marks[#self.marks + 1] = { row = #self.lines - 1, group = group }
  end
end

--- Adds indented lines, the first ones of too many, and says how many are left out.
---@param lines string[]
---@param group_of? fun(line: string): string?
function Page:body(lines, group_of)
  for i, line in ipairs(lines) do
    if i > self.most then
      self:add(('%s(%d more lines)'):format(INDENT, #lines - self.most), 'AgentLsNote')
      return
    end
    self:add(INDENT .. line, group_of and group_of(line))
  end
end

local diff_groups = { ['+'] = 'AgentLsAdd', ['-'] = 'AgentLsDelete', ['@'] = 'AgentLsHunk' }

---@param line string
local function diff_group(line)
  return diff_groups[line:sub(1, 1)]
end

--- Names a path relative to a folder.
---@param path string
---@param cwd string
---@return string
function M.relative(path, cwd)
  local inside = vim.startswith(path, cwd .. '/')
  return inside and path:sub(#cwd + 2) or path
end

---@param page agent_ls.Page
---@param diff table ACP's diff
---@param cwd string
local function add_diff(page, diff, cwd)
  local old = type(diff.oldText) == 'string' and diff.oldText or nil
  local name = M.relative(diff.path, cwd)
  local kind = (diff._meta or {}).kind
  if kind == 'delete' then
    name = name .. ' (deleted)'
  elseif not old then
    name = name .. ' (new file)'
  end
  page:add(INDENT .. name, 'AgentLsPath')
  page:body(text.unified(old or '', diff.newText), diff_group)
end

---@param page agent_ls.Page
---@param item agent_ls.Item
---@param cwd string
local function add_content(page, item, cwd)
  for _, content in ipairs(item.content or {}) do
    if content.type == 'diff' then
      add_diff(page, content, cwd)
    elseif content.type == 'content' then
      local block = content.content
      if block.type == 'text' then
        page:body(text.lines(text.plain(text.unfenced(block.text))))
      else
        page:body({ ('[%s %s]'):format(block.type, block.mimeType or block.uri or '') })
      end
    end
  end
end

---@param page agent_ls.Page
---@param output agent_ls.Output
local function add_output(page, output)
  local tail = output:tail(page.most)
  local before = output.lines - #tail
  if before > 0 then
    page:add(('%s(%d lines before this; go shows the terminal)'):format(INDENT, before), 'AgentLsNote')
  end
  page:body(tail)
end

---@param page agent_ls.Page
---@param item agent_ls.Item
local function add_question(page, item)
  local keys = { allow_once = 'a', allow_always = 'A', reject_once = 'r', reject_always = 'R' }
  if type(item.raw_input) == 'string' and item.raw_input ~= item.title then
    page:body(text.lines(item.raw_input))
  end
  page:add(INDENT .. 'Allow this? Press a key here:', 'AgentLsQuestion')
  for _, option in ipairs(item.question.options) do
    page:add(('%s%s  %s'):format(INDENT, keys[option.kind] or ' ', text.one_line(option.name)), 'AgentLsQuestion')
  end
end

---@param page agent_ls.Page
---@param item agent_ls.Item
local function add_call(page, item, cwd)
  local state = states[item.status] or states.pending
  local word, group = state[1], state[2]
  if item.question then
    word, group = 'asks for permission', 'AgentLsQuestion'
  elseif item.output and item.output.exit then
    word = word .. ', ' .. item.output:ending()
  end
  local title = ('%s %s'):format(icons[item.tool_kind] or '•', text.one_line(item.title))
  local line = title .. ' — ' .. word
  page:add(line)
  vim.list_extend(page.marks, {
    { row = 0, from = 0, to = #title, group = 'AgentLsTitle' },
    { row = 0, from = #line - #word, to = #line, group = group },
  })
  add_content(page, item, cwd)
  if item.output then
    add_output(page, item.output)
  end
  if item.question then
    add_question(page, item)
  end
end

local outcomes = { accept = 'answered', decline = 'declined', cancel = 'withdrawn' }

---@param page agent_ls.Page
---@param item agent_ls.Item
local function add_form(page, item)
  local lines = text.lines(text.plain(item.text))
  local word = outcomes[item.status] or 'asks you'
  page:add(
    ('? %s — %s'):format(lines[1] or 'Question', word),
    item.question and 'AgentLsQuestion' or 'AgentLsTitle'
  )
  page:body(vim.list_slice(lines, 2))
  if item.url then
    page:body({ item.url })
  end
  if item.question then
    page:add(INDENT .. 'Press a key here:', 'AgentLsQuestion')
    page:add(INDENT .. 'a  Answer', 'AgentLsQuestion')
    page:add(INDENT .. 'r  Decline', 'AgentLsQuestion')
  end
end

---@param page agent_ls.Page
---@param item agent_ls.Item
local function add_plan(page, item)
  page:add('Plan', 'AgentLsTitle')
  local boxes = { completed = '[x]', in_progress = '[~]' }
  for _, entry in ipairs(item.entries) do
    page:add(('%s%s %s'):format(INDENT, boxes[entry.status] or '[ ]', text.one_line(entry.content)))
  end
end

---@param page agent_ls.Page
---@param lines string[]
---@param group? string
local function add_lines(page, lines, group)
  for _, line in ipairs(lines) do
    page:add(line, group)
  end
end

--- Renders an item; an empty line ends it. What is asked about is shown whole.
---@param item agent_ls.Item
---@param cwd string titles and paths are relative to it
---@return agent_ls.Page
function M.render(item, cwd)
  local page =
    setmetatable({ lines = {}, marks = {}, most = item.question and math.huge or config.get().card_lines }, Page)
  if item.kind == 'call' then
    add_call(page, item, cwd)
  elseif item.kind == 'plan' then
    add_plan(page, item)
  elseif item.kind == 'form' then
    add_form(page, item)
  elseif item.kind == 'user' then
    page:add('You', 'AgentLsTitle')
    for _, line in ipairs(text.lines(text.plain(item.text))) do
      page:add(INDENT .. line, 'AgentLsUser')
    end
  elseif item.kind == 'agent' then
    add_lines(page, text.lines(text.plain(item.text)))
  else
    add_lines(page, text.lines(text.plain(item.text)), 'AgentLsNote')
  end
  page:add('')
  return page
end

return M
