#!/bin/sh
# Measures Elixir: `elixir.sh version`, or `elixir.sh WORKLOAD` with the sizes in the environment,
# as the comparison calls it. Prints a line for each figure: its id and its value.
here=$(dirname "$0")
if ! command -v elixir >/dev/null 2>&1; then
    echo "elixir is not installed: its column is left out" >&2
    [ "$1" = version ]
    exit
fi
# Two schedulers, as the others have two threads; room for all the processes.
exec timeout 150 elixir --erl "+S 2:2 +SDcpu 1:1 +SDio 1 +P 1000000" "$here/elixir.exs" "$1"
