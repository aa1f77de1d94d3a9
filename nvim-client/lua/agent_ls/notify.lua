--- Messages to the user.
local text = require('agent_ls.text')

--- Shows a message in one line that fits: a longer one would make Neovim wait for a key, which the user
--- meant for something else.
---@param message string
---@param level? integer of vim.log.levels
return function(message, level)
  local line = text.one_line('agent-ls: ' .. message)
  if vim.fn.strdisplaywidth(line) > vim.v.echospace then
    line = vim.fn.strcharpart(line, 0, math.max(vim.v.echospace - 1, 10)) .. '…'
  end
  vim.notify(line, level)
end
