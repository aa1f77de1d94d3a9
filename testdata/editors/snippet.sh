#!/usr/bin/env bash
# usage: snippet.sh LANGUAGE
# Prints the blocks of this language in docs/lsp.md: what users are told is what the tests run.
set -euo pipefail
page=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)/docs/lsp.md
awk -v begin="\`\`\`$1" '$0 == begin { on = 1; n++; next } $0 == "```" { on = 0 } on; END { if (!n) exit 1 }' "$page"
