-- Neovim without the plugin: the snippet of docs/lsp.md against the real server.
local h = require('harness')

local snippet = h.read(vim.env.SNIPPET)

---@param c Child
---@param text string
local function agent(c, text)
  local before = #c:lua('return _G.notes')
  c:cmd('Agent ' .. text)
  return h.eventually('the answer of ' .. text, function()
    return c:lua('return _G.notes')[before + 1]
  end)
end

return {
  {
    'a prompt, an edit that arrives beside unsaved text, and a hunk undone',
    function()
      local c = h.child({ plain = true, files = { ['a.txt'] = 'one\ntwo\nthree\n' } })
      c:lua(snippet) -- as init.lua does: before there is a file
      c:edit('a.txt')
      h.eventually('the server', function()
        return c:lua('return #vim.lsp.get_clients({ bufnr = 0 })') == 1
      end)
      h.has(agent(c, '/read a.txt'), '2: two')
      c:keys('Atyped<Esc>')
      h.eventually('typed', function()
        return c:text() == 'onetyped\ntwo\nthree\n'
      end)
      c:lua('_G.choose = function(items) return items[1] end')
      h.has(agent(c, '/edit {"file_path":"a.txt","old_string":"two","new_string":"2"}'), '1 completed')
      h.equal('onetyped\n2\nthree\n', c:text())
      local asked = c:lua('return _G.asked')
      h.has(asked.prompt, '-two\n+2')
      h.equal('Allow', asked.items[1])
      h.equal('one\ntwo\nthree\n', c:disk('a.txt'), 'what is not saved')

      c:lua("_G.choose = function(items) return items[2] end")
      c:cmd('normal 2gg')
      c:lua('vim.lsp.buf.code_action()')
      h.eventually('undone', function()
        return c:text() == 'onetyped\ntwo\nthree\n'
      end)
      h.has(c:lua('return _G.asked').items[2], 'Undo this change')
    end,
  },
}
