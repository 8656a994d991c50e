"""Test sets of machine translation that sacrebleu has on this machine: WMT, IWSLT, MTNT, multi30k.

    dt-convert --from sacrebleu:set=wmt20,pair=en-de

There is no FILE: the set is read from sacrebleu's own folder, $SACREBLEU or else
~/.sacrebleu.  Nothing is downloaded: sacrebleu -t wmt20 -l en-de --echo src does that.

A line becomes a record with "text", "reference" (a list where sacrebleu takes several
for the pair), and what else the set tells of it ("docid", "origlang", references of
other translators).  The id is SET:PAIR:LINE, lines of one document share a "cluster",
and "lang" is the language of the translation.

Source: Post 2018, A Call for Clarity in Reporting BLEU Scores, and
https://github.com/mjpost/sacrebleu.
"""

import os
from collections.abc import Iterable, Iterator
from typing import Any

from dialtools.plugins.format import Format
from dialtools.system import files
from dialtools.system.errors import MissingError, OptionError, RecordError, nearest

Placed = Iterator[tuple[str, dict]]


def read(file: None, *, set: str = "", pair: str = "", lang: str = "") -> Placed:
    """Yield a record for each line.

    file: none.
    set: a name that sacrebleu knows, such as wmt20.
    pair: languages, such as en-de.
    lang: that of the translation, if not as in the pair.
    """
    from sacrebleu.dataset import DATASETS

    if set not in DATASETS:
        known = ", ".join(sorted(name for name in DATASETS if "/" not in name))
        raise OptionError(
            f"sacrebleu has no test set {set!r}{nearest(set, DATASETS)}; there are {known}, and "
            "parts of them"
        )
    pairs = DATASETS[set].langpairs
    if pair not in pairs:
        raise OptionError(f"{set} has no pair {pair!r}; there are {', '.join(pairs)}")
    columns = _columns(set, pair)
    references = _references(DATASETS[set], pair, columns)
    if not references:
        raise OptionError(f"{set} has no reference for {pair} on this machine")
    lines = {name: text.split("\n") for name, text in columns.items()}
    lengths = {name: len(column) for name, column in lines.items()}
    if len({*lengths.values()}) > 1:
        raise RecordError(f"{set} {pair}: the files differ in length: {lengths}")

    language = lang or pair.partition("-")[2].replace("_", "-")
    for number, row in enumerate(zip(*lines.values(), strict=True), 1):
        fields = dict(zip(lines, row, strict=True))
        wanted = [fields.pop(name) for name in references]
        record = {"id": f"{set}:{pair}:{number}", "lang": language, "text": fields.pop("src")}
        record["reference"] = wanted if len(wanted) > 1 else wanted[0]
        if fields.get("docid"):
            record["cluster"] = f"{set}:{pair}:{fields['docid']}"
        yield str(number), record | fields


def _columns(set: str, pair: str) -> dict[str, str]:
    """Return what the files of a pair hold, by their endings: src, ref, docid, ….

    Raise MissingError if the source is not on this machine.
    """
    home = os.environ.get("SACREBLEU") or os.path.join(os.path.expanduser("~"), ".sacrebleu")
    folder = os.path.join(home, *set.split("/"))
    prefix = f"{set.replace('/', '_')}.{pair}."
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    columns = {
        name.removeprefix(prefix): files.text(os.path.join(folder, name)).removesuffix("\n")
        for name in names
        if name.startswith(prefix)
    }
    if "src" not in columns:
        raise MissingError(
            f"{set} {pair} is not in {home}: sacrebleu -t {set} -l {pair} --echo src downloads it"
        )
    return columns


def _references(dataset: Any, pair: str, columns: Iterable[str]) -> list[str]:
    """Return the endings of the files that sacrebleu takes for references of a pair.

    Newer sets name the translators that count; of the others every reference does.
    """
    of_pair, labels = dataset.langpairs[pair], dataset.kwargs.get("refs")
    if isinstance(of_pair, dict):
        labels = of_pair.get("refs", labels)
    if labels is None:
        return [name for name in columns if name.startswith("ref")]
    named = [f"ref-{label}" if label else "ref" for label in labels]
    return [name for name in named if name in columns]


FORMAT = Format(read, of_files=False)
