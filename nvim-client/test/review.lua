-- What is to be reviewed: marks in files, keeping and undoing, lists and diffs.
local h = require('harness')

local lines = {}
for i = 1, 30 do
  lines[i] = 'line ' .. i
end
local numbered = table.concat(lines, '\n') .. '\n'

-- A child in whose file lines 3 and 20 are changed and line 10 is gone.
local function changed()
  local c = h.child({ files = { ['a.txt'] = numbered, ['b.txt'] = 'b\n' } })
  c:edit('a.txt')
  c:full_access()
  local edits =
    { { old_string = 'line 3\n', new_string = 'three\nand more\n' }, { old_string = 'line 10\n', new_string = '' } }
  table.insert(edits, { old_string = 'line 20\n', new_string = 'twenty\n' })
  c:prompt('/read a.txt\n/edit ' .. vim.json.encode({ file_path = 'a.txt', edits = edits }))
  h.eventually('three hunks', function()
    return c:lua("return require('agent_ls.review').count()") == 3
  end)
  return c
end

---@param c Child
---@param count integer
local function pending(c, count)
  h.eventually(count .. ' hunks', function()
    return c:lua("return require('agent_ls.review').count()") == count
  end)
end

return {
  {
    'changed lines are marked, removed ones are shown',
    function()
      local c = changed()
      local marks = c:lua([[
        local out = {}
        local ns = vim.api.nvim_get_namespaces()['agent_ls.review']
        for _, m in ipairs(vim.api.nvim_buf_get_extmarks(0, ns, 0, -1, { details = true })) do
          local removed = {}
          for _, line in ipairs(m[4].virt_lines or {}) do table.insert(removed, line[1][1]) end
          table.insert(out, { m[2], m[4].end_row, table.concat(removed, '|') })
        end
        return out
      ]])
      h.equal({ { 2, 3, 'line 3' }, { 10, 10, 'line 10' }, { 19, 19, 'line 20' } }, marks)
      h.has(c:screen(), '▌ three\n▌ and more')
      h.has(c:screen(), '  line 3\n▌ three')
    end,
  },
  {
    'hunks are kept and undone in any order, and decisions taken back',
    function()
      local c = changed()
      c:cmd('normal gg')
      c:lua("require('agent_ls').go(1)")
      h.equal(3, c:eval('line(".")'))
      c:lua("require('agent_ls').go(1)")
      h.equal(11, c:eval('line(".")'))
      c:lua("require('agent_ls').go(-1)")
      c:cmd('AgentLs undo')
      pending(c, 2)
      assert(not c:text():find('three'))
      h.has(c:disk('a.txt'), 'line 3\n')
      c:cmd('normal 19gg')
      c:keys('<Plug>(AgentLsKeep)')
      pending(c, 1)
      h.has(c:disk('a.txt'), 'twenty\n')
      c:cmd('AgentLs undo decision')
      pending(c, 2)
      c:cmd('AgentLs undo file')
      pending(c, 0)
      h.equal(numbered, c:text())
      h.equal(numbered, c:disk('a.txt'))
      h.equal(
        '',
        c:lua([[
        local ns = vim.api.nvim_get_namespaces()['agent_ls.review']
        return #vim.api.nvim_buf_get_extmarks(0, ns, 0, -1, {}) > 0 and 'marks' or ''
      ]])
      )
    end,
  },
  {
    'all hunks of all files are in the quickfix list; keep all empties it',
    function()
      local c = changed()
      c:prompt(h.edit('b.txt', 'b', 'B'))
      pending(c, 4)
      c:cmd('AgentLs review')
      local list = c:lua([[return vim.tbl_map(function(item)
        return { vim.fs.basename(vim.api.nvim_buf_get_name(item.bufnr)), item.lnum, item.text }
      end, vim.fn.getqflist())]])
      h.equal({
        { 'a.txt', 3, '+ three' },
        { 'a.txt', 11, '- line 10' },
        { 'a.txt', 20, '+ twenty' },
        { 'b.txt', 1, '- b' },
      }, list)
      c:cmd('AgentLs keep all')
      pending(c, 0)
    end,
  },
  {
    ':AgentLs diff shows the file beside its base, in a tab page of its own',
    function()
      local c = changed()
      c:cmd('AgentLs diff')
      h.eventually('a tab page', function()
        return c:eval("tabpagenr('$')") == 2
      end)
      h.equal('a.txt', c:eval('expand("%:t")'))
      h.equal(
        numbered,
        c:lua([[
        local wins = vim.api.nvim_tabpage_list_wins(0)
        return table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(wins[1]), 0, -1, true), '\n') .. '\n'
      ]])
      )
      c:keys('<C-w>hq')
      h.eventually('one tab page', function()
        return c:eval("tabpagenr('$')") == 1
      end)
      h.equal(0, c:eval('&diff'))
    end,
  },
  {
    'what is pending is shown again by the next server',
    function()
      local c = changed()
      c:lua("vim.lsp.get_clients({ name = 'agent_ls' })[1].stop()")
      pending(c, 0)
      c:cmd('AgentLs sessions')
      pending(c, 3)
    end,
  },
  {
    ':AgentLs restore brings the files back to before a prompt',
    function()
      local c = changed()
      c:lua('_G.choose = function(items) return items[#items] end')
      c:cmd('AgentLs restore')
      h.eventually('the old text', function()
        return c:text() == numbered and c:disk('a.txt') == numbered
      end)
    end,
  },
}
