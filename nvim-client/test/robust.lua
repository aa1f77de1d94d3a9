-- A server that crashes, an editor that leaves, and very much output.
local h = require('harness')

return {
  {
    'a crash in the middle of a turn leaves the editor clean, and the next prompt starts anew',
    function()
      local c = h.child({ files = { ['a.txt'] = 'one\ntwo\n' } })
      c:edit('a.txt')
      c:cmd('AgentLs mode accept-edits')
      c:prompt(h.edit('a.txt', 'two', '2'))
      h.eventually('a mark', function()
        return c:lua("return require('agent_ls.review').count()") == 1
      end)
      c:send('!sleep 1000')
      c:shows('asks for permission')
      c:keys('A mine<Esc>')
      local children = c:lua("return vim.fn.system({ 'pgrep', '-P', tostring(vim.uv.os_getpid()) })")
      local pid = tonumber(children:match('%d+'))
      vim.uv.kill(assert(pid, 'the server'), 'sigkill')
      c:shows('agent-ls has ended (signal 9)')
      local session = c:session()
      h.has(session, '$ sleep 1000 — failed')
      assert(not session:find('Allow this?'))
      h.equal('AgentLsTurnEnd', c:lua('return _G.events[#_G.events].name'))
      h.equal(0, c:lua("return require('agent_ls.review').count()"))
      h.equal(
        0,
        c:lua(
          [[return #vim.api.nvim_buf_get_extmarks(0, vim.api.nvim_get_namespaces()['agent_ls.review'], 0, -1, {})]]
        )
      )
      h.equal('one mine\n2\n', c:text())
      c:cmd('AgentLs mode full-access')
      c:prompt('/read a.txt')
      h.has(c:session(), '    1: one mine')
      h.equal('', vim.trim(c:eval("execute('messages')")))
    end,
  },
  {
    ':wqa leaves at once, with a question, a terminal and a diff open',
    function()
      local c = h.child({ files = { ['a.txt'] = 'one\n' } })
      c:edit('a.txt')
      c:full_access()
      c:send('!echo begun; sleep 1000')
      c:shows('    begun')
      c:lua([[
        local session = require('agent_ls.hub').session()
        require('agent_ls.terminal').open(session.items[2])
        require('agent_ls.view').open(session, false)
        require('agent_ls.diff').card({ { path = 'x', oldText = 'a', newText = 'b' } })
      ]])
      c:cmd('AgentLs follow')
      c:cmd('tabfirst')
      c:lua([[vim.api.nvim_buf_set_lines(vim.fn.bufnr('a.txt'), 0, 1, true, { 'typed' })]])
      vim.rpcnotify(c.job, 'nvim_command', 'wqa')
      h.equal({ 0 }, vim.fn.jobwait({ c.job }, h.patience))
      h.equal('typed\n', c:disk('a.txt'))
    end,
  },
  {
    'keys are answered while 35,000 lines come, and memory is bounded',
    function()
      local c = h.child({ files = { ['a.txt'] = '' } })
      c:edit('a.txt')
      c:full_access()
      c:cmd('AgentLs open')
      h.eventually('the session', function()
        return c:eval('&filetype') == 'agentls'
      end)
      c:cmd('wincmd p')
      -- A busy machine makes all things slow; what the plugin itself takes is told by its time on the processor.
      c:lua([[
        _G.longest = 0
        local function timed(module, name)
          local run = module[name]
          module[name] = function(...)
            local begun = os.clock()
            run(...)
            _G.longest = math.max(_G.longest, os.clock() - begun)
          end
        end
        timed(require('agent_ls.hub'), 'update')
        timed(require('agent_ls.view'), 'flush')
        collectgarbage()
      ]])
      local before = c:lua("return collectgarbage('count')")
      c:keys('i')
      c:send("!seq -f 'line %.0f of very much output that goes on and on and on and on' 35000")
      local times, n = {}, 0
      while c:count('AgentLsTurnEnd') == 0 do
        n = n + 1
        local begun = vim.uv.hrtime()
        c:keys('x')
        h.eventually('key ' .. n, function()
          return #c:lua('return vim.api.nvim_get_current_line()') >= n
        end)
        times[n] = (vim.uv.hrtime() - begun) / 1e6
      end
      c:lua('collectgarbage()')
      local grown = c:lua("return collectgarbage('count')") - before
      table.sort(times)
      local median, longest, busy = times[math.ceil(n / 2)], times[n], c:lua('return _G.longest') * 1000
      local figures =
        '      %d keys: median %.1f ms, longest %.1f ms; longest work %.1f ms; Lua memory grew by %.1f MB\n'
      io.stdout:write(figures:format(n, median, longest, busy, grown / 1024))
      assert(median < 50, 'the median of the keys')
      assert(busy > 0 and busy < 50, 'the longest work between two keys')
      assert(grown < 8 * 1024, 'memory')
      h.has(c:session(), '    line 35000 of very much output')
      h.has(c:session(), 'lines before this; go shows the terminal)')
      assert(c:lua('local s = require("agent_ls.hub").session() return s.items[2].output.bytes') <= 2 * 1024 * 1024)
    end,
  },
}
