#!/usr/bin/env bash
# Tests the Neovim client against the real program, in Neovim 0.10 and the newest one.
#   AGENT_LS             the program to test
#   AGENT_LS_TEST_CACHE  where downloads go (default ~/.cache/agent-ls-test)
# Needs Debian; as root it installs what is missing. Under CI=true a missing part is a failure.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=${AGENT_LS_TEST_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/agent-ls-test}
: "${AGENT_LS:?the path of the agent-ls to test}"
program=$AGENT_LS
for name in "${!AGENT_LS_@}"; do unset "$name"; done # the program takes them as settings

. "$here/../testdata/editors/needs.sh"
need patchelf patchelf
need luacheck lua-check
need pgrep procps
need npm npm
need tmux tmux
"$here/../testdata/editors/install.sh" "$cache/editors" nvim-0.10 nvim-0.12 || exit 1

failed=0
if command -v npm >/dev/null; then
  echo "== stylua"
  (cd "$here" && npm ci --cache "$cache/npm" --no-audit --no-fund --ignore-scripts --loglevel=error >/dev/null && node test/format.mjs) || failed=1
fi
if command -v luacheck >/dev/null; then
  echo "== luacheck"
  (cd "$here" && luacheck --quiet lua lsp plugin test) || failed=1
fi

# capture NVIM: whether README.md shows what the plugin shows.
capture() {
  local folder
  folder=$(mktemp -d) || return 1
  "$here/test/capture.sh" "$cache/editors/bin/$1" "$folder" |
    diff <(sed '1,/capture:begin/d; /capture:end/,$d' "$here/README.md" | sed '1d;$d') - &&
    echo "ok    the capture of README.md"
  local result=$?
  rm -rf "$folder"
  return $result
}

export AGENT_LS=$program
for nvim in nvim-0.10 nvim-0.12; do
  echo "== $("$cache/editors/bin/$nvim" --version | head -n 1)"
  capture $nvim || failed=1
  timeout 600 "$cache/editors/bin/$nvim" --clean -n -l "$here/test/run.lua" "$here"/test/{attach,session,permission,form,review,files,follow,commands,robust}.lua || failed=1
done
exit $failed
