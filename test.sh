#!/usr/bin/env bash
# The whole test suite, as people and CI run it; see ./test.sh --help.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")" || exit 2

LINT_VERSION=v2.15.0
FUZZ_SECONDS=3
CROSS="linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64"

usage() {
  cat <<'TXT'
usage: ./test.sh [--quick] [--fuzz SECONDS] [--help]

Runs every check of the project and ends with a line "N passed, N failed".
Needs Go; as root on Debian it installs the rest, elsewhere it names what is
missing and goes on without the steps that need it.

  --quick          Go alone: format, vet, module files, tests; under three minutes
  --fuzz SECONDS   time for each fuzzer (default 3)

  CI=true                   what is missing is a failure
  AGENT_LS_TEST_CACHE=DIR   where downloads go (default ~/.cache/agent-ls-test,
                            $XDG_CACHE_HOME/agent-ls-test where that is set)
  NO_COLOR=1                no colours
TXT
}

quick=false
while [ $# -gt 0 ]; do
  case $1 in
    --quick) quick=true ;;
    --fuzz)
      [[ ${2-} =~ ^[1-9][0-9]*$ ]] || { echo "test.sh: --fuzz takes a number of seconds" >&2; exit 2; }
      FUZZ_SECONDS=$2
      shift ;;
    -h | --help) usage; exit 0 ;;
    *) echo "test.sh: unknown option $1" >&2; usage >&2; exit 2 ;;
  esac
  shift
done

bold='' red='' green='' yellow='' off=''
if [ -t 1 ] && [ -z "${NO_COLOR-}" ] && [ "${TERM-dumb}" != dumb ]; then
  bold=$'\e[1m' red=$'\e[31m' green=$'\e[32m' yellow=$'\e[33m' off=$'\e[0m'
fi

ci=false
[ "${CI-}" = true ] && ci=true
cache=${AGENT_LS_TEST_CACHE:-${XDG_CACHE_HOME:-${HOME-}/.cache}/agent-ls-test}
mkdir -p "$cache/bin" && cache=$(cd "$cache" && pwd) || exit 2
linter=golangci-lint-$LINT_VERSION
PATH=$cache/bin:$PATH
for name in "${!AGENT_LS_@}"; do unset "$name"; done # the program takes them as settings
export CGO_ENABLED=0 # all steps but one share what is compiled
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
program=$scratch/agent-ls$(go env GOEXE 2>/dev/null)

passed=0 failed=0 skipped=0
summary=()
slowest='' # packages with the race detector

# has PROGRAM: whether it is there; a path is any file or folder.
has() { command -v "$1" >/dev/null 2>&1 || [ -e "$1" ]; }

# step NAME FUNCTION [PROGRAM…]: runs a check, or says why it cannot.
step() {
  local name=$1 run=$2 begin=$SECONDS missing=() p
  shift 2
  for p in "$@"; do has "$p" || missing+=("$p"); done
  echo
  echo "${bold}== $name${off}"
  if [ ${#missing[@]} -gt 0 ]; then
    echo "missing: ${missing[*]}"
    if $ci; then
      failed=$((failed + 1))
      record "$red" FAILED "$name" 0 "missing: ${missing[*]}"
    else
      skipped=$((skipped + 1))
      record "$yellow" skipped "$name" 0 "missing: ${missing[*]}"
    fi
  elif "$run"; then
    passed=$((passed + 1))
    record "$green" passed "$name" $((SECONDS - begin))
  else
    failed=$((failed + 1))
    record "$red" FAILED "$name" $((SECONDS - begin))
  fi
}

# record COLOUR WORD NAME SECONDS [WHY]: shows a line and keeps it for the summary.
record() {
  local line
  line=$(printf '%s%-8s%s %4d s  %s%s' "$1" "$2" "$off" "$4" "$3" "${5:+ ($5)}")
  summary+=("$line")
  echo "$line"
}

# install: brings what the tests need and is not there. What cannot be had is
# said, and the steps that need it find it missing.
install() {
  install_programs
  has "$linter" || install_linter
  has npm && install_clients
}

install_programs() {
  local want=() p
  has gcc || want+=(gcc libc6-dev)
  for p in git patch npm; do has "$p" || want+=("$p"); done
  has node || want+=(nodejs)
  has rg || want+=(ripgrep)
  [ ${#want[@]} -gt 0 ] || return 0
  if ! has apt-get || [ "$(id -u)" != 0 ]; then
    echo "not installed, for want of apt-get or of root: ${want[*]}"
    return 0
  fi
  echo "installing ${want[*]}"
  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${want[@]}" >"$scratch/apt.log" 2>&1 || {
    tail -n 20 "$scratch/apt.log"
    echo "apt-get could not install them"
  }
}

# install_linter: builds the pinned linter once; the modules that only its
# build needs are thrown away.
install_linter() {
  echo "building $linter"
  if GOBIN=$scratch/bin GOMODCACHE=$scratch/modules GOFLAGS=-modcacherw \
    go install "github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$LINT_VERSION" 2>"$scratch/lint.log"; then
    mv "$scratch/bin/golangci-lint" "$cache/bin/$linter"
  else
    tail -n 20 "$scratch/lint.log"
  fi
  rm -rf "$scratch/modules"
}

# install_clients: the packages of the ACP clients, as locked; not by "npm ci",
# which misses optional packages of other systems in a lock without addresses.
clients="testdata/acp-sdk testdata/acpx"
install_clients() {
  local dir
  for dir in $clients; do
    echo "installing the packages of $dir"
    (cd "$dir" && npm install --no-save --cache "$cache/npm" --no-audit --no-fund --loglevel=error)
  done
}

format() {
  local bad
  bad=$(gofmt -l .) || return 1
  [ -z "$bad" ] || { printf 'gofmt would change:\n%s\n' "$bad"; return 1; }
}

vet() { go vet ./...; }

modules() { go mod tidy -diff; }

# cross compiles as the packages of the VS Code client do, which share it.
cross() {
  local target ok=0
  for target in $CROSS; do
    echo "$target"
    GOOS=${target%/*} GOARCH=${target#*/} go build -trimpath -ldflags '-s -w' -o "$scratch/cross" ./cmd/agent-ls &&
      GOOS=${target%/*} GOARCH=${target#*/} go vet -trimpath ./... || ok=1
  done
  return $ok
}

lint() { GOLANGCI_LINT_CACHE=$cache/lint "$linter" run ./...; }

# quietly: keeps results, failures, races, logs, skipped tests, and tests that
# took ten seconds or more, of "go test -v".
quietly() { sed -E '/^ *(=== (RUN|PAUSE|CONT|NAME)|--- PASS:.*\([0-9]\.[0-9]+s\)$)/d; /^PASS$/d; /\[no test files\]$/d'; }

# go_test ARG…: "go test" without the vet that has a step of its own.
go_test() { go test -vet=off "$@"; }

tests() { go_test -short -timeout 10m ./...; }

# with_race ARG…: "go test" with the race detector, which sleeps for a second at
# the end of each process if it is not told otherwise.
with_race() { CGO_ENABLED=1 GORACE=atexit_sleep_ms=50 go_test -race -v "$@" | quietly; }

# Of the black-box tests only those that are about races run with the detector,
# in the program too: the rest says the same without it in a third of the time.
race_tests() {
  local ok=0
  # shellcheck disable=SC2046 # one word a package
  with_race -timeout 30m $(go list ./... | grep -v /acp/conformance) | tee "$scratch/race.log" || ok=1
  slowest=$(awk '/^(ok|FAIL)[[:space:]].*s$/ { print $3 + 0, $2 }' "$scratch/race.log" | sort -rn | head -n 5)
  with_race -timeout 20m -run 'TestRandomCancels|TestCrashes|TestTwoProcesses' ./acp/conformance || ok=1
  go_test -v -timeout 20m ./acp/conformance | quietly || ok=1
  return $ok
}

# packages_with WORD: the folders whose tests have functions that begin so.
packages_with() {
  local dir
  for dir in $(go list -f '{{.Dir}}' ./...); do
    grep -qs "^func $1" "$dir"/*_test.go && echo "$dir"
  done
}

# fuzz: every fuzzer for a while, of a package built once.
fuzz() {
  local pkg name ok=0
  for pkg in $(packages_with Fuzz); do
    go_test -c -fuzz . -o "$scratch/fuzz.test" "$pkg" || { ok=1; continue; }
    for name in $(cd "$pkg" && "$scratch/fuzz.test" -test.list '^Fuzz'); do
      fuzz_one "$pkg" "$name" || ok=1
    done
  done
  return $ok
}

# fuzz_one DIR NAME: a fuzzer that the end of its time met in the middle of an
# input may say only "context deadline exceeded": no finding.
fuzz_one() {
  if (cd "$1" && "$scratch/fuzz.test" -test.run '^$' -test.fuzz "^$2\$" -test.fuzztime "${FUZZ_SECONDS}s" \
    -test.fuzzcachedir "$(go env GOCACHE)/fuzz/$(go list "$1")") >"$scratch/fuzz.log" 2>&1 ||
    { grep -q 'context deadline exceeded' "$scratch/fuzz.log" && ! grep -q 'Failing input' "$scratch/fuzz.log"; }; then
    echo "ok  $2 $(grep -oE 'execs: [0-9]+' "$scratch/fuzz.log" | tail -n 1)"
  else
    cat "$scratch/fuzz.log"
    return 1
  fi
}

benchmarks() {
  local pkg ok=0
  for pkg in $(packages_with Benchmark); do
    go_test -run '^$' -bench . -benchtime 1x "$pkg" >"$scratch/bench.log" 2>&1 || { cat "$scratch/bench.log"; ok=1; continue; }
    grep '^ok' "$scratch/bench.log"
  done
  go run ./bench --runs 1 -- "$program" acp || ok=1
  return $ok
}

build() { go build -o "$program" ./cmd/agent-ls && "$program" version; }

acp_clients() {
  local dir ok=0
  for dir in $clients; do
    (cd "$dir" && AGENT_LS=$program node --test) || ok=1
  done
  return $ok
}

# suite DIR: the tests of a folder that brings its own script, with what it
# installs kept in the cache.
suite() { AGENT_LS=$program AGENT_LS_TEST_CACHE=$cache "$1/test.sh"; }

nvim_client() { suite nvim-client; }
plain_editors() { suite testdata/editors; }
vscode_client() { suite vscode-client; }
hosted_agents() { suite testdata/hosted; }

demo() { "$program" demo; }

has go || { echo "test.sh: Go is missing; it is the one thing that must be there" >&2; printf '0 passed, 1 failed\n'; exit 1; }

step "format" format
step "vet" vet
step "build" build
if $quick; then
  step "module files" modules
  step "tests" tests
else
  echo
  echo "${bold}== what the tests need${off}"
  install
  step "module files" modules
  step "builds for $CROSS" cross
  step "linter" lint "$linter"
  step "tests with the race detector" race_tests gcc git patch
  step "fuzzers, $FUZZ_SECONDS s each" fuzz
  step "benchmarks, once" benchmarks
  step "ACP clients: the official SDK's and acpx" acp_clients node testdata/acp-sdk/node_modules testdata/acpx/node_modules
  step "Neovim client" nvim_client
  step "editors without a client of ours" plain_editors
  step "VS Code client" vscode_client node npm
  step "hosted agents" hosted_agents node npm
  step "demonstration" demo
fi

echo
echo "${bold}== summary${off}"
printf '%s\n' "${summary[@]}"
[ -z "$slowest" ] || printf '\nslowest packages with the race detector, seconds:\n%s\n' "$slowest"
echo
echo "downloads: $cache"
(cd "$cache" && du -sh -- * 2>/dev/null | sed 's/^/  /')
echo "  (Go's own modules are in $(go env GOMODCACHE))"
echo
if [ $skipped -gt 0 ]; then
  echo "$passed passed, $failed failed, $skipped skipped"
else
  echo "$passed passed, $failed failed"
fi
[ $failed -eq 0 ]
