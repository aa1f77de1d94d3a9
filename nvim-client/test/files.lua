-- Files: edits into buffers, saving, undo, what commands change, and typing meanwhile.
local h = require('harness')

-- A child with a file open and all allowed.
---@param text string
local function with_file(text)
  local c = h.child({ files = { ['a.txt'] = text } })
  c:edit('a.txt')
  c:full_access()
  return c
end

return {
  {
    'an edit of a buffer with unsaved text keeps it, and is saved for commands',
    function()
      local c = with_file('one\ntwo\nthree\n')
      c:keys('Athe user<Esc>')
      h.eventually('typed', function()
        return c:text() == 'onethe user\ntwo\nthree\n'
      end)
      c:prompt(h.edit('a.txt', 'three', '3') .. '\n!cat a.txt')
      h.equal('onethe user\ntwo\n3\n', c:text())
      h.equal(c:text(), c:disk('a.txt'))
      h.has(c:session(), '    onethe user\n    two\n    3')
      h.equal(false, c:lua('return vim.bo.modified') or false)
    end,
  },
  {
    'an edit of the agent is one step of undo, apart from what the user typed before and after',
    function()
      local c = with_file('one\ntwo\nthree\nfour\n')
      c:keys('ccfirst<Esc>')
      c:prompt(
        '/read a.txt\n/edit {"file_path":"a.txt","edits":[{"old_string":"two","new_string":"2"},{"old_string":"four","new_string":"4"}]}'
      )
      c:keys('Go5<Esc>')
      h.eventually('typed', function()
        return c:text() == 'first\n2\nthree\n4\n5\n'
      end)
      local function undone(want)
        c:keys('u')
        h.eventually('undone: ' .. want, function()
          return c:text() == want
        end)
      end
      undone('first\n2\nthree\n4\n')
      undone('first\ntwo\nthree\nfour\n')
      undone('one\ntwo\nthree\nfour\n')
    end,
  },
  {
    'a save that would overwrite a newer file is refused, and nothing is asked',
    function()
      local c = with_file('one\n')
      c:lua([[vim.api.nvim_buf_set_lines(0, 0, 1, true, { 'typed' })]])
      h.write(c.dir .. '/a.txt', 'changed by another program\n')
      local uri = c:lua('return vim.uri_from_bufnr(0)')
      local err = c:lua(
        [[
        local _, err = require('agent_ls.buffers').save_document(nil, { uri = ... })
        return err and err.message
      ]],
        uri
      )
      h.has(err or 'no error', 'has changed on disk since it was read')
      h.equal('changed by another program\n', c:disk('a.txt'))
      h.equal('typed\n', c:text())
    end,
  },
  {
    'what a command changes is read again, and cursors stay at their text',
    function()
      local c = with_file(('x\n'):rep(50) .. 'here\n' .. ('y\n'):rep(50))
      c:cmd('normal 51gg')
      c:prompt("!sed -i -e '1i new\\nlines' -e '$a last' a.txt")
      h.eventually('the new text', function()
        return c:text() == c:disk('a.txt')
      end)
      h.equal('here', c:lua('return vim.api.nvim_get_current_line()'))
      c:keys('u')
      h.eventually('the old text', function()
        return #c:text() == 205
      end)
    end,
  },
  {
    "'noautoread' and unsaved text are respected, without a question",
    function()
      local c = with_file('one\n')
      c:cmd('setlocal noautoread')
      c:prompt('!echo two > a.txt')
      h.equal('one\n', c:text())
      c:cmd('setlocal autoread')
      c:lua([[vim.api.nvim_buf_set_lines(0, 0, 1, true, { 'mine' })]])
      c:prompt('!echo three > a.txt')
      h.equal('mine\n', c:text())
      h.equal('three\n', c:disk('a.txt'))
    end,
  },
  {
    'in Insert mode the buffer is read again when the mode ends',
    function()
      local c = with_file('one\n')
      c:keys('i')
      h.eventually('Insert mode', function()
        return c:eval('mode()') == 'i'
      end)
      c:prompt('!echo two > a.txt')
      h.equal('one\n', c:text('a.txt'))
      c:keys('<Esc>')
      h.eventually('the new text', function()
        return c:text('a.txt') == 'two\n'
      end)
    end,
  },
  {
    'an edit for another version is refused, as is one of a buffer that cannot be changed',
    function()
      local c = with_file('one\n')
      local function apply(version)
        return c:lua(
          [[
          local edit = { range = { start = { line = 0, character = 0 }, ['end'] = { line = 0, character = 3 } }, newText = 'two' }
          local document = { uri = vim.uri_from_bufnr(0), version = ... }
          local params = { edit = { documentChanges = { { textDocument = document, edits = { edit } } } } }
          return require('agent_ls.buffers').apply_edit(nil, params, { client_id = vim.lsp.get_clients()[1].id })
        ]],
          version
        )
      end
      local version = c:lua('return vim.lsp.util.buf_versions[vim.api.nvim_get_current_buf()]')
      h.has(apply(version + 1).failureReason, 'is at version')
      c:cmd('setlocal nomodifiable')
      h.has(apply(version).failureReason, 'modifiable')
      c:cmd('setlocal modifiable')
      h.equal({ applied = true }, apply(version))
      h.equal('two\n', c:text())
      h.equal('', vim.trim(c:eval("execute('messages')")), 'nothing is printed')
    end,
  },
  {
    'typing in the file that the agent edits: both survive, the cursor and the focus stay',
    function()
      local lines = {}
      for i = 1, 40 do
        lines[i] = 'line ' .. i
      end
      local c = with_file(table.concat(lines, '\n') .. '\n')
      c:cmd('AgentLs open')
      h.eventually('the session', function()
        return c:eval('&filetype') == 'agentls'
      end)
      c:cmd('wincmd p')
      c:cmd('normal 20gg')
      local win = c:lua('return vim.api.nvim_get_current_win()')
      local prompt, calls = {}, 12
      for i = 1, calls do
        local line = i % 2 == 0 and i or 40 - i
        prompt[i] = h.edit('a.txt', ('line %d\n'):format(line), ('agent %d\nand one more\n'):format(line))
      end
      c:keys('A')
      c:send(table.concat(prompt, '\n'))
      local typed = ''
      h.eventually('the end of the turn', function()
        if #typed < 400 then
          local key = string.char(97 + #typed % 26)
          typed = typed .. key
          c:keys(key)
        end
        h.equal('i', c:eval('mode()'))
        h.equal(win, c:lua('return vim.api.nvim_get_current_win()'))
        return c:count('AgentLsTurnEnd') > 0
      end)
      c:keys('!<Esc>')
      local line = 'line 20' .. typed .. '!'
      h.eventually('Normal mode', function()
        return c:eval('mode()') == 'n'
      end)
      h.has(c:text('a.txt'), '\n' .. line .. '\n')
      h.equal(line, c:lua('return vim.api.nvim_get_current_line()'))
      -- A key may come between an edit and its buffer twice in a row; then the call fails and has changed nothing.
      local made = select(2, c:session():gsub('± Edit a.txt — completed', ''))
      h.equal(made, select(2, c:text('a.txt'):gsub('agent %d+\nand one more\n', '')), 'edits made')
      assert(made >= calls / 2, made .. ' edits made')
      for err in c:session():gmatch('Error: [^\n]*') do
        h.has(err, 'was changed in the editor while the edit was on its way')
      end
      h.equal('', vim.trim(c:eval("execute('messages')")))
    end,
  },
}
