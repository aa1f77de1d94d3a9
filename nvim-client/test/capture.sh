#!/usr/bin/env bash
# usage: capture.sh NVIM FOLDER
# Prints the screen of README.md: a session of the plugin in a terminal, with a scripted model. FOLDER is empty.
# AGENT_LS is the program.
set -uo pipefail
nvim=$1 home=$(cd "$2" && pwd)
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
mkdir -p "$home/greeter/.git" "$home/bin"
ln -s "$(readlink -f "$AGENT_LS")" "$home/bin/agent-ls"
cat >"$home/greeter/greet.py" <<'PY'
def greet(name):
    print("Hello " + name)


greet("me")
PY
cat >"$home/script.json" <<'JSON'
{"turns":[{"steps":[
  {"calls":[{"name":"read","args":{"file_path":"greet.py"}}]},
  {"say":"I **greet the world** and add a mark.\n\n"},
  {"calls":[{"name":"edit","args":{"file_path":"greet.py","edits":[
    {"old_string":"\"Hello \" + name","new_string":"f\"Hello {name}!\""},
    {"old_string":"greet(\"me\")","new_string":"greet(\"world\")"}]}}]},
  {"calls":[{"name":"bash","args":{"command":"python3 greet.py"}}]}]}]}
JSON
cat >"$home/init.lua" <<'LUA'
vim.opt.runtimepath:prepend(vim.env.PLUGIN)
vim.o.laststatus, vim.o.ruler, vim.o.cmdheight = 3, false, 1
vim.o.statusline = "%f %m%=%{v:lua.require'agent_ls'.status()} "
vim.notify = function() end
require('agent_ls').setup({ size = 58, cmd = { 'agent-ls', 'lsp', '--model', 'script:' .. vim.env.HOME .. '/script.json' } })
LUA
tmux=(tmux -S "$home/socket" -f /dev/null)
"${tmux[@]}" new-session -d -x 100 -y 36 "cd '$home/greeter' && HOME='$home' PLUGIN='$here' TERM=xterm-256color PATH='$home/bin:$PATH' AGENT_LS_STATE_DIR='$home/state' '$nvim' -n -u '$home/init.lua' greet.py"
trap '"${tmux[@]}" kill-server 2>/dev/null' EXIT

# sees PATTERN: waits until the screen matches.
sees() {
  local deadline=$((SECONDS + 60))
  until "${tmux[@]}" capture-pane -p | grep -qF -- "$1"; do
    [ $SECONDS -le $deadline ] || { "${tmux[@]}" capture-pane -p; exit 1; }
    sleep 0.05
  done
}

sees 'greet("me")'
"${tmux[@]}" send-keys ':AgentLs mode accept-edits' Enter
sees 'agent-ls: accept-edits'
"${tmux[@]}" send-keys ':AgentLs open' Enter
sees 'agent-ls in ~/greeter'
"${tmux[@]}" send-keys C-w p ':AgentLs prompt greet the world' Enter
sees 'R  Always reject'
sees 'asks, accept-edits, 2 to review'
"${tmux[@]}" send-keys C-l
"${tmux[@]}" send-keys ':' C-c
sees 'asks, accept-edits, 2 to review'
"${tmux[@]}" capture-pane -p | sed -e 's/[[:space:]]*$//' -e '$d'
