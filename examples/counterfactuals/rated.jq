# Table 3: percent of the counterfactuals of a method that most raters find fluent (F), without the attribute (A), of the same
# label (L), all three (FAL), and these with a meaning of 4, 3 or more, and 2 or more.  Ties are left out and counted.
def share(of): map(select(of)) | length;
([["method", "F", "A", "L", "FAL", "FAL M4", "FAL M3+", "FAL M2+", "n", "ties", "disputed"]]
 + (group_by(.system) | map(. as $all | map(select(.tied | not)) | . as $votes | length as $n
     | [$all[0].system]
       + ([share(.fluent == "yes"), share(.refers == "no"), share(.label == "yes"), share(.FAL), share(.FAL and .meaning == 4),
           share(.FAL and .meaning >= 3), share(.FAL and .meaning >= 2)]
          | map(if $n == 0 then "-" else 1000 * . / $n | round / 10 end))
       + [$n, ($all | length) - $n, ($all | share(.disputed))])))[]
| @tsv
