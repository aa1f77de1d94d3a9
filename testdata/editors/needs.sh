# Sourced by the scripts that test with real editors.

# need PROGRAM PACKAGE: brings a program where it is missing; where that cannot be, it is said, and under
# CI=true the script ends.
need() {
  command -v "$1" >/dev/null && return 0
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    [ -n "$(ls /var/lib/apt/lists/*Packages* 2>/dev/null)" ] || apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$2" >/dev/null 2>&1
    command -v "$1" >/dev/null && return 0
  fi
  echo "missing: $1 (package $2)" >&2
  [ "${CI-}" != true ] || exit 1
}
