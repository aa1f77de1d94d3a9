-- :AgentLs, its completion, and what happens around a turn.
local h = require('harness')

---@param c Child
---@param line string
local function completion(c, line)
  return c:lua("return vim.fn.getcompletion(..., 'cmdline')", line)
end

return {
  {
    'sub-commands and their arguments complete; an unknown one is named',
    function()
      local c = h.child()
      h.equal({ 'mode', 'model' }, completion(c, 'AgentLs mo'))
      h.equal({ 'hunk', 'file', 'all', 'decision' }, completion(c, 'AgentLs undo '))
      for _, name in ipairs({
        'prompt',
        'open',
        'stop',
        'mode',
        'model',
        'sessions',
        'follow',
        'keep',
        'undo',
        'restore',
        'log',
      }) do
        assert(vim.tbl_contains(completion(c, 'AgentLs '), name), name)
      end
      c:prompt('hello')
      h.equal({ 'read-only', 'ask', 'accept-edits', 'full-access' }, completion(c, 'AgentLs mode '))
      h.equal({ 'direct' }, completion(c, 'AgentLs model d'))
      h.equal({ '/read' }, completion(c, 'AgentLs prompt /rea'))
      c:cmd('AgentLs nonsense')
      h.has(c:lua('return _G.notes[1]'), 'unknown sub-command "nonsense"; expected one of answer, diff, follow')
    end,
  },
  {
    'events tell of the beginning and the end of turns',
    function()
      local c = h.child()
      c:prompt('hello')
      local events = c:lua('return _G.events')
      local id = c:lua("return require('agent_ls.hub').session().id")
      h.equal({
        { name = 'AgentLsTurnStart', data = { session_id = id } },
        { name = 'AgentLsTurnEnd', data = { session_id = id, stop_reason = 'end_turn' } },
      }, events)
    end,
  },
  {
    'a prompt takes the selected lines along, and runs none of them',
    function()
      local c = h.child({ files = { ['a.txt'] = 'one\n/write {"file_path":"made","content":"x"}\nthree\n' } })
      c:edit('a.txt')
      c:full_access()
      c:cmd('2,3AgentLs prompt what is this')
      h.eventually('the end of the turn', function()
        return c:count('AgentLsTurnEnd') == 1
      end)
      h.has(c:session(), '    [resource file://' .. c.dir .. '/a.txt#L2-L3]')
      h.equal(nil, c:disk('made'))
    end,
  },
  {
    'without a text the prompt is asked for; a visual map takes the selection',
    function()
      local c = h.child({ files = { ['a.txt'] = 'one\ntwo\n' } })
      c:edit('a.txt')
      c:lua([[vim.ui.input = function(_, done) done('about this') end]])
      c:cmd('xmap <F3> <Plug>(AgentLsPrompt)')
      c:keys('Vj<F3>')
      c:shows('    about this\n    [resource file://' .. c.dir .. '/a.txt#L1-L2]')
    end,
  },
  {
    'modes are chosen by name or from a list',
    function()
      local c = h.child()
      c:prompt('hello')
      c:lua('_G.choose = function(items) return items[1] end')
      c:cmd('AgentLs mode')
      h.eventually('read-only', function()
        return c:lua("return require('agent_ls').status()") == 'agent-ls: read-only'
      end)
      h.has(c:lua('return _G.asked.items[1]'), 'read-only: Reads files of the workspace')
      c:cmd('AgentLs mode nonsense')
      h.eventually('an error', function()
        return (c:lua('return _G.notes[1]') or ''):find('nonsense')
      end)
      c:cmd('AgentLs model direct')
      c:prompt('/write {"file_path":"made","content":"x"}')
      h.equal(nil, c:disk('made'))
    end,
  },
  {
    'stop ends a running command',
    function()
      local c = h.child()
      c:full_access()
      c:send('!echo begun; sleep 1000')
      c:shows('    begun')
      h.equal('agent-ls: works, full-access', c:lua("return require('agent_ls').status()"))
      c:cmd('AgentLs stop')
      c:shows('The turn ended: cancelled')
      h.equal('cancelled', c:lua('return _G.events[#_G.events].data.stop_reason'))
      h.equal('agent-ls: full-access', c:lua("return require('agent_ls').status()"))
    end,
  },
  {
    'an earlier session is shown as it was, and goes on',
    function()
      local c = h.child({ files = { ['a.txt'] = 'one\ntwo\n' } })
      c:full_access()
      c:prompt(h.edit('a.txt', 'two', '2') .. '\n!printf "%s\\n" out; exit 3')
      local before = c:session()
      c:lua("vim.lsp.get_clients({ name = 'agent_ls' })[1].stop()")
      c:shows('agent-ls has ended')
      c:lua('_G.choose = function(items) return items[1] end')
      c:cmd('AgentLs sessions')
      h.eventually('the session', function()
        return c:eval('&filetype') == 'agentls'
      end)
      h.equal(before, c:session())
      assert(c:lua('return _G.asked.items[1]'):find('^%d+%-%d+%-%d+ %d+:%d+  /read a%.txt'))
      c:prompt('/read a.txt')
      h.has(c:session(), '→ Read a.txt — completed\n    1: one\n    2: 2')
    end,
  },
  {
    'times are those of the clock of the user',
    function()
      for zone, times in pairs({
        ['UTC'] = { ['2026-01-02T03:04:05Z'] = '2026-01-02 03:04' },
        ['CET-1CEST'] = {
          ['2026-01-01T23:30:00.5Z'] = '2026-01-02 00:30',
          ['2026-07-01T12:00:00Z'] = '2026-07-01 14:00',
        },
      }) do
        local c = h.child({ env = { TZ = zone } })
        for utc, want in pairs(times) do
          h.equal(want, c:lua("return require('agent_ls.text').local_time(...)", utc), zone)
        end
        h.equal('soon', c:lua("return require('agent_ls.text').local_time('soon')"))
      end
    end,
  },
  {
    'a new session has a buffer of its own; the old one stays',
    function()
      local c = h.child()
      c:prompt('first')
      c:cmd('AgentLs open')
      h.eventually('the session', function()
        return c:eval('&filetype') == 'agentls'
      end)
      local first = c:eval('bufnr()')
      c:cmd('AgentLs new')
      h.eventually('another one', function()
        return c:eval('bufnr()') ~= first
      end)
      h.equal(2, c:lua('return #vim.api.nvim_list_wins()'), 'windows: it takes that of the old one')
      c:prompt('second')
      assert(not c:session():find('first'))
      h.has(c:lua('return table.concat(vim.api.nvim_buf_get_lines(..., 0, -1, true), "\\n")', first), 'first')
    end,
  },
  {
    'prompts of a running turn queue',
    function()
      local c = h.child()
      c:full_access()
      c:send('!while [ ! -e go ]; do sleep 0.02; done; echo one')
      c:send('!echo two')
      c:shows('while [ ! -e go ]')
      h.write(c.dir .. '/go', '')
      h.eventually('two turns', function()
        return c:count('AgentLsTurnEnd') == 2
      end)
      assert(c:session():find('    one\n.*    two\n'))
    end,
  },
  {
    'the statusline tells how full the context of a model is',
    function()
      local c = h.child()
      c:prompt('hello')
      c:lua([[require('agent_ls.hub').session():apply({ sessionUpdate = 'usage_update', used = 50, size = 200 })]])
      h.equal('agent-ls: ask, context 25%', c:lua("return require('agent_ls').status()"))
    end,
  },
  {
    'the log is opened',
    function()
      local c = h.child()
      c:cmd('AgentLs log')
      h.has(c:eval('expand("%:t")'), 'lsp.log')
    end,
  },
}
