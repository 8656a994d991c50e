# Words as Gadetsky et al. (2018) keep them, [[word], definition, example], each a list of words: a record for each
# definition of a word, with all its examples.
def text: join(" ") | gsub(" (?<sign>[,.;:!?)])"; .sign) | gsub("(?<sign>[(]) "; .sign);
group_by(.[0][0], .[1]) | to_entries[] | {id: "\(.value[0][0][0])-\(.key)", cluster: .value[0][0][0], lang: "en",
  term: .value[0][0][0], sentences: [.value[][2] | text], reference: (.value[0][1] | text)}
