#!/bin/sh
# machine_paths.sh ROOT: no file of the project names a folder of somebody's own machine. Its files are those that git
# has or would take.
cd "$1" || exit 2
git rev-parse --git-dir >/dev/null 2>&1 || { echo "skipped: not a git checkout"; exit 4; }
git grep --untracked -nIE '(^|[^[:alnum:]_.~/-])/(home|root|Users|mnt)/[[:alnum:]]' -- . ":!tests/checks/machine_paths.sh"
case $? in
    0) echo "these lines name a folder that exists on one machine only"; exit 1 ;;
    1) exit 0 ;;
    *) exit 2 ;;
esac
