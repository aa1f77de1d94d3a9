--- The options of the plugin, checked when they are set.
local M = {}

---@class agent_ls.Options
---@field cmd? string[] the server's command line; default `{ 'agent-ls', 'lsp' }`
---@field cmd_env? table<string, string> variables for the server, such as `AGENT_LS_MODEL`
---@field settings? table initializationOptions: the keys of docs/configuration.md
---@field root_markers? string[] what marks the top folder of a workspace
---@field autostart? boolean start with the first file of a workspace instead of the first command
---@field position? 'left'|'right'|'top'|'bottom' where the session's window opens
---@field size? integer its width in columns or height in lines
---@field card_lines? integer the most lines that a card shows of output or of a diff
---@field output_bytes? integer how much of a command's output is kept for its terminal
---@field grace_ms? integer how long a new question takes no key, in milliseconds
---@field keymaps? boolean set the keys of the session's buffer

---@class agent_ls.Config: agent_ls.Options
local defaults = {
  cmd = { 'agent-ls', 'lsp' },
  cmd_env = {},
  settings = {},
  root_markers = { '.agent-ls.toml', '.git' },
  autostart = false,
  position = 'right',
  size = 80,
  card_lines = 40,
  output_bytes = 2 * 1024 * 1024,
  grace_ms = 500,
  keymaps = true,
}

local positions = { left = true, right = true, top = true, bottom = true }

---@type agent_ls.Config
local current = vim.deepcopy(defaults)

--- Returns the options in force.
---@return agent_ls.Config
function M.get()
  return current
end

--- Raises an error that names the first option that is unknown or of a wrong type.
---@param options table
local function check(options)
  local names = vim.tbl_keys(defaults)
  table.sort(names)
  for name, value in pairs(options) do
    local default = defaults[name]
    if default == nil then
      error(('agent-ls: unknown option %q; expected one of %s'):format(name, table.concat(names, ', ')), 0)
    end
    if type(value) ~= type(default) then
      error(('agent-ls: option %q: expected a %s, got a %s'):format(name, type(default), type(value)), 0)
    end
  end
  if options.position and not positions[options.position] then
    error(('agent-ls: option "position": expected left, right, top or bottom, got %q'):format(options.position), 0)
  end
end

--- Sets options over the defaults.
---@param options? agent_ls.Options
function M.set(options)
  options = options or {}
  check(options)
  current = vim.tbl_extend('force', vim.deepcopy(defaults), options)
end

return M
