#!/usr/bin/env bash
# Tests of the VS Code client, in a real workbench against the real program; see --help.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")" || exit 2

CODE_SERVER=4.139.1 # VS Code 1.139.1
NODE=24.22.3        # the one that it wants

usage() {
  cat <<'TXT'
usage: vscode-client/test.sh [--help]

Builds the extension and runs its tests: units, the chat page in a browser, mocha
in the extension host, a user at the workbench, the packages of all platforms, and
one in a fresh profile.
As root on Debian it installs what is missing: npm, Chromium, code-server from npm.

  AGENT_LS=FILE             the program to test with (default: built from the sources)
  AGENT_LS_TEST_CACHE=DIR   where downloads go (default ~/.cache/agent-ls-test)
  VSCODE_CLIENT_PICTURES=DIR, VSCODE_CLIENT_FAILURES=DIR
                            keeps screenshots, those of failures
TXT
}
case ${1-} in
  -h | --help) usage; exit 0 ;;
  '') ;;
  *) echo "test.sh: unknown option $1" >&2; usage >&2; exit 2 ;;
esac

cache=${AGENT_LS_TEST_CACHE:-${XDG_CACHE_HOME:-${HOME-}/.cache}/agent-ls-test}
mkdir -p "$cache" && cache=$(cd "$cache" && pwd) || exit 2
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
export TMPDIR=$scratch
export VSCODE_CLIENT_CODE=$cache/code-server-$CODE_SERVER
export VSCODE_CLIENT_FAILURES=${VSCODE_CLIENT_FAILURES:-$scratch}
export VSCODE_CLIENT_PICTURES=${VSCODE_CLIENT_PICTURES:-$scratch}

fail() {
  echo "test.sh: $1" >&2
  exit 1
}

case $(uname -sm) in
  'Linux x86_64') arch=x64 ;;
  'Linux aarch64') arch=arm64 ;;
  *) fail "the workbench runs on Linux, x86_64 or aarch64" ;;
esac

# apt_install PROGRAM PACKAGE…: installs the packages unless the program is there.
apt_install() {
  command -v "$1" >/dev/null && return
  [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || fail "missing: $1"
  echo "installing ${*:2}"
  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${@:2}"; } \
    >"$scratch/apt.log" 2>&1 || { tail -n 20 "$scratch/apt.log"; fail "apt-get could not install ${*:2}"; }
}

# install_code brings code-server with its Node.js, of which nothing needs a compiler.
install_code() {
  [ -e "$VSCODE_CLIENT_CODE/.complete" ] && return
  echo "installing code-server $CODE_SERVER"
  rm -rf "$VSCODE_CLIENT_CODE" && mkdir -p "$VSCODE_CLIENT_CODE" || return
  local npm=(npm install --no-audit --no-fund --ignore-scripts --loglevel=error)
  (
    cd "$VSCODE_CLIENT_CODE" && echo '{"private":true}' >package.json &&
      "${npm[@]}" -E "node-linux-$arch@$NODE" "code-server@$CODE_SERVER" &&
      cd node_modules/code-server/lib/vscode && "${npm[@]}" --omit=dev --omit=optional &&
      ln -sf code-linux.sh bin/remote-cli/code-server && ln -sf browser-linux.sh bin/helpers/browser.sh &&
      cd extensions && "${npm[@]}" --omit=dev
  ) >"$scratch/npm.log" 2>&1 || { tail -n 20 "$scratch/npm.log"; return 1; }
  touch "$VSCODE_CLIENT_CODE/.complete"
}

apt_install npm nodejs npm
apt_install chromium chromium
VSCODE_CLIENT_CHROMIUM=$(command -v chromium) && export VSCODE_CLIENT_CHROMIUM
install_code || fail "code-server could not be installed"
export PATH=$VSCODE_CLIENT_CODE/node_modules/node-linux-$arch/bin:$PATH
cmp -s package-lock.json node_modules/.tested-lock || {
  echo "installing the packages of package-lock.json"
  npm ci --ignore-scripts --loglevel=error >"$scratch/npm.log" 2>&1 && cp package-lock.json node_modules/.tested-lock ||
    { tail -n 20 "$scratch/npm.log"; fail "npm ci"; }
}
if [ -z "${AGENT_LS-}" ]; then
  AGENT_LS=$scratch/agent-ls
  (cd .. && CGO_ENABLED=0 go build -o "$AGENT_LS" ./cmd/agent-ls) || fail "the program cannot be built"
fi
AGENT_LS=$(readlink -f "$AGENT_LS") && export AGENT_LS

failed=()
step() {
  local name=$1 begin=$SECONDS
  shift
  echo "== $name"
  "$@" || failed+=("$name")
  echo "   $((SECONDS - begin)) s"
}

build() { rm -rf out dist && node esbuild.mjs --tests; }
size() {
  local bytes
  bytes=$(cat dist/*.js dist/*.css | wc -c)
  echo "measured: bundle $bytes bytes"
  [ "$bytes" -lt 1000000 ] || { echo "the bundle has 1,000,000 bytes or more"; return 1; }
}
tests() { node --test --test-concurrency=1 --test-reporter=spec "$@"; }

step types node_modules/.bin/tsc -p .
step build build
step size size
step units tests out/unit/*.test.js
step page tests test/page/page.test.mjs
step 'extension host' node test/host.mjs
step workbench tests test/ui/workbench.test.mjs
step packages node package.mjs
step 'what is in the packages' tests test/package/targets.test.mjs
step 'package in a fresh profile' tests test/package/profile.test.mjs
if [ ${#failed[@]} -gt 0 ]; then
  echo "failed: ${failed[*]}"
  exit 1
fi
echo "all passed"
