--- The keys of a session's buffer. Each is a function that works on the card under the cursor.
local config = require('agent_ls.config')
local notify = require('agent_ls.notify')

local M = {}

---@return agent_ls.View view
---@return agent_ls.Item? item
---@return integer first row of the item
local function here()
  local view = require('agent_ls.view')
  local shown = assert(view.of(vim.api.nvim_get_current_buf()), 'no session in this buffer')
  local item, first = view.item_at(shown, vim.api.nvim_win_get_cursor(0)[1] - 1)
  return shown, item, first
end

---@param what string
local function nothing(what)
  notify(what, vim.log.levels.WARN)
end

local function jump()
  local _, item = here()
  local location = item and item.locations and item.locations[1]
  if location then
    require('agent_ls.windows').go_to(location.path, location.line)
  else
    nothing('this has no place to go to')
  end
end

local function show_diff()
  local _, item = here()
  local diffs = vim.tbl_filter(function(content)
    return content.type == 'diff'
  end, item and item.content or {})
  if #diffs > 0 then
    require('agent_ls.diff').card(diffs)
  else
    nothing('this changes no file')
  end
end

local function show_input()
  local _, item = here()
  if not item or item.raw_input == nil then
    nothing(item and item.kind == 'call' and 'its input is what the card shows' or 'this is no call of a tool')
    return
  end
  local lines = require('agent_ls.text').value(item.raw_input)
  vim.lsp.util.open_floating_preview(lines, '', { focus_id = 'agent-ls', border = 'single' })
end

-- Shows what each key of the buffer does.
local function show_keys()
  local lines = vim.tbl_map(function(key)
    return ('%-6s %s'):format(key[1], key[3])
  end, M.keys)
  vim.lsp.util.open_floating_preview(lines, '', { focus_id = 'agent-ls', border = 'single' })
end

local function show_output()
  local _, item = here()
  if item and item.output then
    require('agent_ls.terminal').open(item)
  else
    nothing('this has no output')
  end
end

---@param step 1|-1
local function next_card(step)
  return function()
    local shown = here()
    local rows = require('agent_ls.view').rows(shown)
    local row = vim.api.nvim_win_get_cursor(0)[1] - 1
    local target
    for _, r in ipairs(rows) do
      if step == 1 and r > row then
        target = r
        break
      elseif step == -1 and r < row then
        target = r
      end
    end
    if target then
      vim.api.nvim_win_set_cursor(0, { target + 1, 0 })
    end
  end
end

-- The next line that begins a run of added or removed lines.
---@param flags string
local function next_change(flags)
  return function()
    vim.fn.search([[^\%(\%(    [+-]\)\@!.*\n\)\@<=    [+-]\zs]], flags)
  end
end

---@param kind string
local function answer(kind)
  return function()
    local shown, item = here()
    if item then
      require('agent_ls.permission').key(shown.session, item, kind)
    end
  end
end

---@param name string a sub-command
local function command(name)
  return function()
    vim.cmd.AgentLs(name)
  end
end

--- Key, what it does, and the words for it.
---@type { [1]: string, [2]: string|fun(), [3]: string }[]
M.keys = {
  { '<CR>', jump, 'Go to the place that the card is about' },
  { 'gd', show_diff, 'Show the diff of the card in two windows' },
  { 'K', show_input, 'Show the input of the call as it is' },
  { 'go', show_output, 'Show the output of the command in a terminal' },
  { ']]', next_card(1), 'Next card or message' },
  { '[[', next_card(-1), 'Previous card or message' },
  { ']c', next_change('W'), 'Next change of a diff' },
  { '[c', next_change('bW'), 'Previous change of a diff' },
  { 'a', answer('allow_once'), 'Allow once' },
  { 'A', answer('allow_always'), 'Allow always' },
  { 'r', answer('reject_once'), 'Reject once' },
  { 'R', answer('reject_always'), 'Reject always' },
  { 'p', command('prompt'), 'Prompt' },
  { '<C-c>', command('stop'), 'Stop the turn' },
  { 'q', '<Cmd>close<CR>', 'Close the window' },
  { 'g?', show_keys, 'Show these keys' },
}

--- Sets the keys of a session's buffer.
---@param buf integer
function M.set(buf)
  if not config.get().keymaps then
    return
  end
  for _, key in ipairs(M.keys) do
    vim.keymap.set('n', key[1], key[2], { buffer = buf, desc = key[3] })
  end
end

return M
