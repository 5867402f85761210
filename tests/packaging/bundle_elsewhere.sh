#!/usr/bin/env bash
# Tries build/bundle (./dev bundle) in another Linux, Debian 13 with nothing of C++: its broker has to deliver an event.
# Fails if it does not. Needs root, debootstrap and Debian's archive.
# shellcheck source=tests/packaging/fresh_root.sh
source "$(dirname "${BASH_SOURCE[0]}")/fresh_root.sh"

make_root trixie
rm -f "$root"/usr/lib/*/{libstdc++,libgcc_s}.so*
cp -r "$source/build/bundle" "$root/sluice"
cp "$source"/docker/examples/harbour.rss "$root"
cat >"$root/try" <<'END'
has() {  # waits for a minute at most until the status has it
    for _ in $(seq 600); do
        /sluice/bin/sluice status --all 2>/dev/null | grep -q "$1" && return
        sleep 0.1
    done
    return 1
}
/sluice/run --set http.port=8080 --set store.path=/store &
has '^ *subscribers *0'
/sluice/bin/sluice subscribe --count 1 --no-reconnect "price < 100" &
has '^ *subscribers *1'
/sluice/bin/sluice publish /harbour.rss
wait %2
echo delivered
END
start=$SECONDS
stamped delivered bash -e /try
