-- Questions of the agent: the card, its keys, vim.ui.select, and what must not disturb.
local h = require('harness')

---@param c Child
local function asked(c)
  h.eventually('a question', function()
    return c:lua("local s = require('agent_ls.hub').session() return s and #s:waiting()") == 1
  end)
end

---@param c Child
local function on_question(c)
  c:cmd('AgentLs open')
  h.eventually('the window', function()
    return c:eval('&filetype') == 'agentls'
  end)
  c:session()
  assert(c:lua("return vim.fn.search('asks for permission', 'w') > 0"))
end

return {
  {
    'the card shows the whole diff, and keys answer',
    function()
      local c = h.child({ files = { ['a.txt'] = ('x\n'):rep(5) }, options = { card_lines = 3 } })
      c:edit('a.txt')
      local content = ('new line\n'):rep(30)
      c:send(
        '/read a.txt\n/write '
          .. vim.json.encode({ file_path = 'a.txt', content = content })
          .. '\n!echo x\n!echo y\n!echo y'
      )
      asked(c)
      h.equal({ 'agent-ls: permission is asked for (:AgentLs answer): Write a.txt' }, c:lua('return _G.notes'))
      h.equal(1, c:count('AgentLsPermission'))
      h.equal('agent-ls: asks, ask', c:lua("return require('agent_ls').status()"))
      local text = c:session()
      h.equal(30, select(2, text:gsub('%+new line', '')), 'lines of the diff')
      h.has(
        text,
        'a  Allow once\n    A  Always allow edits of a.txt\n    r  Reject once\n    R  Always reject edits of a.txt'
      )
      on_question(c)
      c:keys('a')
      c:shows('$ echo x — asks for permission')
      h.equal(content, c:disk('a.txt'))
      on_question(c)
      c:keys('r')
      c:shows('$ echo y — asks for permission')
      on_question(c)
      c:keys('A')
      c:shows('5 calls: 4 completed, 1 failed.')
      h.eventually('the end of the turn', function()
        return c:lua("return require('agent_ls').status()") == 'agent-ls: ask, 1 to review'
      end)
    end,
  },
  {
    'a question that has just come takes no key',
    function()
      local c = h.child({ options = { grace_ms = 60000 } })
      c:send('!touch made')
      asked(c)
      on_question(c)
      c:keys('a')
      h.eventually('what is told', function()
        return c:lua('return _G.notes[2]') == 'agent-ls: the question has just come; read it and press the key again'
      end)
      asked(c)
      h.equal(nil, c:disk('made'))
    end,
  },
  {
    ':AgentLs answer asks through vim.ui.select, with the whole command',
    function()
      local c = h.child()
      c:lua('_G.choose = function(items) return items[1] end')
      c:send('/bash {"command":"echo one\\necho two > made"}')
      asked(c)
      c:cmd('AgentLs answer')
      c:shows('1 call: 1 completed')
      h.equal('two\n', c:disk('made'))
      local prompt = c:lua('return _G.asked.prompt')
      h.has(prompt, 'echo one')
      h.has(prompt, 'echo two > made')
      h.equal('Allow once', c:lua('return _G.asked.items[1]'))
      h.equal('', c:eval('&filetype'), 'the focus stays')
    end,
  },
  {
    'stopping takes the question back; a late answer does nothing',
    function()
      local c = h.child()
      c:send('!touch made')
      asked(c)
      on_question(c)
      c:keys('<C-c>')
      c:shows('The turn ended: cancelled')
      h.equal(0, c:lua("return #require('agent_ls.hub').session():waiting()"))
      h.equal(false, c:lua([[
        local session = require('agent_ls.hub').session()
        return require('agent_ls.permission').answer(session, session:call(session.items[2].id), 'allow_once')
      ]]) or false)
      h.equal(nil, c:disk('made'))
    end,
  },
  {
    'a question disturbs neither typing nor locked text',
    function()
      local c = h.child({ files = { ['a.txt'] = 'one\n' } })
      c:edit('a.txt')
      c:cmd('AgentLs open')
      h.eventually('the window', function()
        return c:eval('&filetype') == 'agentls'
      end)
      c:cmd('wincmd p')
      -- While an expression is evaluated text is locked; what waits in it lets messages come.
      c:lua(
        [[
        local patience = ...
        vim.keymap.set('i', '<F2>', function()
          _G.waited = vim.wait(patience, function()
            local session = require('agent_ls.hub').session()
            return session and #session:waiting() == 1
          end, 1)
          return '!'
        end, { expr = true })
      ]],
        h.patience
      )
      c:send('!echo x')
      c:keys('A typed<F2> and more')
      h.eventually('the text', function()
        return c:text('a.txt') == 'one typed! and more\n'
      end)
      h.equal(true, c:lua('return _G.waited'))
      h.equal('i', c:eval('mode()'))
      c:shows('$ echo x — asks for permission')
      h.equal({ 'agent-ls: permission is asked for (:AgentLs answer): echo x' }, c:lua('return _G.notes'))
      h.equal('', vim.trim(c:eval("execute('messages')")))
    end,
  },
  {
    'a long question does not make Neovim wait for a key',
    function()
      local c = h.child({ files = { ['a.txt'] = 'one\n' } })
      c:edit('a.txt')
      c:lua('vim.notify = _G.original_notify')
      c:keys('A')
      c:send('!echo ' .. ('long '):rep(100))
      asked(c)
      h.equal({ mode = 'i', blocking = false }, c:lua('return vim.api.nvim_get_mode()'))
      c:keys(' two<Esc>')
      h.eventually('the text', function()
        return c:text('a.txt') == 'one two\n'
      end)
    end,
  },
}
