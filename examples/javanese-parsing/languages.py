"""Print how far languages are from the first one, by features of LangRank (Lin et al. 2019) that can be had.

    python3 languages.py JV=jv.conllu ID=id.conllu ID=more.conllu EN=en.conllu

Distances of lang2vec, 0 to 1, lower is nearer: syntax, phonology, inventory (of sounds), family,
place on the globe.  Of the treebanks: overlap, the share of different words that both have, and
the words for one of the first.  "rank" is the mean of the ranks by all of them but size.  lang2vec
is a package of pip (with setuptools below 81); without it only the treebanks are compared.
"""

import sys
import warnings
from collections import defaultdict

import numpy

CODES = {"JV": "jav", "ID": "ind", "EN": "eng", "FR": "fra", "HR": "hrv", "IT": "ita", "KO": "kor"}
FEATURES = {
    "syntax": "syntax_knn",
    "phonology": "phonology_knn",
    "inventory": "inventory_knn",
    "family": "fam",
    "place": "geo",
}


def distances(languages: list[str]) -> dict[str, list[float]]:
    """Return the distance of each language from the first, as cosines of vectors of features."""
    warnings.simplefilter("ignore")
    try:
        from lang2vec import lang2vec
    except ImportError as error:
        print(f"without distances: {error} (pip install lang2vec 'setuptools<81')", file=sys.stderr)
        return {}
    table = {}
    for name, kind in FEATURES.items():
        features = lang2vec.get_features([CODES[language] for language in languages], kind)
        rows = numpy.array([features[CODES[language]] for language in languages], float)
        rows /= numpy.linalg.norm(rows, axis=1, keepdims=True)
        table[name] = list(1 - rows @ rows[0])[1:]
    return table


def main(arguments: list[str]) -> None:
    words: dict[str, list[str]] = defaultdict(list)
    for argument in arguments:
        language, _, path = argument.partition("=")
        with open(path, encoding="utf-8") as file:
            rows = [line.split("\t") for line in file]
        words[language] += [row[1].lower() for row in rows if row[0].isdigit()]
    first, *others = words
    mine = set(words[first])
    table = distances(list(words))
    table["overlap"] = [
        len(mine & set(words[other])) / (len(mine) + len(set(words[other]))) for other in others
    ]
    nearness = [
        [-x for x in column] if name == "overlap" else column for name, column in table.items()
    ]
    ranks = [[1 + sum(y < x - 1e-9 for y in column) for x in column] for column in nearness]
    mean = numpy.mean(ranks, axis=0)
    print("language", *table, "size", "rank", sep="\t")
    for n in sorted(range(len(others)), key=lambda n: mean[n]):
        size = len(words[others[n]]) / len(words[first])
        cells = [f"{column[n]:.3f}" for column in table.values()]
        print(others[n], *cells, f"{size:.1f}", f"{mean[n]:.1f}", sep="\t")


if __name__ == "__main__":
    main(sys.argv[1:])
