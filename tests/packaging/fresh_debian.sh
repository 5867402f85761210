#!/usr/bin/env bash
# How long a newcomer waits on a minimal Debian 12: from git clone to the first event delivered, packages included; then
# ./dev run once more, with nothing to build; then ./dev test. Prints seconds, fails if one of the three does. Clones what
# is committed here. Needs root, debootstrap, Debian's archive, and 4 GB in TMPDIR for the time being.
# shellcheck source=tests/packaging/fresh_root.sh
source "$(dirname "${BASH_SOURCE[0]}")/fresh_root.sh"

make_root bookworm --include=git
echo "From git clone to the first event:"
start=$SECONDS
git clone -q "$source" "$root/sluice"
stamped 'received: ' /sluice/dev run --set http.port=0
echo "With nothing to build:"
start=$SECONDS
stamped ' ready ' /sluice/dev run --set http.port=0
echo "./dev test:"
start=$SECONDS
stamped '% tests passed, 0 tests failed' /sluice/dev test
