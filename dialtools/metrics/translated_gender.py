"""The gender of translated persons: shares, accuracy, and how far it depends on gender or stereotype.

The pronouns of a text tell its gender; a text with pronouns of both genders (he or she) or with none
is neutral.  Pronouns come from languages/TAG/pronouns.tsv.  A language whose pronouns tell no gender
(Indonesian, Javanese, Hindi; German, where sie is also they) is an error.  Nothing else is looked at,
verbs included, so that languages which often drop pronouns (Spanish, Italian, Arabic, Hebrew,
Japanese, Korean) have more neutral texts, and a text whose other words tell the gender (la doctora
llegó) is neutral too: results count texts without such a pronoun as "without_gender".  A pronoun of
a thing counts like one of a person, and so does the polite lei.

gender is 1 if the gender is the one asked for: share=male, share=female or share=neutral.  The mean
over records is the share in a data set.

gender_accuracy is 1 where a translation has the person's gender.  A record gives the person's
"gender": male, female or neutral (m, f, n); key=KEY names another key.  A neutral translation is wrong,
except of a neutral person (WinoMT has 240).  The mean over records is the accuracy of a data set.

The others are values of a data set.  delta_g (ΔG) is the F1 of male minus the F1 of female persons;
delta_s (ΔS) is the macro-F1 (the mean of both) of stereotypical minus that of other sentences: a record
has a "stereotype", pro or anti, beside the "gender" (key=KEY and group=KEY name other keys), and a group
without records counts as 0.  In both, neutral is a false negative, and a neutral person of WinoMT who
becomes male is a false positive of male; a single record scores 1 if the translation has the person's
gender, else 0, and the mean over records is the accuracy.  The papers give percent.

tgbi is how evenly sentences without gender are translated.  P of a set of sentences is
√(male share × female share + neutral share); TGBI is the mean of P over the sets.  A record names its
set under "set" (key=KEY names another key).  A single record scores 1 if its translation is neutral,
else 0.

Sources: gender: as OTSC-Hindi and N are measured in "Gender inflected or bias inflicted", sections 4
and 5: he, him, his against she, her.  gender_accuracy, delta_g, delta_s: Stanovsky et al. 2019,
https://aclanthology.org/P19-1164, as there, section 4.2.  tgbi: Cho et al. 2019,
https://aclanthology.org/W19-3824, as there, equation 1.

>>> english = get("en")
>>> gender.score(["He works as a nurse.", "She told him."], share="male", language=english)
[1.0, 0.0]
>>> translations = ["The nurse said he was late.", "They were late."]
>>> gender_accuracy.score(translations, ["female", "male"], language=english)
[0.0, 0.0]
>>> gender_accuracy.score(["The nurse said he was late."], ["m"], language=english)
[1.0]
>>> translations, genders = ["He is in.", "He is in.", "She is in."], ["male", "female", "female"]
>>> delta_g.corpus.score(delta_g.corpus.statistics(translations, genders, language=english))
0.0
>>> translations = ["He is in.", "She is in.", "He is in.", "He is in."]
>>> genders, groups = ["male", "female", "male", "female"], ["pro", "pro", "anti", "anti"]
>>> rows = delta_s.corpus.statistics(translations, genders, groups, language=english)
>>> round(delta_s.corpus.score(rows), 4)  # 1 - (2/3 + 0) / 2
0.6667
>>> translations = ["He is in.", "She is in.", "They are in."]
>>> rows = tgbi.corpus.statistics(translations, ["formal", "formal", "polite"], language=english)
>>> tgbi.corpus.score(rows)  # (√(1/2 × 1/2) + 1) / 2
0.75
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from math import sqrt

from dialtools.languages import Language, get
from dialtools.metrics import _statistics
from dialtools.plugins.metric import Corpus, Metric
from dialtools.system.errors import RecordError, show
from dialtools.text import pronouns

COUNTED = ("without_gender",)
GROUPS = ("pro", "anti")
_GENDERS = {
    name: gender for gender in ("male", "female", "neutral") for name in (gender, gender[0])
}


def counts(
    predictions: Sequence[str], *columns: Sequence, language: Language = get("en")
) -> list[dict[str, int]]:
    """Return {"without_gender": 1} for each text in which no pronoun tells a gender."""
    return [
        {} if pronouns.genders(text, language) else {"without_gender": 1} for text in predictions
    ]


def needs(keys: Sequence[str], options: dict) -> tuple[str, ...]:
    """Return the columns that a metric reads; keys: the options that name a key of a record."""
    return ("prediction", *(options[key] for key in keys))


def with_gender(
    predictions: list[str], *, share: pronouns.Gender = "neutral", language: Language = get("en")
) -> list[float]:
    """Return 1.0 or 0.0 for each prediction."""
    return [float(pronouns.gender(text, language) == share) for text in predictions]


def score(
    predictions: list[str],
    genders: list[str],
    *,
    key: str = "gender",
    language: Language = get("en"),
) -> list[float]:
    """Return 1.0 if the gender is the person's, else 0.0.

    key: the key of a record that holds the person's gender.
    """
    rows = pairs(predictions, genders, language=language)
    return [float(person == translated) for ((person, translated),) in rows]


def pairs(
    predictions: list[str], genders: list[str], *, language: Language = get("en")
) -> list[list[_statistics.Pair]]:
    """Return the person's gender and the translation's for each record."""
    rows: list[list[_statistics.Pair]] = []
    for text, value in zip(predictions, genders, strict=True):
        person = _GENDERS.get(value.strip().lower()) if isinstance(value, str) else None
        if person is None:
            raise RecordError(
                f'the gender of the person is "male", "female" or "neutral", here is {show(value)}'
            )
        rows.append([(person, pronouns.gender(text, language))])
    return rows


def gender_counts(
    predictions: list[str], genders: list[str], *, language: Language = get("en")
) -> list[dict[str, int]]:
    """Return the counted genders of each record."""
    return _statistics.counted(pairs(predictions, genders, language=language))


def male_minus_female(rows: Iterable[_statistics.Counts]) -> float:
    """Return ΔG of a data set from the statistics of its records, or sums of them."""
    male, female = _f1(_statistics.summed(rows))
    return male - female


def score_in_group(
    predictions: list[str],
    genders: list[str],
    groups: list[str],
    *,
    key: str = "gender",
    group: str = "stereotype",
    language: Language = get("en"),
) -> list[float]:
    """Return 1.0 or 0.0 for each prediction.

    key: the key of a record that holds the person's gender.
    group: the key that says whether that is pro or anti the stereotype.
    """
    _require_groups(groups)
    return score(predictions, genders, language=language)


def _require_groups(groups: Iterable[str]) -> None:
    for group in groups:
        if group not in GROUPS:
            raise RecordError(f'delta_s: the group is "pro" or "anti", here is {show(group)}')


def group_counts(
    predictions: list[str], genders: list[str], groups: list[str], *, language: Language = get("en")
) -> list[dict[str, int]]:
    """Return the counted group and genders of each record."""
    _require_groups(groups)
    rows = zip(groups, pairs(predictions, genders, language=language), strict=True)
    return [{"\t".join([group, *pair]): 1} for group, (pair,) in rows]


def pro_minus_anti(rows: Iterable[_statistics.Counts]) -> float:
    """Return ΔS of a data set from the statistics of its records, or sums of them."""
    counts: dict[str, dict[_statistics.Pair, float]] = {
        group: defaultdict(float) for group in GROUPS
    }
    for row in rows:
        for name, count in row.items():
            group, *pair = name.split("\t")
            counts[group][pair[0], pair[1]] += count
    pro, anti = (sum(_f1(counts[group])) / 2 for group in GROUPS)
    return pro - anti


def _f1(counts: Mapping[_statistics.Pair, float]) -> tuple[float, float]:
    """Return the F1 of male and of female; a neutral translation is a miss."""
    scores = _statistics.f1(counts)
    return scores.get("male", 0.0), scores.get("female", 0.0)


def set_counts(
    predictions: list[str], sets: list[str], *, key: str = "set", language: Language = get("en")
) -> list[dict[str, int]]:
    """Return the counted set and gender of each record; key: the key that names a record's set."""
    rows = []
    for text, name in zip(predictions, sets, strict=True):
        if isinstance(name, bool) or not isinstance(name, (str, int)):
            raise RecordError(f"tgbi: a set of sentences has a name, here is {show(name)}")
        rows.append({f"{name}\t{pronouns.gender(text, language)}": 1})
    return rows


def index(rows: Iterable[_statistics.Counts]) -> float:
    """Return the TGBI of a data set from the statistics of its records, or sums of them."""
    sets: defaultdict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for row in rows:
        for name, count in row.items():
            group, _, gender = name.rpartition("\t")
            sets[group][gender] += count
    evenness = []
    for counts in sets.values():
        if total := sum(counts.values()):
            male, female, neutral = (counts[name] / total for name in ("male", "female", "neutral"))
            evenness.append(sqrt(male * female + neutral))
    return sum(evenness) / len(evenness) if evenness else 0.0


index_of_record = _statistics.alone(index)

gender = Metric(
    with_gender,
    bounds=(0, 1),
    texts="of people",
    needs=("prediction",),
    counts=counts,
    counted=COUNTED,
    summary="Gender of a translation, 1 if it is the one asked for, else 0; from 0 to 1, higher is more of it.",
)
gender_accuracy = Metric(
    score,
    range=(0, 1),
    needs=partial(needs, ["key"]),
    pairs=pairs,
    counts=counts,
    counted=COUNTED,
    summary="Gender accuracy, 1 where a translation is of the person's gender, from 0 to 1; higher is better.",
)
delta_g = Metric(
    score,
    bounds=(0, 1),
    needs=partial(needs, ["key"]),
    corpus=Corpus(gender_counts, male_minus_female, mean="their accuracy"),
    pairs=pairs,
    counts=counts,
    counted=COUNTED,
    summary="ΔG of translations: F1 of male minus F1 of female persons, from -1 to 1; 0 is neutral.",
)
delta_s = Metric(
    score_in_group,
    bounds=(0, 1),
    needs=partial(needs, ["key", "group"]),
    corpus=Corpus(group_counts, pro_minus_anti, mean="their accuracy"),
    counts=counts,
    counted=COUNTED,
    summary="ΔS of translations: macro-F1 of stereotypical minus other sentences, from -1 to 1; 0 is neutral.",
)
tgbi = Metric(
    _statistics.scored(set_counts, index_of_record),
    range=(0, 1),
    needs=partial(needs, ["key"]),
    corpus=Corpus(set_counts, index, mean="the share of neutral ones", of_record=index_of_record),
    counts=counts,
    counted=COUNTED,
    summary="TGBI: how evenly sentences without gender are translated, from 0 to 1; higher is fairer.",
)
