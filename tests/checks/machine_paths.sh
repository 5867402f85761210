#!/bin/sh
# machine_paths.sh ROOT: no file of the project names a folder of somebody's own machine.
cd "$1" || exit 2
if grep -rnIE '(^|[^[:alnum:]_.~/-])/(home|root|Users|mnt)/[[:alnum:]]' \
    --exclude-dir=build --exclude-dir=.git --exclude="$(basename "$0")" .; then
    echo "these lines name a folder that exists on one machine only"
    exit 1
fi
