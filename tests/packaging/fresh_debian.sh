#!/usr/bin/env bash
# fresh_debian.sh [FOLDER]: how long a newcomer waits on a minimal Debian 12: from git clone to the first event delivered,
# packages included; then ./dev run once more, with nothing to build; then ./dev test. Prints seconds, fails if one of the
# three does. Clones what is committed here. FOLDER gets a root file system of some 4 GB, removed at the end. Needs root,
# debootstrap and Debian's archive.
set -euo pipefail

# In namespaces of its own nothing stays mounted or running, whatever happens.
[[ $$ == 1 ]] || exec unshare --mount --pid --fork --kill-child --mount-proc "${BASH_SOURCE[0]}" "$@"

source=$(git -C "$(dirname "${BASH_SOURCE[0]}")" rev-parse --show-toplevel)
mkdir -p "${1:-/tmp/fresh_debian}"
root=$(cd "${1:-/tmp/fresh_debian}" && pwd)/root
trap 'umount -R "$root"/{proc,dev} && rm -rf --one-file-system "$root"' EXIT

# stamped PATTERN COMMAND…: the command's output with the seconds since $start, until a line has PATTERN; fails if none has.
stamped() {
    local pattern=$1 line found=1
    shift
    while IFS= read -r line; do
        printf '%5d  %s\n' $((SECONDS - start)) "$line"
        [[ $line != *"$pattern"* ]] || { found=0 && break; }
    done < <(env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root chroot "$root" "$@" 2>&1 </dev/null)
    kill -- -1 2>/dev/null || true  # the broker: all processes but this one
    wait
    return "$found"
}

rm -rf --one-file-system "$root"
debootstrap --variant=minbase --include=git bookworm "$root" >"$root.log"
rm -f "$root"/var/cache/apt/archives/*.deb
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"

echo "From git clone to the first event:"
start=$SECONDS
git clone -q "$source" "$root/sluice"
stamped 'received: ' /sluice/dev run --set http.port=0
echo "With nothing to build:"
start=$SECONDS
stamped ' listening ' /sluice/dev run --set http.port=0
echo "./dev test:"
start=$SECONDS
stamped '% tests passed, 0 tests failed' /sluice/dev test
