# Tables 3 and 4: percent of the counterfactuals of a method, of all posts and of each group's, that most raters find fluent (F),
# without the attribute (A), of the same label (L), all three (FAL), and these with a meaning of 4, 3 or more, and 2 or more.
# Ties are left out and counted.  "easy": of the posts that ablation is good at, how many this method is good at.
# Usage: jq -rs --slurpfile posts POSTS -f rated.jq < VOTES
def share(of): map(select(of)) | length;
def percent($n): if $n == 0 then "-" else 1000 * . / $n | round / 10 end;
def row($name; $easy): map(select(.tied | not)) as $votes | ($votes | length) as $n
  | [$name]
    + ($votes | [share(.fluent == "yes"), share(.refers == "no"), share(.label == "yes"), share(.FAL), share(.FAL and .meaning == 4),
         share(.FAL and .meaning >= 3), share(.FAL and .meaning >= 2)] | map(percent($n)))
    + [(map(select($easy[.id])) | length as $of | share(.good) | percent($of)), $n, length - $n, share(.disputed)];
map(.id |= tostring | .terms = ($posts | INDEX(.id))[.id].terms)
| (map(select(.system == "ablation" and .good) | {(.id): true}) | add // {}) as $easy
| ["method", "F", "A", "L", "FAL", "FAL M4", "FAL M3+", "FAL M2+", "easy", "n", "ties", "disputed"],
  (group_by(.system)[] | row(.[0].system; $easy), (group_by(.terms)[] | row("\(.[0].system), \(.[0].terms)"; $easy)))
| @tsv
