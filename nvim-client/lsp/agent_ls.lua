-- For vim.lsp.enable('agent_ls'), Neovim 0.11 and newer: the server starts with the first file.
local client = require('agent_ls.client')

return vim.tbl_extend('force', client.config(), {
  root_dir = function(buf, start)
    if client.is_file(buf) then
      start(client.root(buf))
    end
  end,
})
