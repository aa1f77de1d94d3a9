--- The highlight groups, linked to those that every colour scheme has.
local M = {}

local links = {
  AgentLsTitle = 'Title',
  AgentLsUser = 'String',
  AgentLsNote = 'Comment',
  AgentLsPath = 'Directory',
  AgentLsPending = 'Comment',
  AgentLsRunning = 'DiagnosticInfo',
  AgentLsCompleted = 'DiagnosticOk',
  AgentLsFailed = 'DiagnosticError',
  AgentLsQuestion = 'DiagnosticWarn',
  AgentLsAdd = 'DiffAdd',
  AgentLsDelete = 'DiffDelete',
  AgentLsHunk = 'Comment',
  AgentLsSignAdd = 'DiagnosticSignOk',
  AgentLsSignDelete = 'DiagnosticSignError',
  AgentLsFollow = 'CursorLine',
}

--- Defines the groups that the user has not defined.
function M.define()
  for name, target in pairs(links) do
    vim.api.nvim_set_hl(0, name, { link = target, default = true })
  end
end

return M
