-- What is there from the start: a command, <Plug> maps and highlight groups. The rest is loaded when used.
if vim.g.loaded_agent_ls then
  return
end
vim.g.loaded_agent_ls = true

vim.api.nvim_create_user_command('AgentLs', function(opts)
  require('agent_ls.commands').run(opts)
end, {
  nargs = '*',
  range = true,
  desc = 'agent-ls: a session of an agent',
  complete = function(...)
    return require('agent_ls.commands').complete(...)
  end,
})

---@param name string
---@param run fun()
---@param desc string
local function plug(name, run, desc)
  vim.keymap.set('n', ('<Plug>(AgentLs%s)'):format(name), run, { desc = 'agent-ls: ' .. desc })
end

plug('Prompt', function()
  vim.cmd.AgentLs('prompt')
end, 'prompt')
vim.keymap.set('x', '<Plug>(AgentLsPrompt)', ':AgentLs prompt<CR>', { desc = 'agent-ls: prompt about the selection' })
plug('Open', function()
  vim.cmd.AgentLs('open')
end, 'show the session')
plug('Stop', function()
  vim.cmd.AgentLs('stop')
end, 'end the turn')
plug('Answer', function()
  vim.cmd.AgentLs('answer')
end, 'answer a question')
plug('Keep', function()
  require('agent_ls').decide('keep')
end, 'keep the change at the cursor')
plug('Undo', function()
  require('agent_ls').decide('undo')
end, 'undo the change at the cursor')
plug('Next', function()
  require('agent_ls').go(1)
end, 'next change')
plug('Previous', function()
  require('agent_ls').go(-1)
end, 'previous change')

require('agent_ls.highlights').define()
vim.api.nvim_create_autocmd('ColorScheme', {
  group = vim.api.nvim_create_augroup('agent_ls.highlights', { clear = true }),
  callback = function()
    require('agent_ls.highlights').define()
  end,
})
