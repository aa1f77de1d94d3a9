-- What agents ask beside permission: forms and pages, through an agent that does as the prompt says.
local h = require('harness')

local here = vim.fs.dirname(vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p'))

---@return Child
local function child()
  local config = vim.fn.tempname() .. '.toml'
  h.write(
    config,
    ('model = "acp:asker"\n[acp.asker]\ncommand = %q\nargs = ["--clean", "-l", %q]\n'):format(
      vim.v.progpath,
      here .. '/agent.lua'
    )
  )
  local c = h.child({ env = { AGENT_LS_CONFIG = config } })
  c:lua([[
    _G.typed, _G.prompts = {}, {}
    vim.ui.input = function(opts, on_confirm)
      table.insert(_G.prompts, opts.prompt)
      on_confirm(table.remove(_G.typed, 1))
    end
    vim.ui.select = function(items, opts, on_choice)
      table.insert(_G.prompts, opts.prompt)
      local want = table.remove(_G.picks, 1)
      for i, item in ipairs(items) do
        if opts.format_item(item) == want then
          return on_choice(item, i)
        end
      end
      on_choice(nil)
    end
  ]])
  return c
end

---@param c Child
---@param question table
local function asked(c, question)
  question.mode = question.url and 'url' or 'form'
  c:send(vim.json.encode(question))
  c:shows('asks you')
end

-- Answers by these choices and texts.
---@param c Child
---@param picks string[]
---@param typed? string[]
local function answer(c, picks, typed)
  c:lua('_G.picks, _G.typed = ...', picks, typed or {})
  c:cmd('AgentLs answer')
end

-- The answer as the agent got it.
---@param c Child
local function got(c)
  c:shows('answered {')
  return vim.json.decode(c:session():match('answered (%b{})'))
end

local form = {
  message = 'How shall it\nbe built?',
  requestedSchema = {
    type = 'object',
    required = { 'name', 'jobs' },
    properties = {
      name = { type = 'string', title = 'Name', description = 'of the build' },
      jobs = { type = 'integer', default = 2 },
      fast = { type = 'boolean' },
      kind = { type = 'string', oneOf = { { const = 'd', title = 'Debug' }, { const = 'r', title = 'Release' } } },
      parts = { type = 'array', items = { type = 'string', enum = { 'docs', 'tests' } } },
      note = { type = 'string' },
    },
  },
}

return {
  {
    'a form is a card, and is filled in field by field',
    function()
      local c = child()
      asked(c, form)
      h.has(
        c:session(),
        '? How shall it — asks you\n    be built?\n    Press a key here:\n    a  Answer\n    r  Decline'
      )
      h.has(c:lua("return require('agent_ls').status()"), 'asks')
      h.equal({ 'agent-ls: the agent asks (:AgentLs answer): How shall it be built?' }, c:lua('return _G.notes'))
      answer(
        c,
        { 'Answer', 'No', 'Release', '[ ] tests', '[ ] docs', '[x] docs', 'Done' },
        { '', 'mine', '1.5', '3', '' }
      )
      local result = got(c)
      h.equal('accept', result.action)
      h.equal({ name = 'mine', jobs = 3, fast = false, kind = 'r', parts = { 'tests' } }, result.content)
      h.equal('How shall it\nbe built?', c:lua('return _G.prompts[1]'))
      h.equal('Name: of the build: ', c:lua('return _G.prompts[2]'))
      local notes = c:lua('return _G.notes')
      h.equal({ 'agent-ls: a value is needed', 'agent-ls: a whole number is needed' }, { notes[2], notes[3] })
      h.has(c:session(), '? How shall it — answered')
    end,
  },
  {
    'who leaves a form has not answered yet, and may decline',
    function()
      local c = child()
      asked(c, form)
      answer(c, { 'Answer' })
      h.has(c:session(), 'asks you')
      c:cmd('AgentLs open')
      h.eventually('the window', function()
        return c:eval('&filetype') == 'agentls'
      end)
      c:lua("vim.fn.search('asks you', 'w')")
      c:keys('r')
      h.equal({ action = 'decline' }, got(c))
      h.has(c:session(), '— declined')
    end,
  },
  {
    'a page is opened when the user wants it',
    function()
      local c = child()
      c:lua('vim.ui.open = function(url) _G.opened = url end')
      asked(c, { message = 'Log in', url = 'https://example.org/in', elicitationId = 'e' })
      h.has(c:session(), '? Log in — asks you\n    https://example.org/in')
      answer(c, { 'Open https://example.org/in' })
      h.equal('accept', got(c).action)
      h.equal('https://example.org/in', c:lua('return _G.opened'))
    end,
  },
  {
    'the end of the turn takes the question back',
    function()
      local c = child()
      asked(c, form)
      c:cmd('AgentLs stop')
      c:shows('— withdrawn')
      h.equal(false, (c:lua("return require('agent_ls').status()"):find('asks') ~= nil))
    end,
  },
}
