#!/bin/bash
# failed_build.sh ROOT: fails unless ./dev notices a build that fails, also where errexit is off: it would go on with what
# was built before, and pass.
# shellcheck source=/dev/null
source <(sed '/^case \${1-help}/,$d; /^cd /d' "$1/dev")
cd "$(mktemp -d)" || exit 2
trap 'rm -rf "$PWD"' EXIT
cmake() { [[ $1 != "$failing" ]]; }
mkdir -p build/dev
touch CMakePresets.json
for failing in --preset --build; do
    ! compile dev || exit 1
done
failing=none
compile dev || exit 1
