#!/usr/bin/env bash
# Hosts real agents, which npm installs, in agent-ls: ./test.sh
#
#   AGENT_LS              the program to test; without it one is built
#   AGENT_LS_TEST_CACHE   where downloads are kept (default ~/.cache/agent-ls-test)
#   CI=true               what is missing is a failure, else it is said and left out
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

cache=${AGENT_LS_TEST_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/agent-ls-test}
mkdir -p "$cache"

# missing WHAT: ends the script for want of something.
missing() {
  echo "missing: $1"
  [ "${CI-}" != true ] || exit 1
  exit 0
}

want=()
command -v npm >/dev/null || want+=(npm)
command -v node >/dev/null || want+=(nodejs)
command -v ps >/dev/null || want+=(procps)
if [ ${#want[@]} -gt 0 ]; then
  command -v apt-get >/dev/null && [ "$(id -u)" = 0 ] || missing "${want[*]}"
  echo "installing ${want[*]}"
  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${want[@]}"; } >"$cache/hosted-apt.log" 2>&1 ||
    missing "${want[*]} (see $cache/hosted-apt.log)"
fi

# The packages are large: they are installed in the cache, once a version.
packages=$cache/hosted
mkdir -p "$packages"
if ! cmp -s package.json "$packages/installed"; then
  echo "installing the agents by npm"
  rm -rf "$packages/node_modules" "$packages/installed"
  cp package.json .npmrc "$packages/"
  npm install --prefix "$packages" --cache "$cache/npm" --loglevel=error || missing "the agents"
  cp package.json "$packages/installed"
fi
export HOSTED_AGENTS=$packages/node_modules

if [ -z "${AGENT_LS-}" ]; then
  scratch=$(mktemp -d)
  trap 'rm -rf "$scratch"' EXIT
  AGENT_LS=$scratch/agent-ls
  (cd ../.. && go build -o "$AGENT_LS" ./cmd/agent-ls)
fi
export AGENT_LS
for name in "${!AGENT_LS_@}"; do unset "$name"; done # the program takes them as settings
"$HOSTED_AGENTS/.bin/node" --test --test-force-exit --test-timeout=600000 hosted.test.mjs
