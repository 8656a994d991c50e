#!/usr/bin/env bash
# submit.sh IN OUT N: one array of N parts on Slurm, then their results in OUT/results.jsonl.
# GENERATE is the command that writes the outputs, METRICS the options of dt-score.
set -euo pipefail

IN=$(realpath "$1") OUT=$(realpath -m "$2") N=$3 HERE=$(dirname "$(realpath "$0")")
export IN OUT N
mkdir -p "$OUT"
parts=$(sbatch --parsable --export=ALL --array="1-$N" --output="$OUT/part%a.log" "$HERE/part.sbatch")
# without --kill-on-invalid-dep the merge would wait for ever for a part that failed
sbatch --export=ALL --dependency="afterok:$parts" --kill-on-invalid-dep=yes \
  --output="$OUT/merge.log" "$HERE/merge.sbatch"
