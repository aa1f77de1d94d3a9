--- agent-ls in Neovim: sessions of an agent over the built-in LSP client. See |agent-ls|.
local M = {}

--- Sets options; without a call the defaults hold.
---@param options? agent_ls.Options
function M.setup(options)
  require('agent_ls.config').set(options)
  local group = vim.api.nvim_create_augroup('agent_ls', { clear = true })
  if require('agent_ls.config').get().autostart then
    vim.api.nvim_create_autocmd({ 'BufReadPost', 'BufNewFile' }, {
      group = group,
      callback = function(event)
        local client = require('agent_ls.client')
        if client.is_file(event.buf) then
          client.with(client.root(event.buf), function() end)
        end
      end,
    })
  end
end

--- Sends a prompt to the session of the current workspace.
---@param text string
function M.prompt(text)
  require('agent_ls.hub').prompt({ { type = 'text', text = text } })
end

--- A component for the statusline: what runs, what waits for you, what is to be reviewed; "" for nothing.
---@return string
function M.status()
  if not package.loaded['agent_ls.hub'] then
    return ''
  end
  local session = require('agent_ls.hub').session()
  local parts = {}
  if session then
    local waiting = #session:waiting()
    if waiting > 0 then
      parts[#parts + 1] = 'asks'
    elseif session.running > 0 then
      parts[#parts + 1] = 'works'
    end
    parts[#parts + 1] = session.mode
    if session.usage then
      parts[#parts + 1] = ('context %d%%'):format(100 * session.usage.used / session.usage.size)
    end
  end
  local pending = require('agent_ls.review').count()
  if pending > 0 then
    parts[#parts + 1] = pending .. ' to review'
  end
  if require('agent_ls.follow').is_on() then
    parts[#parts + 1] = require('agent_ls.follow').is_paused() and 'follow paused' or 'follow'
  end
  return #parts > 0 and 'agent-ls: ' .. table.concat(parts, ', ') or ''
end

--- Keeps or undoes the change at the cursor.
---@param verb 'keep'|'undo'
function M.decide(verb)
  require('agent_ls.commands').commands[verb].run({ text = '' })
end

--- Goes to another change to review in the file.
---@param step 1|-1
function M.go(step)
  require('agent_ls.review').go(step)
end

return M
