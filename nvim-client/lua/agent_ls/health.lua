--- :checkhealth agent_ls
local M = {}

local function check_editor()
  if vim.fn.has('nvim-0.10') == 1 then
    vim.health.ok('Neovim ' .. tostring(vim.version()))
  else
    vim.health.error('Neovim is too old', 'Use Neovim 0.10 or newer.')
  end
end

---@param cmd string
---@return boolean
local function check_server(cmd)
  if vim.fn.executable(cmd) ~= 1 then
    vim.health.error(('the server %q is not found'):format(cmd), {
      'Install it: go install github.com/agent-ls/agent-ls/cmd/agent-ls@latest',
      "Or name it: require('agent_ls').setup({ cmd = { '/path/to/agent-ls', 'lsp' } })",
    })
    return false
  end
  local done = vim.system({ cmd, 'version' }, { text = true }):wait(5000)
  if done.code ~= 0 then
    vim.health.error(('%s version failed: %s'):format(cmd, vim.trim(done.stderr or '')))
    return false
  end
  vim.health.ok(('%s: %s'):format(vim.fn.exepath(cmd), vim.trim(done.stdout):gsub('\n.*', '')))
  return true
end

---@param cmd string
local function check_program(cmd)
  local done = vim
    .system({ cmd, 'doctor' }, { text = true, env = require('agent_ls.config').get().cmd_env })
    :wait(10000)
  local report = done.code == 0 and vim.health.info or vim.health.warn
  report(vim.trim(done.stdout ~= '' and done.stdout or done.stderr or ''))
end

local function check_clients()
  local clients = vim.lsp.get_clients({ name = require('agent_ls.client').name })
  if #clients == 0 then
    vim.health.info('not running; :AgentLs prompt starts it')
  end
  for _, client in ipairs(clients) do
    local files = vim.tbl_count(client.attached_buffers)
    vim.health.ok(
      ('running in %s, attached files: %d, positions in %s'):format(
        client.config.root_dir,
        files,
        client.offset_encoding
      )
    )
  end
end

function M.check()
  vim.health.start('agent-ls')
  check_editor()
  local cmd = require('agent_ls.config').get().cmd[1]
  if check_server(cmd) then
    check_program(cmd)
  end
  check_clients()
end

return M
