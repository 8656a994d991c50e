# Table 1 from results of dt-ttest (slurped): who noticed errors in the round without warnings, and how much these hindered
# them, for each language and order; p of the order is by two proportions, and after Holm over the languages.
def percent: . * 10 | round / 10;
def short: if . == null then "-" else . * 10000 | round / 10000 end;
(map(select(.test == "likert") | {(.group): .}) | add) as $ratings
| ["", "", "without warnings first", "with warnings first", "p of the order", "after Holm"],
  (.[] | select(.value | startswith("noticed_")) | (.value | ltrimstr("noticed_")) as $lang
   | [$lang, "noticed", "\(.yes_a) of \(.n_a) (\(100 * .mean_a | percent) %)", "\(.yes_b) of \(.n_b) (\(100 * .mean_b | percent) %)",
      (.p, .p_adjusted | short)],
     (range(1; 6) as $score | ["", "score \($score)", ("last", "first" | $ratings["\($lang) \(.)"].counts["\($score)"] // 0)]),
     ["", "4 or 5", ("last", "first" | $ratings["\($lang) \(.)"]
      | if .share == null then "-" else "\(.share | percent) % [\(.share_ci | map(percent) | join(", "))]" end)])
| @tsv
