"""What a perturbation declares: edits of a record."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, eq=False)
class Perturbation:
    """Edits of a record.  Its name is that of its group, a folder or a file, and its own: typo.case
    is typo/case.py, terms.swap the value `swap` of terms.py.

    perturb(record, rng, *, options): edits as records/edits.py has them, on the unedited record;
        [] if there is nothing to change.  The record has its dialogue as a list of turns.  The
        sixth item of an edit, if any, is a note on what was done ("zero copula").
    needs: keys that the record must have, or a function of the options.
    resource: the table of a language that defines the kind ("fillers.tsv"; options may stand in
        braces): a language without it is refused.  "": all languages will do.  Or a function of
        what paraphrases, since only rules need a table.
    required: options that must be given; no family has such a kind.
    tokens: keys that tokens must have, or a function of the Language; None needs no tokens.
    facts(record, edits, *, options): more for the history: {"remark": "…", "counts": {…}}.
    settings(*, options): the options as the signature shows them.
    changes_meaning: the variants mean something else (a negation): their history says so, dt-score
        counts them, and no family has the kind.
    whole_spec, summary: as in Metric.

    --rate and --timeout set options called so.  A parameter annotated Callable is no option: the command
    passes the function in (paraphrase, similarity).
    """

    perturb: Callable[..., list]
    needs: tuple[str, ...] | Callable[[dict], tuple[str, ...]] = ()
    resource: str | Callable[[Callable], str] = ""
    tokens: tuple[str, ...] | Callable[[Any], tuple[str, ...] | None] | None = None
    required: tuple[str, ...] = ()
    facts: Callable[..., dict] | None = None
    settings: Callable[..., dict] = dict
    changes_meaning: bool = False
    whole_spec: str = ""
    summary: str = ""
