-- Following the agent.
local h = require('harness')

local numbered = (function()
  local lines = {}
  for i = 1, 60 do
    lines[i] = 'line ' .. i
  end
  return table.concat(lines, '\n') .. '\n'
end)()

-- A child that follows, with the user in a.txt.
local function following()
  local c = h.child({ files = { ['a.txt'] = 'mine\n', ['b.txt'] = numbered, ['c.txt'] = numbered } })
  c:edit('a.txt')
  c:full_access()
  c:cmd('AgentLs follow')
  return c
end

-- Waits until a place is followed to.
---@param c Child
---@param name string
---@param line integer
local function at(c, name, line)
  h.eventually(('at line %d of %s'):format(line, name), function()
    return c:lua(
      [[
      local name, line = ...
      local win = require('agent_ls.follow').window()
      if not win then return false end
      local buf = vim.api.nvim_win_get_buf(win)
      return vim.fs.basename(vim.api.nvim_buf_get_name(buf)) == name and vim.api.nvim_win_get_cursor(win)[1] == line
    ]],
      name,
      line
    )
  end)
end

return {
  {
    'nothing is followed until it is asked for',
    function()
      local c = h.child({ files = { ['b.txt'] = numbered } })
      c:full_access()
      c:prompt('/read {"file_path":"b.txt","start_line":10}')
      h.equal(1, c:lua('return #vim.api.nvim_list_wins()'))
      h.equal('', c:eval('bufname()'))
    end,
  },
  {
    'one window is reused, the line is marked, and the user stays where they are',
    function()
      local c = following()
      c:keys('A typing')
      local win = c:lua('return vim.api.nvim_get_current_win()')
      c:prompt('/read {"file_path":"b.txt","start_line":10}')
      at(c, 'b.txt', 10)
      h.equal(2, c:lua('return #vim.api.nvim_list_wins()'))
      c:prompt(h.edit('c.txt', 'line 30\n', 'thirty\n'))
      at(c, 'c.txt', 30)
      h.equal(2, c:lua('return #vim.api.nvim_list_wins()'))
      h.equal(win, c:lua('return vim.api.nvim_get_current_win()'))
      h.equal('i', c:eval('mode()'))
      c:keys('!<Esc>')
      h.eventually('what was typed', function()
        return c:text('a.txt') == 'mine typing!\n'
      end)
      h.equal('agent-ls: full-access, 1 to review, follow', c:lua("return require('agent_ls').status()"))
      c:cmd('AgentLs follow')
      h.equal(1, c:lua('return #vim.api.nvim_list_wins()'))
    end,
  },
  {
    'it pauses when the user goes there, until the next turn',
    function()
      local c = following()
      c:prompt('/read {"file_path":"b.txt","start_line":10}')
      at(c, 'b.txt', 10)
      c:keys('<C-w>j')
      h.eventually('a pause', function()
        return c:lua("return require('agent_ls').status()"):find('follow paused')
      end)
      c:keys('<C-w>k')
      c:send('!while [ ! -e go ]; do sleep 0.02; done\n/read {"file_path":"c.txt","start_line":20}')
      h.eventually('a turn', function()
        return c:lua("return require('agent_ls').status()"):find('works')
      end)
      c:keys('<C-w>j')
      h.eventually('a pause', function()
        return c:lua("return require('agent_ls').status()"):find('follow paused')
      end)
      h.write(c.dir .. '/go', '')
      c:shows('2 calls: 2 completed')
      at(c, 'b.txt', 10)
      c:keys('<C-w>k')
      c:prompt('/read {"file_path":"c.txt","start_line":25}')
      at(c, 'c.txt', 25)
    end,
  },
  {
    "a window with 'winfixbuf' keeps its buffer, and goes to places within it",
    function()
      local c = following()
      c:prompt('/read {"file_path":"b.txt","start_line":10}')
      at(c, 'b.txt', 10)
      c:lua("vim.wo[require('agent_ls.follow').window()].winfixbuf = true")
      c:prompt('/read {"file_path":"c.txt","start_line":20}')
      c:prompt('/read {"file_path":"b.txt","start_line":40}')
      at(c, 'b.txt', 40)
      h.equal('', vim.trim(c:eval("execute('messages')")))
      h.equal(2, c:lua('return #vim.api.nvim_list_wins()'))
    end,
  },
}
