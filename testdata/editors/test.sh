#!/usr/bin/env bash
# Tests the language server with real editors that have no plugin: Neovim 0.10 and the newest one, Emacs with
# eglot, Helix. Each opens a file, prompts, sees an edit arrive and undoes a hunk.
#   AGENT_LS             the program to test
#   AGENT_LS_TEST_CACHE  where downloads go (default ~/.cache/agent-ls-test)
# Needs Debian; as root it installs what is missing. Under CI=true a missing part is a failure.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=${AGENT_LS_TEST_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/agent-ls-test}
: "${AGENT_LS:?the path of the agent-ls to test}"
program=$AGENT_LS
for name in "${!AGENT_LS_@}"; do unset "$name"; done # the program takes them as settings

. "$here/needs.sh"
need patchelf patchelf
need tmux tmux
"$here/install.sh" "$cache/editors" nvim-0.10 nvim-0.12 emacs helix || exit 1
editors=$cache/editors/bin

scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin"
ln -s "$(readlink -f "$program")" "$scratch/bin/agent-ls"
export PATH=$scratch/bin:$PATH AGENT_LS=$program
for language in lua toml elisp; do
  "$here/snippet.sh" $language >"$scratch/snippet.$language" || exit 1
done

failed=0

nvim() {
  SNIPPET=$scratch/snippet.lua timeout 300 "$editors/$1" --clean -n -l "$here/../../nvim-client/test/run.lua" "$here/plain.lua"
}

helix() {
  SNIPPET=$scratch/snippet.toml AGENT_LS_STATE_DIR=$scratch/helix-state "$here/helix.sh" "$editors/helix" "$scratch/helix"
}

emacs() {
  local home=$scratch/emacs result=$scratch/emacs/result
  mkdir -p "$home/ws"
  printf 'one\ntwo\nthree\n' >"$home/ws/a.txt"
  : >"$result"
  tmux -S "$home/socket" -f /dev/null new-session -d -x 110 -y 30 \
    "cd '$home/ws' && HOME='$home' TERM=xterm-256color RESULT='$result' SNIPPET='$scratch/snippet.elisp' \
      AGENT_LS_STATE_DIR='$home/state' '$editors/emacs' -nw -Q -l '$here/emacs.el' a.txt; echo end 1 >>'$result'"
  timeout 300 tail -f -n +1 "$result" | sed '/^end /q'
  tmux -S "$home/socket" kill-server 2>/dev/null
  grep -m 1 '^end ' "$result" | grep -q '^end 0'
}

for editor in nvim-0.10 nvim-0.12 helix emacs; do
  echo "== $("$editors/$editor" --version 2>/dev/null | head -n 1)"
  "${editor%%-*}" "$editor" || failed=1
done
exit $failed
