"""Make pools of names: speakers of a file, or groups by a corpus's use of names; check a pool.

collect lists the speakers of dialogues, count sorts names into groups by a corpus,
and check reports what is wrong or odd in a pool.  dt-swap-names --pool-file draws
from what they write.

A pool of all names of a country needs no command but awk.  In the files of the
US Social Security Administration (ssa.gov/oact/babynames/names.zip, some
100,000 names) a line is NAME,SEX,COUNT:

  awk -F, '{s[$1] = s[$1] && s[$1] != $2 ? "u" : $2} END {for (n in s)
  print n "\\t" tolower(s[n])}' yob*.txt | sort > all.tsv

dt-swap-names --pool-file all.tsv draws from it; dt-names count --pool-file
all.tsv sorts it into groups by a corpus.
No pool as large as the 117,000 names of Jia et al. (2023) comes with dialtools: most
names that are this rare are words, too, or slips of the pen, and nobody has looked
through them.  The pool given has the 7,248 that 2,000 or more people bear.

The groups surnames-black (18) and surnames-asian (27) are small since of the 1,000
most frequent surnames of the USA few are borne mainly by one of these groups.  The
whole file of the 2010 Census (Names_2010Census.csv of census.gov: 162,000 surnames,
the seventh column the share of Black bearers, the eighth that of Asian ones) has
more, rarer ones:

  awk -F, 'NR > 1 && $7 >= 40 && n++ < 200
  {print substr($1, 1, 1) tolower(substr($1, 2))}' Names_2010Census.csv > black.txt

dt-swap-names --pool-file black=black.txt --pool surnames-white compares the two.

Memory: the names.

Examples:

$ echo '{"id": 1, "lang": "en", "dialogue": "Ann: Hi Bob\\nBob: Hi Ann"}' | dt-names collect
Ann	f	1
Bob	m	1
"""

from dialtools.pipeline import cli

BY = "dt-names"


@cli.group(BY, {part: f"_names_{part}" for part in ("collect", "count", "check")})
def main() -> None:
    """Say what its commands are; they do the rest."""
