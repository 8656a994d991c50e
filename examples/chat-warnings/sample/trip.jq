# A translator of paper, there and back: what a language does not tell is lost, and its order of words stays.
# --arg to: articles (a language that has none), time (one without tenses), verbs (one whose verbs come last).
def things: {apple: "fruit", cherry: "fruit", apples: "fruit", tree: "wood", trees: "wood", train: "car", film: "picture",
  sister: "relative", coast: "edge", cafe: "shop", soup: "water", garden: "field", winter: "cold", house: "shop"};
split(" ")
| if $to == "articles" then map(select(IN("a", "an", "the", "my") | not))
  elif $to == "time" then map(select(IN("did", "will", "was", "would", "be", "again") | not) | {planted: "plant", missed: "miss", went: "go"}[.] // .)
  elif $to == "verbs" then (map(IN("did", "planted", "plant", "was", "missed", "miss", "see", "will", "is", "work", "like", "make", "wait", "have")) | index(true)) as $verb
    | if $verb then .[:$verb] + .[$verb + 1:] + [.[$verb]] else . end
  else map(things[.] // .) end
| join(" ")
