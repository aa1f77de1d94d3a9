-- The session's buffer: cards as text, keys on cards, and no window that is not asked for.
local h = require('harness')

-- Puts the cursor of the session's window on a line.
---@param c Child
---@param line string plain text
local function on(c, line)
  h.equal(true, c:lua('return vim.fn.search("\\\\V" .. vim.fn.escape(..., "\\\\"), "w") > 0', line), line)
end

---@param c Child
local function open(c)
  c:cmd('AgentLs open')
  h.eventually('the window', function()
    return c:eval('&filetype') == 'agentls'
  end)
end

---@param c Child
local function layout(c)
  return c:lua([[
    local out = { vim.api.nvim_get_current_win() }
    for _, win in ipairs(vim.api.nvim_list_wins()) do
      table.insert(out, { win, vim.api.nvim_win_get_buf(win), vim.api.nvim_win_get_width(win),
        vim.api.nvim_win_get_height(win), vim.api.nvim_win_get_cursor(win) })
    end
    return out
  ]])
end

return {
  {
    'a prompt shows cards of all kinds',
    function()
      local c = h.child({ files = { ['a.txt'] = 'one\ntwo\n' } })
      c:full_access()
      c:prompt(table.concat({
        h.edit('a.txt', 'two', '2'),
        '!printf "\\033[31mred\\033[0m\\n"; exit 3',
        '/todo_new {"todos":[{"id":"a","content":"step","status":"in_progress"}]}',
        '/read no-such',
        'some *text*',
      }, '\n'))
      local text = c:session()
      for _, piece in ipairs({
        'You\n    /read a.txt',
        '→ Read a.txt — completed\n    1: one',
        '± Edit a.txt — completed\n    a.txt\n     one\n    -two\n    +2',
        '— completed, exit code 3\n    red',
        'Plan\n    [~] step',
        '→ Read no-such — failed',
        '5 calls: 4 completed, 1 failed.',
      }) do
        h.has(text, piece)
      end
    end,
  },
  {
    'lines are highlighted, messages as Markdown, and bodies fold',
    function()
      local script = {
        turns = {
          {
            steps = {
              { say = '# Head\n**bold** text\n\n' },
              { calls = { { name = 'read', args = { file_path = 'a.txt' } } } },
            },
          },
        },
      }
      local c = h.child({ files = { ['a.txt'] = '**plain**\n', ['s.json'] = vim.json.encode(script) } })
      c:lua(
        "require('agent_ls').setup({ cmd = { ..., 'lsp', '--model', 'script:s.json' }, root_markers = { 'no-such' } })",
        h.server
      )
      c:prompt('go')
      open(c)
      local function group_at(line)
        on(c, line)
        return c:lua([[return vim.fn.synIDattr(vim.fn.synID(vim.fn.line('.'), 3, 1), 'name')]])
      end
      h.equal('markdownBold', group_at('**bold**'))
      h.equal('agentlsBody', group_at('1: **plain**'))
      on(c, '→ Read a.txt')
      local groups = c:lua([[
        local groups = {}
        local ns = vim.api.nvim_get_namespaces()['agent_ls.view']
        local row = vim.fn.line('.') - 1
        for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, ns, { row, 0 }, { row, -1 }, { details = true })) do
          table.insert(groups, mark[4].hl_group)
        end
        return groups
      ]])
      h.equal({ 'AgentLsTitle', 'AgentLsCompleted' }, groups)
      c:keys('zc')
      h.eventually('a fold', function()
        return c:lua(
          "return vim.fn.foldclosed('.') == vim.fn.line('.') and vim.fn.foldclosedend('.') > vim.fn.line('.')"
        )
      end)
    end,
  },
  {
    'keys on a card: place, diff, input, output, moving',
    function()
      local c = h.child({ files = { ['a.txt'] = 'one\ntwo\nthree\n' } })
      c:edit('a.txt')
      c:full_access()
      c:prompt(h.edit('a.txt', 'three', '3') .. '\n!echo "out put"')
      open(c)
      c:cmd('normal gg')
      local titles = {}
      for i = 1, 4 do
        c:cmd('normal ]]')
        titles[i] = c:lua("return (vim.api.nvim_get_current_line():gsub(' — .*', ''))")
      end
      h.equal({ 'You', '→ Read a.txt', '± Edit a.txt', '$ echo "out put"' }, titles)
      c:cmd('normal go')
      h.equal(
        1,
        c:lua([[
        local n = 0
        for _, win in ipairs(vim.api.nvim_list_wins()) do
          if vim.bo[vim.api.nvim_win_get_buf(win)].buftype == 'terminal' then n = n + 1 end
        end
        return n
      ]])
      )
      h.equal('agentls', c:eval('&filetype'), 'the focus stays')
      c:keys('K')
      h.eventually('the input', function()
        return c:lua('return #vim.api.nvim_list_wins()') == 4 and c:screen():find('│echo "out put"', 1, true)
      end)
      c:keys('[[]c')
      h.eventually('a change', function()
        return c:lua('return vim.api.nvim_get_current_line()') == '    -three'
      end)
      c:keys('<CR>')
      h.eventually('the place', function()
        return c:eval('expand("%:t")') == 'a.txt' and c:eval('line(".")') == 3
      end)
    end,
  },
  {
    'a diff has a tab page of its own, and closing it brings all windows back',
    function()
      local c = h.child({ files = { ['a.txt'] = 'one\ntwo\n' } })
      c:edit('a.txt')
      c:cmd('split')
      c:cmd('resize 7')
      c:full_access()
      c:prompt(h.edit('a.txt', 'two', '2'))
      open(c)
      on(c, '± Edit')
      local before = layout(c)
      c:keys('gd')
      h.eventually('a tab page', function()
        return c:eval("tabpagenr('$')") == 2
      end)
      local texts = c:lua([[
        local texts = {}
        for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
          assert(vim.wo[win].diff, 'diff mode')
          table.insert(texts, table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(win), 0, -1, true), '|'))
        end
        return texts
      ]])
      h.equal({ 'one|two', 'one|2' }, texts)
      c:keys('q')
      h.eventually('the tab page is closed', function()
        return c:eval("tabpagenr('$')") == 1
      end)
      h.equal(before, layout(c))
    end,
  },
  {
    'a turn opens no window and takes no focus; only a cursor at the end follows',
    function()
      local c = h.child({ files = { ['a.txt'] = 'one\n' } })
      c:edit('a.txt')
      c:full_access()
      c:prompt('!seq 5')
      h.equal(1, c:lua('return #vim.api.nvim_list_wins()'))
      open(c)
      c:cmd('wincmd p')
      local win = c:lua('return vim.fn.win_getid(vim.fn.winnr("#"))')
      c:prompt('!seq 5')
      c:session()
      h.equal('a.txt', c:eval('expand("%:t")'))
      local last = c:lua('return vim.api.nvim_buf_line_count(vim.api.nvim_win_get_buf(...))', win)
      h.equal(last, c:lua('return vim.api.nvim_win_get_cursor(...)[1]', win), 'the end is followed')
      c:lua('vim.api.nvim_win_set_cursor(..., { 2, 0 })', win)
      c:prompt('!seq 5')
      c:session()
      h.equal(2, c:lua('return vim.api.nvim_win_get_cursor(...)[1]', win), 'a cursor elsewhere stays')
    end,
  },
  {
    'its window has the size that is set, and evens out no others',
    function()
      local c = h.child({ files = { ['a.txt'] = 'one\n' }, options = { size = 50 } })
      c:edit('a.txt')
      c:cmd('split')
      c:cmd('resize 7')
      open(c)
      h.equal(50, c:eval('winwidth(0)'))
      h.equal(7, c:eval('winheight(1)'))
    end,
  },
  {
    'a fence around what a card shows is left out',
    function()
      local c = h.child()
      c:cmd('AgentLs mode read-only')
      c:prompt('!ls')
      h.has(c:session(), '$ ls — failed\n    Error: the mode "read-only"')
      local function unfenced(s)
        return c:lua("return require('agent_ls.text').unfenced(...)", s)
      end
      h.equal('a\n```\nb', unfenced('````\na\n```\nb\n````\n'))
      for _, s in ipairs({ 'a', '', '```\na', '```\na\n````', 'a\n```\nb\n```' }) do
        h.equal(s, unfenced(s))
      end
    end,
  },
  {
    'on a narrow screen it leaves half to the files',
    function()
      local c = h.child({ files = { ['a.txt'] = 'one\n' } })
      c:cmd('set columns=80')
      c:edit('a.txt')
      open(c)
      h.equal(40, c:eval('winwidth(0)'))
    end,
  },
  {
    'a new session says how to go on, and its keys are listed',
    function()
      local c = h.child()
      open(c)
      h.equal('agent-ls in ' .. vim.fn.fnamemodify(c.dir, ':~') .. ' (p: prompt, g?: all keys)', c:session())
      c:keys('g?')
      h.eventually('the keys', function()
        return c:screen():find('gd     Show the diff of the card in two windows', 1, true)
      end)
    end,
  },
  {
    'what a key cannot do is said, with where it can',
    function()
      local c = h.child()
      c:prompt('hello')
      c:cmd('AgentLs mode accept-edits')
      c:prompt('/write {"file_path":"b.txt","content":"b\\n"}')
      open(c)
      local function told(key, at)
        c:lua('vim.fn.search(...)', at)
        local before = #c:lua('return _G.notes')
        c:keys(key)
        return h.eventually('a message', function()
          return c:lua('return _G.notes')[before + 1]
        end)
      end
      h.equal('agent-ls: this is no call of a tool', told('K', '^You'))
      h.equal('agent-ls: its input is what the card shows', told('K', '^± Write'))
      h.equal('agent-ls: nothing is asked', told('a', '^± Write'))
      c:send('!true')
      c:shows('asks for permission')
      h.equal('agent-ls: nothing is asked here; :AgentLs answer goes to the question', told('a', '^± Write'))
      c:cmd('AgentLs diff')
      h.eventually('what is wrong with the buffer', function()
        local notes = c:lua('return _G.notes')
        return notes[#notes] == 'agent-ls: this buffer is no file; go to the one to compare'
      end)
    end,
  },
  {
    'output comes live, with colours in its terminal',
    function()
      local c = h.child()
      c:full_access()
      open(c)
      c:send('!printf "\\033[31mred\\033[0m\\n"; while [ ! -e go ]; do sleep 0.02; done; echo late')
      c:shows('    red')
      on(c, '$ printf')
      c:keys('go')
      local buf = h.eventually('a terminal', function()
        return c:lua([[
          for _, buf in ipairs(vim.api.nvim_list_bufs()) do
            if vim.bo[buf].buftype == 'terminal' then return buf end
          end
        ]])
      end)
      local function shown()
        return c:lua("return table.concat(vim.api.nvim_buf_get_lines(..., 0, -1, true), '\\n')", buf)
      end
      h.eventually('what was there', function()
        return shown():find('red')
      end)
      assert(not shown():find('\27'), 'control sequences in the text')
      h.write(c.dir .. '/go', '')
      h.eventually('what came later', function()
        return shown():find('late\n+%[exit code 0%]')
      end)
      c:shows('— completed, exit code 0')
    end,
  },
}
