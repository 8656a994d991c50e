# each FILE...: what every filter makes of the same input, with its exit status; sourced by the cases beside it.
each() {
  for filter in dt-check "dt-clean --squeeze" "dt-convert --from jsonl" "dt-generate -g longest --overwrite" \
      "dt-keywords --by system --label X" "dt-names collect" "dt-parse --parser fugashi" "dt-perturb -k typo.case --overwrite" \
      dt-resegment "dt-score -m exact" "dt-select --terms $CASE/../terms.tsv" dt-show \
      "dt-swap-names --ids --overwrite" \
      "dt-merge --order $1" \
      "dt-ttest --value scores.exact --by system"; do
    echo "\$ $filter"
    echo "\$ $filter" >&2
    $filter "$@"
    echo "exit $?"
  done
}
