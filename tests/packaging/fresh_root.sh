# A minimal Debian to try things in, for the scripts that source this file as root: a folder that is removed at the end.
# Nothing stays mounted or running either, since the script goes on in namespaces of its own.
# shellcheck shell=bash disable=SC2154
set -euo pipefail
[[ $$ == 1 ]] || exec unshare --mount --pid --fork --kill-child --mount-proc "$0" "$@"

source=$(git -C "$(dirname "${BASH_SOURCE[0]}")" rev-parse --show-toplevel)
folder=$(mktemp -d)
root=$folder/root
trap 'kill -- -1 2>/dev/null; umount -R "$root"/{proc,dev} 2>/dev/null; rm -rf --one-file-system "$folder"' EXIT

# make_root SUITE [OPTION OF DEBOOTSTRAP…]
make_root() {
    local suite=$1
    shift
    echo "Installing a minimal Debian $suite"
    debootstrap --variant=minbase "$@" "$suite" "$root" >"$folder/log" || { cat "$folder/log" && exit 1; }
    rm -f "$root"/var/cache/apt/archives/*.deb
    mount -t proc proc "$root/proc"
    mount --rbind /dev "$root/dev"
}

inside() { env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/ chroot "$root" "$@"; }

# stamped PATTERN COMMAND…: the command's output with the seconds since $start, until a line has PATTERN; fails if none has.
# Then nothing runs any more.
stamped() {
    local pattern=$1 line found=1
    shift
    while IFS= read -r line; do
        printf '%5d  %s\n' $((SECONDS - start)) "$line"
        [[ $line != *"$pattern"* ]] || { found=0 && break; }
    done < <(inside "$@" 2>&1 </dev/null)
    kill -- -1 2>/dev/null || true  # all processes but this one
    wait
    return "$found"
}
