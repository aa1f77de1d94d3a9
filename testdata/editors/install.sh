#!/usr/bin/env bash
# usage: install.sh FOLDER EDITOR…
# Puts real editors into FOLDER, each into a root of its own that does not touch the system: nvim-0.10,
# nvim-0.12, helix and emacs. FOLDER/bin has a program of each name. What is there already stays.
# Needs Debian, apt-get and, for what comes from a newer Debian with its own libc, patchelf.
set -euo pipefail

here=$(mkdir -p "$1" && cd "$1" && pwd)
shift
mkdir -p "$here/bin"

mirror=$(awk '/^URIs:/ { print $2; exit }' /etc/apt/sources.list.d/debian.sources 2>/dev/null || true)
[ -n "$mirror" ] || mirror=$(awk '$1 == "deb" { for (i = 2; i <= NF; i++) if ($i ~ /^http/) { print $i; exit } }' /etc/apt/sources.list)

# private_apt SUITES: an apt with lists of its own; its options go into the array apt.
private_apt() {
  local state=$here/apt/${1// /-}
  mkdir -p "$state/lists/partial" "$state/cache/archives/partial"
  printf 'Types: deb\nURIs: %s\nSuites: %s\nComponents: main\nSigned-By: %s\n' \
    "$mirror" "$1" /usr/share/keyrings/debian-archive-keyring.gpg >"$state/list.sources"
  : >"$state/status"
  archives=$state/cache/archives
  apt=(apt-get -qq -y
    -o Dir::Etc::sourcelist="$state/list.sources" -o Dir::Etc::sourceparts=/dev/null
    -o Dir::State::lists="$state/lists" -o Dir::Cache="$state/cache" -o Debug::NoLocking=1
    -o APT::Install-Recommends=false -o Acquire::Languages=none
    -o Dir::State::status="$state/status")
  "${apt[@]}" update
}

# unpack SUITES ROOT PACKAGE…: all that the packages need, unpacked into ROOT.
unpack() {
  local suites=$1 root=$2 deb
  shift 2
  private_apt "$suites"
  "${apt[@]}" --download-only install "$@" >/dev/null
  mkdir -p "$root"
  for deb in "$archives"/*.deb; do dpkg-deb -x "$deb" "$root"; done
  rm -rf "$root"/usr/share/{doc,man,locale,info} "$here/apt"
}

# own_libc ROOT PROGRAM: lets a program of ROOT run with the libraries of ROOT.
own_libc() {
  local loaders=("$1"/usr/lib/*-linux-gnu/ld-linux-*.so.*) loader
  loader=${loaders[0]}
  patchelf --set-interpreter "$loader" --force-rpath --set-rpath "${loader%/*}" "$1/usr/bin/$2"
}

# launcher NAME VARIABLE=VALUE PROGRAM: writes FOLDER/bin/NAME, last of all.
launcher() {
  printf '#!/bin/sh\n%s exec %s "$@"\n' "$2" "$3" >"$here/bin/$1.new"
  chmod +x "$here/bin/$1.new"
  mv "$here/bin/$1.new" "$here/bin/$1"
}

nvim() { # NAME SUITE
  local root=$here/$1
  unpack "$2" "$root" neovim
  own_libc "$root" nvim
  launcher "$1" "VIMRUNTIME='$root/usr/share/nvim/runtime'" "'$root/usr/bin/nvim'"
}

helix() {
  unpack forky "$here/helix" hx
  own_libc "$here/helix" hx
  launcher helix "HELIX_RUNTIME='$here/helix/usr/lib/hx/runtime'" "'$here/helix/usr/bin/hx'"
}

emacs() {
  local root=$here/emacs
  unpack trixie "$root" emacs-nox
  own_libc "$root" emacs-nox
  local share=("$root"/usr/share/emacs/[0-9]*) libexec=("$root"/usr/libexec/emacs/*/*-linux-gnu)
  local dump=("${libexec[0]}"/emacs-*.pdmp)
  launcher emacs "EMACSLOADPATH='$(find "${share[0]}/lisp" -type d | paste -sd:)' EMACSDATA='${share[0]}/etc' EMACSPATH='${libexec[0]}'" \
    "'$root/usr/bin/emacs-nox' --dump-file='${dump[0]}'"
}

for editor; do
  [ ! -x "$here/bin/$editor" ] || continue
  echo "installing $editor"
  case $editor in
    nvim-0.10) nvim "$editor" trixie ;;
    nvim-0.12) nvim "$editor" forky ;;
    helix) helix ;;
    emacs) emacs ;;
    *) echo "install.sh: unknown editor $editor" >&2; exit 2 ;;
  esac
done
