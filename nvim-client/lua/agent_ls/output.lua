--- The output of one command: bounded, and fed to the terminals that show it.
local text = require('agent_ls.text')

-- How much of the end is looked at for a card, in bytes.
local TAIL = 16 * 1024

---@class agent_ls.Output
---@field limit integer bytes that are kept
---@field bytes integer bytes that are there
---@field dropped integer bytes that were too many
---@field lines integer line ends seen
---@field exit? { code?: integer, signal?: string } how the command ended
---@field private chunks string[]
---@field private first integer index of the oldest chunk
---@field private last integer index of the newest chunk
---@field private channels table<integer, true> terminals that show it
local Output = {}
Output.__index = Output

---@param limit integer
---@return agent_ls.Output
function Output.new(limit)
  return setmetatable({
    limit = limit,
    bytes = 0,
    dropped = 0,
    lines = 0,
    chunks = {},
    first = 1,
    last = 0,
    channels = {},
  }, Output)
end

--- Adds a piece; the oldest pieces beyond the limit are dropped and counted.
---@param data string
function Output:add(data)
  if data == '' then
    return
  end
  self.last = self.last + 1
  self.chunks[self.last] = data
  self.bytes = self.bytes + #data
  self.lines = self.lines + select(2, data:gsub('\n', ''))
  while self.bytes > self.limit and self.first < self.last do
    local old = self.chunks[self.first]
    self.chunks[self.first] = nil
    self.first = self.first + 1
    self.bytes, self.dropped = self.bytes - #old, self.dropped + #old
  end
  self:send(data)
end

--- Writes to the terminals that show this output; one that is gone is forgotten.
---@param data string
function Output:send(data)
  for channel in pairs(self.channels) do
    if not pcall(vim.api.nvim_chan_send, channel, data) then
      self.channels[channel] = nil
    end
  end
end

--- Ends the output.
---@param code? integer
---@param signal? string
function Output:finish(code, signal)
  if self.exit then
    return
  end
  self.exit = { code = code, signal = signal }
  self:send(('\r\n[%s]\r\n'):format(self:ending()))
  for channel in pairs(self.channels) do
    pcall(vim.fn.chanclose, channel)
  end
  self.channels = {}
end

--- Says how the command ended.
---@return string
function Output:ending()
  local exit = self.exit
  if not exit then
    return 'running'
  elseif exit.signal then
    return 'killed by ' .. exit.signal
  elseif exit.code then
    return 'exit code ' .. exit.code
  end
  return 'ended'
end

--- Returns the last lines without control sequences.
---@param count integer
---@return string[]
function Output:tail(count)
  local parts, size, whole = {}, 0, true
  for i = self.last, self.first, -1 do
    table.insert(parts, 1, self.chunks[i])
    size = size + #self.chunks[i]
    if size >= TAIL then
      whole = i == self.first and size <= TAIL
      break
    end
  end
  local raw = table.concat(parts)
  if not whole then
    raw = raw:sub(-TAIL):gsub('^[^\n]*\n', '', 1)
  end
  local lines = text.lines(text.plain(raw))
  return vim.list_slice(lines, math.max(1, #lines - count + 1))
end

--- Shows the output in a terminal of Neovim, what is there now and what comes.
---@param channel integer from nvim_open_term
function Output:show_in(channel)
  if self.dropped > 0 then
    vim.api.nvim_chan_send(channel, ('[%d bytes before this are not kept]\r\n'):format(self.dropped))
  end
  for i = self.first, self.last do
    vim.api.nvim_chan_send(channel, self.chunks[i])
  end
  if self.exit then
    vim.api.nvim_chan_send(channel, ('\r\n[%s]\r\n'):format(self:ending()))
    vim.fn.chanclose(channel)
  else
    self.channels[channel] = true
  end
end

return Output
