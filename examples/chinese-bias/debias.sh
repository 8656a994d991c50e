#!/usr/bin/env bash
# Does the difference go away when a model is trained against it?
#
# debias.sh OUT            on the dialogues and posts of this example; half of the posts are to learn from, half to test with
# debias.sh OUT DATA     on KdConv and the posts of CHBias, in the folders kdconv and chbias of DATA
#
# A small model is trained on dialogues and posts ("base"); then, for each remedy, once more on the posts about one
# kind of people ("more" without a remedy).  Results are in OUT/gender.txt and, with DATA, OUT/age.txt.
set -euo pipefail
jobs=()
out=$1 shared=${2:-} here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$out"
seed=${SEED:-1}
weight=${WEIGHT:-50}  # λ, of the paper's 10, 50 and 100
export OMP_NUM_THREADS=${OMP_NUM_THREADS:-1}

if [ -z "$shared" ]; then
    model=tiny:kind=causal,layers=1,hidden=64,vocabulary=800 base="--epochs 6 --batch-size 8" kinds=gender
else
    model=tiny:kind=causal,layers=2,hidden=128,vocabulary=4000 base="--epochs 3 --batch-size 32" kinds="gender age"
fi
# Two epochs, as in the paper; the rate is that of a model that is small and new.
tune="--epochs 2 --batch-size 8 --learning-rate 5e-4"
declare -A spec=([gender]=gender-chbias [age]=age) first=([gender]=female [age]=old)

# A post is what is written for the word 微博 (post); an answer, for an utterance.
asked() { jq -c '. + {text: "微博", reference: .text}' "$@"; }
lines() {
    jq -Rnc --arg id "$1" '[inputs | select(length > 0)] | to_entries[] | {id: "\($id)-\(.key)", lang: "zh", text: .value}' "$2"
}
pairs() {
    dt-convert --from kdconv --lang zh "$shared/kdconv/$1/$2.json" | jq -c --arg id "$1-$2" '.id as $number | .dialogue as $turns |
        range(1; $turns | length) as $at |
        {id: "\($id)-\($number)-\($at)", lang: "zh", text: $turns[$at - 1].text, reference: $turns[$at].text}'
}
train() {
    dt-train generator --offline --lang zh --seed "$seed" --allow-blind --overwrite -q --max-new-tokens 64 --dev-outputs 4 \
        --dev "$out/dev.jsonl" "$@"
}

for kind in $kinds; do
    if [ -z "$shared" ]; then
        jq -c --arg kind "$kind" 'select(.group == $kind)' "$here/posts.jsonl" > "$out/$kind.jsonl"
        awk 'NR % 2' "$out/$kind.jsonl" > "$out/$kind.train.jsonl"
        awk 'NR % 2 == 0' "$out/$kind.jsonl" > "$out/$kind.one.jsonl"
    else
        lines "$kind" "$shared/chbias/$kind/${kind}_train.txt" > "$out/$kind.train.jsonl"
        dt-convert --from chbias --lang zh "$shared/chbias/$kind/${kind}_${first[$kind]}_test.csv" -o "$out/$kind.one.jsonl"
    fi
    # The same said of other people, as a test and as a remedy (CTDA), and the opposite said of them (CADA).
    dt-perturb -k "terms.swap:spec=${spec[$kind]}" --require-change skip "$out/$kind.one.jsonl" -o "$out/$kind.two.jsonl"
    dt-perturb -k "terms.swap:spec=${spec[$kind]}" --keep-original --require-change skip "$out/$kind.train.jsonl" |
        asked > "$out/$kind.CTDA.jsonl"
    dt-perturb -k "terms.attribute:spec=${spec[$kind]}" --keep-original --require-change skip "$out/$kind.train.jsonl" |
        asked > "$out/$kind.CADA.jsonl"
    asked "$out/$kind.train.jsonl" > "$out/$kind.posts.jsonl"
done

if [ -z "$shared" ]; then
    jq -c 'select(.group == "age")' "$here/posts.jsonl" | asked > "$out/dev.jsonl"
    cat "$here/talk.jsonl" "$out/gender.posts.jsonl" > "$out/learned.jsonl"
    cp "$here/talk.jsonl" "$out/talk.jsonl"
else
    for kind in $kinds; do lines "dev-$kind" "$shared/chbias/$kind/${kind}_${first[$kind]}_valid.txt"; done | asked > "$out/dev.jsonl"
    { pairs music dev; pairs travel dev; for kind in $kinds; do cat "$out/$kind.posts.jsonl"; done; } > "$out/learned.jsonl"
    { pairs music test; pairs travel test; } | awk 'NR % 50 == 0' > "$out/talk.jsonl"
fi
train --model "$model" $base --train "$out/learned.jsonl" --output-dir "$out/base" -o "$out/base.log"

# Train with each remedy, and test all models on the posts about one kind of people.
debias() {
    local kind=$1 row folder value data remedy models=()
    for row in more LMD ADD HD CADA CTDA; do
        case $row in
            LMD) remedy="--objective target:weight=$weight,spec=${spec[$kind]}" ;;
            ADD) remedy="--objective attribute:weight=$weight,spec=${spec[$kind]}" ;;
            HD) remedy="--objective subspace:weight=$weight,spec=${spec[$kind]}" ;;
            *) remedy= ;;
        esac
        data=$out/$kind.$row.jsonl
        [ -f "$data" ] || data=$out/$kind.posts.jsonl
        train --model "$out/base" $tune $remedy --train "$data" --output-dir "$out/$kind.$row" -o "$out/$kind.$row.log"
    done

    # What is read is "微博", a line end, and the post, as in training.
    for row in base more LMD ADD HD CADA CTDA; do models+=(-m "$(perplexity "$kind" "$row")"); done
    for group in one two; do
        jq -c '.line = "微博\n" + .text | del(.variant)' "$out/$kind.$group.jsonl" |
            dt-score -q "${models[@]}" -o "$out/$kind.$group.scored.jsonl"
    done
    echo "remedy  t  p  pairs  perplexity  distinct2" > "$out/$kind.table"
    for row in base more LMD ADD HD CADA CTDA; do
        value=$(perplexity "$kind" "$row")
        dt-ttest -q --value "scores.$value" -t paired --outliers sd:3 "$out/$kind.one.scored.jsonl" "$out/$kind.two.scored.jsonl" \
            -o "$out/$kind.$row.ttest.json"
        dt-generate -q --model "$(folder "$kind" "$row")" --offline --max-new-tokens 24 --sample --seed "$seed" --batch-size 32 "$out/talk.jsonl" |
            dt-score -q -m distinct2 --summary --format json -o "$out/$kind.$row.talk.json"
        # The perplexity is the geometric mean over all posts.
        jq -r --arg row "$row" --arg key "$value" --slurpfile scored "$out/$kind.one.scored.jsonl" \
            --slurpfile talk "$out/$kind.$row.talk.json" '
            ($scored | map(.scores[$key] | log) | add / length | exp) as $perplexity |
            [$row, .statistic, .p, .n, $perplexity, $talk[0].corpus] |
            map(if type == "number" then . * 1000 | round / 1000 else . end) | @tsv' \
            "$out/$kind.$row.ttest.json" >> "$out/$kind.table"
    done
    column -t "$out/$kind.table" > "$out/$kind.txt"
}
folder() { [ "$2" = base ] && echo "$out/base" || echo "$out/$1.$2"; }
perplexity() { echo "perplexity:model=$(folder "$1" "$2"),of=line,long=truncate"; }

for kind in $kinds; do debias "$kind" & jobs+=($!); done
for job in "${jobs[@]}"; do wait "$job"; done
for kind in $kinds; do echo "$kind"; cat "$out/$kind.txt"; done
