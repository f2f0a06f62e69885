#!/usr/bin/env bash
# How the time of a derivation grows with the sentence, as time on the core, which does not depend on what else the machine does:
# the mean of 100 runs of a case of `cargo bench -p quaich-transition`, by `perf stat`. Prints a Markdown table.
set -euo pipefail
cd "$(dirname "$0")/.."
program=$(cargo bench --package quaich-transition --bench systems --no-run 2>&1 | sed -n 's/.*Executable.*(\(.*\))/\1/p')
figures=$(mktemp)
trap 'rm -f "$figures"' EXIT

# Milliseconds on the core for a case, run so many times.
time_of() {
    perf stat --field-separator , --event task-clock --output "$figures" \
        "$program" --bench "$1" --sample-count "$2" --sample-size 1 > /dev/null 2>&1
    grep task-clock "$figures" | cut -d, -f1
}

printf '| case | tokens | ms | × |\n|---|---|---|---|\n'
for case in growth_linear::{ArcEager,ArcHybrid,StackProjective,Planar,TwoPlanar}::{25000,50000,100000} \
    growth_swap_lazy::{25000,50000,100000} growth_swap_worst::{500,1000,2000} growth_covington::{500,1000,2000}; do
    once=$(time_of "$case\$" 1)
    often=$(time_of "$case\$" 101)
    printf '%s %s %s\n' "${case//::/ }" "$once" "$often"
done | awk '{
    name = $1; for (i = 2; i < NF - 2; i++) name = name " " $i
    tokens = $(NF - 2); time = ($NF - $(NF - 1)) / 100
    printf "| %s | %d | %.3f | %s |\n", name, tokens, time, name == before ? sprintf("%.2f", time / last) : ""
    before = name; last = time
}'
