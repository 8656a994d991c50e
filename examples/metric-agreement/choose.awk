# Lays out lines of SET, metric, tau, low, high, pairs, seconds, start as a table, the metric that agrees most first.
# Usage: awk -v sets="jsts sick" -f choose.awk FILE
BEGIN { FS = "\t"; number = split(sets, columns, " ") }
{
  if (!($2 in pairs)) names[++count] = $2
  tau[$2, $1] = $3 == "-" ? "-" : sprintf("%.3f [%.3f, %.3f]", $3, $4, $5)
  agreement[$2] += $3 < 0 ? -$3 : $3
  pairs[$2] += $6; seconds[$2] += $7; start[$2] += $8; runs[$2]++
}
function mean(name) { return agreement[name] / runs[name] }
END {
  for (i = 2; i <= count; i++)
    for (j = i; j > 1 && mean(names[j]) > mean(names[j - 1]); j--) { name = names[j]; names[j] = names[j - 1]; names[j - 1] = name }
  line = sprintf("%-18s", "tau-b")
  for (i = 1; i <= number; i++) line = line sprintf("%25s", toupper(columns[i]))
  print line sprintf("%8s%14s%8s", "pairs", "s for 1,000", "start")
  for (r = 1; r <= count; r++) {
    name = names[r]; line = sprintf("%-18s", name)
    for (i = 1; i <= number; i++) line = line sprintf("%25s", tau[name, columns[i]])
    each = 1000 * (seconds[name] - start[name]) / (pairs[name] - runs[name])
    print line sprintf("%8d%14s%8.1f", pairs[name], sprintf(each < 10 ? "%.2f" : "%.0f", each < 0 ? 0 : each), start[name] / runs[name])
  }
}
