--- Terminals of Neovim for the output of commands, opened when the user asks for one.
local windows = require('agent_ls.windows')

local M = {}

local LINES = 15

--- Shows the output of a call in a terminal below, live; the focus stays.
---@param item agent_ls.Item
---@return integer buf
function M.open(item)
  local buf = vim.api.nvim_create_buf(false, true)
  local win = windows.split(buf, 'bottom', LINES)
  vim.wo[win].winfixbuf = true
  local channel = vim.api.nvim_open_term(buf, {})
  vim.bo[buf].bufhidden = 'wipe'
  pcall(vim.api.nvim_buf_set_name, buf, ('agent-ls://output/%s/%d'):format(item.id, buf))
  vim.keymap.set('n', 'q', '<Cmd>close<CR>', { buffer = buf, desc = 'Close the output' })
  item.output:show_in(channel)
  vim.api.nvim_win_call(win, function()
    vim.cmd('normal! G') -- the end stays in sight while output comes
  end)
  return buf
end

return M
