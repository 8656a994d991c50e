# Lays out lines of SET, row, tau, … as a table with a column for each set, and beside it what the paper says (paper.tsv).
# Usage: awk -v sets="jsts sick" -v head=tau-b -f layout.awk [paper.tsv] FILE
BEGIN { FS = "\t"; number = split(sets, columns, " ") }
FILENAME == "paper.tsv" {
  if (FNR == 1) for (i = 2; i <= NF; i++) of[i] = $i
  else for (i = 2; i <= NF; i++) if ($i != "") { paper[$1, of[i]] = $i; has[of[i]] = 1 }
  next
}
{
  if (!($2 in seen)) { seen[$2] = 1; rows[++count] = $2 }
  tau[$2, $1] = $3 ~ /[0-9]/ ? sprintf("%.3f", $3) : $3
  if ($2 ~ /[*]$/) random = 1
}
END {
  line = sprintf("%-18s", head)
  for (i = 1; i <= number; i++) line = line sprintf("%12s", toupper(columns[i]))
  first = 1
  for (i = 1; i <= number; i++) if (columns[i] in has) { line = line sprintf(first ? "%19s" : "%12s", (first ? "paper: " : "") toupper(columns[i])); first = 0 }
  print line
  for (r = 1; r <= count; r++) {
    name = rows[r]; line = sprintf("%-18s", name); first = 1
    for (i = 1; i <= number; i++) line = line sprintf("%12s", (name, columns[i]) in tau ? tau[name, columns[i]] : "-")
    for (i = 1; i <= number; i++) if (columns[i] in has) { line = line sprintf(first ? "%19s" : "%12s", paper[name, columns[i]]); first = 0 }
    sub(/ +$/, "", line); print line
  }
  if (random) print "* of a tiny model with random weights: it runs, but the number means nothing"
}
