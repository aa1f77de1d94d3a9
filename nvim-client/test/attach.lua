-- Starting the server, attaching buffers, options, health, help.
local h = require('harness')

-- The names of the files that the server has open.
---@param c Child
local function attached(c)
  return c:lua([[
    local names = {}
    for _, client in ipairs(vim.lsp.get_clients({ name = 'agent_ls' })) do
      for buf in pairs(client.attached_buffers) do
        table.insert(names, vim.fs.basename(vim.api.nvim_buf_get_name(buf)))
      end
    end
    table.sort(names)
    return names
  ]])
end

---@param c Child
---@param want string[]
local function attaches(c, want)
  h.eventually('attached: ' .. vim.inspect(want), function()
    return vim.deep_equal(want, attached(c))
  end)
end

return {
  {
    'nothing runs or is loaded before it is used',
    function()
      local c = h.child({ files = { ['a.txt'] = 'a\n' } })
      c:edit('a.txt')
      h.equal({}, c:lua('return vim.lsp.get_clients({ _uninitialized = true })'))
      h.equal('', c:lua("return require('agent_ls').status()"))
      h.equal(nil, c:lua("return package.loaded['agent_ls.hub']"))
      h.equal(nil, c:lua('return _G.agent_ls'), 'a global')
    end,
  },
  {
    'the first command attaches the files that are open, and those to come',
    function()
      local c = h.child({ files = { ['a.txt'] = 'a\n', ['b.txt'] = 'b\n' } })
      c:edit('a.txt')
      c:cmd('help')
      c:cmd('AgentLs open')
      attaches(c, { 'a.txt' })
      c:cmd('wincmd p')
      c:edit('b.txt')
      attaches(c, { 'a.txt', 'b.txt' })
      c:edit('new.txt')
      attaches(c, { 'a.txt', 'b.txt', 'new.txt' })
    end,
  },
  {
    'with autostart the first file starts the server',
    function()
      local c = h.child({ files = { ['a.txt'] = 'a\n' }, options = { autostart = true } })
      c:edit('a.txt')
      attaches(c, { 'a.txt' })
    end,
  },
  {
    'two commands at once make one server and one session',
    function()
      local c = h.child()
      c:lua([[require('agent_ls').prompt('hello'); require('agent_ls').prompt('again')]])
      h.eventually('two turns', function()
        return c:count('AgentLsTurnEnd') == 2
      end)
      h.equal(1, c:lua("return #vim.lsp.get_clients({ name = 'agent_ls' })"))
      h.equal(2, select(2, c:session():gsub('You\n', '')))
    end,
  },
  {
    'vim.lsp.enable starts it too',
    function()
      if vim.fn.has('nvim-0.11') == 0 then
        return
      end
      local c = h.child({ files = { ['a.txt'] = 'a\n' } })
      c:lua("vim.lsp.enable('agent_ls')")
      c:edit('a.txt')
      attaches(c, { 'a.txt' })
      c:prompt('/ls')
      h.equal(1, c:lua("return #vim.lsp.get_clients({ name = 'agent_ls' })"))
    end,
  },
  {
    'unknown options and wrong ones are named',
    function()
      local c = h.child()
      local function err(options)
        return c:lua("local ok, err = pcall(require('agent_ls').setup, ...) return tostring(err)", options)
      end
      h.has(err({ sise = 1 }), 'unknown option "sise"; expected one of autostart, card_lines')
      h.has(err({ size = 'x' }), 'option "size": expected a number, got a string')
      h.has(err({ position = 'up' }), 'expected left, right, top or bottom, got "up"')
    end,
  },
  {
    'a server that is missing is said, with what to do',
    function()
      local c = h.child({ options = { cmd = { 'no-such-program' } } })
      c:send('hello')
      h.has(table.concat(c:lua('return _G.notes'), '\n'), ':checkhealth agent_ls')
      c:cmd('checkhealth agent_ls')
      h.has(c:text(), 'the server "no-such-program" is not found')
    end,
  },
  {
    'a server that does not start because of a setting is said, with where the reason is',
    function()
      local c = h.child({ env = { AGENT_LS_MODE = 'nonsense' } })
      c:cmd('AgentLs open')
      h.eventually('what is told', function()
        local notes = c:lua('return _G.notes')
        return vim.tbl_contains(
          notes,
          'agent-ls: the server did not start (exit code 2); :checkhealth agent_ls says why'
        )
      end)
      c:cmd('checkhealth agent_ls')
      h.has(c:text(), '"nonsense" is not one of read-only, ask')
    end,
  },
  {
    'checkhealth tells what runs',
    function()
      local c = h.child({ files = { ['a.txt'] = 'a\n' } })
      c:edit('a.txt')
      c:prompt('hello')
      c:cmd('checkhealth agent_ls')
      local text = c:text()
      h.has(text, h.server)
      h.has(text, 'running in ' .. c.dir .. ', attached files: 1')
      assert(not text:find('ERROR'), text)
    end,
  },
  {
    'the maps and the statusline of README.md work',
    function()
      local c = h.child()
      c:lua(assert(h.read(h.plugin .. '/README.md'):match('```lua\n(.-)```')))
      h.equal('<Plug>(AgentLsNext)', c:eval("maparg(']a', 'n')"))
      c:prompt('hello')
      h.has(c:lua('return vim.api.nvim_eval_statusline(vim.o.statusline, {}).str'), 'agent-ls: ask')
    end,
  },
  {
    'the help has its tags, and names all sub-commands, options, maps and keys',
    function()
      local c = h.child()
      h.write(c.dir .. '/doc/agent-ls.txt', assert(h.read(h.plugin .. '/doc/agent-ls.txt')))
      c:cmd('helptags ' .. c.dir .. '/doc')
      c:cmd('set runtimepath^=' .. c.dir)
      c:cmd('help agent-ls')
      local text = c:text()
      local words = c:lua([[
        local words = vim.tbl_map(function(key) return key[1] end, require('agent_ls.keys').keys)
        vim.list_extend(words, vim.tbl_keys(require('agent_ls.config').get()))
        for name in pairs(require('agent_ls.commands').commands) do table.insert(words, ':AgentLs ' .. name) end
        for _, map in ipairs(vim.api.nvim_get_keymap('n')) do
          if map.lhs:find('^<Plug>%(AgentLs') then table.insert(words, map.lhs) end
        end
        for name in pairs(vim.api.nvim_get_hl(0, {})) do
          if name:find('^AgentLs') then table.insert(words, name) end
        end
        return words
      ]])
      for _, word in ipairs(words) do
        h.has(text, word)
      end
    end,
  },
}
