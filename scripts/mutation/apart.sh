#!/bin/sh
# Runs Node where it sees its own processes alone, in a group of their own: a mutant of what signals processes may signal all
# that it finds. Needs unshare (util-linux).
[ "$(id -u)" = 0 ] && user= || user='--user --map-current-user'
exec setsid unshare $user --pid --fork --kill-child --mount-proc "$SLUICE_NODE" "$@"
