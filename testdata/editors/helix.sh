#!/usr/bin/env bash
# usage: helix.sh HELIX FOLDER
# Helix against the agent-ls in PATH, in a terminal: prompts, sees an edit arrive, undoes a hunk. FOLDER is
# empty and becomes its home. Exits non-zero on failure.
set -uo pipefail
helix=$1 home=$2
mkdir -p "$home/config/helix" "$home/ws"
printf 'one\ntwo\nthree\n' >"$home/ws/a.txt"
cat >"$home/config/helix/languages.toml" <<'TOML'
[[language]]
name = "text"
scope = "text.plain"
file-types = ["txt"]
language-servers = ["agent-ls"]

TOML
cat "${SNIPPET:?a file with the language server of docs/lsp.md}" >>"$home/config/helix/languages.toml"

tmux=(tmux -S "$home/socket" -f /dev/null)
"${tmux[@]}" new-session -d -x 110 -y 30 "cd '$home/ws' && HOME='$home' XDG_CONFIG_HOME='$home/config' XDG_CACHE_HOME='$home/cache' TERM=xterm-256color '$helix' a.txt"
trap '"${tmux[@]}" kill-server 2>/dev/null' EXIT

# sees WHAT PATTERN: waits until the screen matches.
sees() {
  local deadline=$((SECONDS + 60))
  until "${tmux[@]}" capture-pane -p | grep -qE -- "$2"; do
    if [ $SECONDS -gt $deadline ]; then
      echo "FAIL  helix: $1"
      "${tmux[@]}" capture-pane -p
      exit 1
    fi
    sleep 0.05
  done
  echo "ok    helix: $1"
}

type() { "${tmux[@]}" send-keys "$@"; }

# agent COMMAND JSON: runs a command of agent-ls; Helix reads arguments as JSON.
agent() { type ":lsp-workspace-command agent-ls.$1 $2" Enter; }

# keys that leave a mode need a moment, or the terminal takes them as Alt with the next one.
leave() { type Escape; sees "normal mode" ' NOR '; }

sees "a file is open" '^ *1 +one'
type i 'typed '
sees "the user has typed" 'typed one'
leave
agent prompt '"/read a.txt"'
agent prompt '"/edit {\"file_path\":\"a.txt\",\"old_string\":\"two\",\"new_string\":\"the agent\"}"'
sees "permission is asked with the change" '[+]the agent'
type Enter
sees "the edit arrives" '2 +the agent'
sees "what was typed stays" '1 +typed one'
type 2 g g
type Space a
sees "code actions" 'Undo this change'
type Down Enter
sees "the hunk is undone" '2 +two'
sees "what was typed still stays" '1 +typed one'
type ':quit!' Enter
