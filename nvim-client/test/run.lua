-- nvim --clean -l test/run.lua FILE… : runs tests; exit status 1 when one fails.
local here = vim.fs.dirname(vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p'))
package.path = here .. '/?.lua;' .. package.path

local harness = require('harness')
local failed = 0

---@param line string
local function say(line)
  io.stdout:write(line, '\n')
  io.stdout:flush()
end

for _, file in ipairs(arg) do
  local tests = dofile(file)
  for _, test in ipairs(tests) do
    local begun = vim.uv.hrtime()
    local ok, err = xpcall(test[2], debug.traceback)
    harness.cleanup()
    local ms = math.floor((vim.uv.hrtime() - begun) / 1e6)
    say(('%s  %s: %s (%d ms)'):format(ok and 'ok  ' or 'FAIL', vim.fs.basename(file):gsub('%.lua$', ''), test[1], ms))
    if not ok then
      failed = failed + 1
      say(tostring(err))
    end
  end
end
os.exit(failed == 0 and 0 or 1)
