--- Pure functions on text: what a terminal prints as plain lines, diffs, values as lines.
local M = {}

--- Leaves out what only a terminal understands, and what a carriage return overwrote.
---@param s string
---@return string
function M.plain(s)
  s = s:gsub('\27%][^\7\27]*\7', ''):gsub('\27%][^\7\27]*\27\\', '')
  s = s:gsub('\27%[[0-?]*[ -/]*[@-~]', ''):gsub('\27[@-Z\\^_]', '')
  s = s:gsub('\r+\n', '\n'):gsub('[^\n]*\r', '')
  return (s:gsub('[%z\1-\8\11-\31\127]', ''))
end

--- Splits text into lines; a line end at the end adds none.
---@param s string
---@return string[]
function M.lines(s)
  if s == '' then
    return {}
  end
  return vim.split((s:gsub('\r\n', '\n'):gsub('\n$', '')), '\n', { plain = true })
end

--- Leaves out the fence around a text that is one block of code.
---@param s string
---@return string
function M.unfenced(s)
  local open, body, close = s:match('^(```+)[^\n`]*\n(.*)\n(```+)%s*$')
  return open ~= nil and open == close and body or s
end

--- Makes one line of text.
---@param s string
---@return string
function M.one_line(s)
  return (vim.trim(s):gsub('%s*[\r\n]+%s*', ' '))
end

--- Writes a time of the server, which is in UTC, as the user's clock shows it.
---@param utc string such as `2026-01-02T03:04:05Z`
---@return string
function M.local_time(utc)
  local year, month, day, hour, min, sec = utc:match('^(%d+)-(%d+)-(%d+)T(%d+):(%d+):(%d+)')
  if not year then
    return utc
  end
  local read = { year = year, month = month, day = day, hour = hour, min = min, sec = sec, isdst = false }
  local as_local = os.time(read)
  local as_utc = os.date('!*t', as_local) --[[@as osdateparam]]
  as_utc.isdst = false
  return os.date('%Y-%m-%d %H:%M', as_local + os.difftime(as_local, os.time(as_utc))) --[[@as string]]
end

-- vim.diff has another name since Neovim 0.12.
local diff = vim.text and vim.text.diff or vim.diff

---@param s string
local function ended(s)
  return (s == '' or s:sub(-1) == '\n') and s or s .. '\n'
end

--- Compares two texts: lines that begin with " ", "-" or "+", and "@@" between hunks.
---@param old string
---@param new string
---@return string[]
function M.unified(old, new)
  local out = {}
  for _, line in
    ipairs(M.lines(diff(ended(old), ended(new), { ctxlen = 3 }) --[[@as string]]))
  do
    if line:sub(1, 2) ~= '@@' then
      out[#out + 1] = line
    elseif #out > 0 then
      out[#out + 1] = '@@'
    end
  end
  return out
end

---@param out string[]
---@param text string
---@param indent string
local function add_block(out, text, indent)
  for _, line in ipairs(M.lines(text)) do
    out[#out + 1] = indent .. line
  end
end

--- Shows a decoded JSON value: a key a line, texts of several lines as they are.
---@param value any
---@return string[]
function M.value(value)
  local out = {}
  if type(value) == 'string' then
    add_block(out, value, '')
    return out
  end
  if type(value) ~= 'table' or vim.islist(value) then
    return { vim.json.encode(value) }
  end
  local keys = vim.tbl_keys(value)
  table.sort(keys)
  for _, key in ipairs(keys) do
    local v = value[key]
    if type(v) == 'string' and v:find('\n') then
      out[#out + 1] = key .. ':'
      add_block(out, v, '    ')
    else
      out[#out + 1] = ('%s: %s'):format(key, type(v) == 'string' and v or vim.json.encode(v))
    end
  end
  return out
end

return M
