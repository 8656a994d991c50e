"""Rename the speakers of dialogues, everywhere in a record, and back again."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import count
from typing import NamedTuple

import click

from dialtools import cli, files, keyed, languages, registry
from dialtools.errors import OptionError, about
from dialtools.languages import Language
from dialtools.names import (draws, encoding, families, maps, pools, report, restoration, roster,
                             swaps)
from dialtools.records import dialogue, history
from dialtools.reports import sidebyside
from dialtools.run.input import completed

BY = "dt-swap-names"
_NOTHING = f"{BY}: nothing restored: no record has a swap to undo\n"


class Choice(NamedTuple):
    """The new names of one variant."""

    kind: str
    number: int
    names: dict[str, str]
    counts: dict[str, int] = {}
    # the features of the only one who is renamed, for the history
    speaker: Mapping[str, object] = {}
    readings: Sequence[list[str]] = ()  # as swaps.swap wants them


def swap_names(records: Iterable[dict], *, pool: str = "frequent",
               pool_file: list[str] | None = None, map: str | dict | None = None, ids: bool = False,
               pattern: str | None = None, variants: int = 1, one: bool = False,
               person: tuple[str, ...] = (), guard: tuple[str, ...] = (), gender: bool = True,
               allow_cross_gender: bool = False, roles: bool = False, keep_original: bool = False,
               seed: int = 0, restore: bool = False) -> Iterator[dict]:
    """Yield variants of each record whose speakers have other names, or the records as they were
    before.

    pool: name of a pool of the record's language.
    pool_file: a pool of your own, lines of "name" or "name TAB gender".
    map: an explicit map: a dict, JSON or lines of "name TAB new name".
    ids: number the speakers (Speaker1, …) by their first turns, as `pattern` says if given.
    variants: number for each record; no two have the same names.
    one: rename one speaker at a time, in `variants` variants each.
    person: further people to rename, who do not speak.
    guard: phrases that are kept, whatever names they hold.
    gender: keep the gender of names whose gender is known.
    allow_cross_gender: let a map change a gender even if words of the text agree with it.
    roles: rename Agent, A, 客服, Speaker 1 … too.
    keep_original: yield the record itself before its variants.
    restore: undo the swap, and map the names back in predictions.
    """
    records = completed(records, deep=not restore)
    if restore:
        for record in records:
            with about(record):
                yield restoration.restore(record, languages.get(record["lang"]), BY,
                                          history.signature("restore"))
        return
    if variants < 1:
        raise OptionError(f"variants must be 1 or more, not {variants}")
    person, guard = registry.several(person), registry.several(guard)
    if not all(encoding.is_visible(name) for name in person):
        raise OptionError("--person: empty name")
    own = pools.parse(pool_file) if pool_file is not None else None
    known = maps.parse(map) if map is not None else maps.NameMap({}, {}, ())
    if map is not None or ids:
        options: dict[str, object] = {"names": history.digits(known) if map is not None else None,
                                      "template": pattern}
    else:
        options = {"pool": f"own-{history.digits(own)}" if own else pool, "gender": gender,
                   "seed": seed}
    options |= {"also": person or None, "guard": guard or None, "roles": roles or None}
    stock, read = cache(partial(_stock, own, pool)), pools.read(own or ())
    for record in records:
        if keep_original:
            yield record
        with about(record):
            language = languages.get(record["lang"])
            people = roster.people(record, language, person, roles)
            if map is not None:
                choices: Iterable[Choice] = [_mapped(known, record, language, people,
                                                     allow_cross_gender)]
            elif ids:
                choices = [Choice("ids", 1, _numbered(record, language, people, pattern))]
            else:
                names = stock(language, roster.writing(record, language))
                drawn = draws.Drawing(record, language, people, names, gender)
                choices = _draws(record, drawn, read, variants, one, seed)
            for choice in choices:
                aliases = roster.aliases(people, choice.names, language) | known.aliases
                yield _variant(record, language, choice, aliases, guard + known.guards, options)


def _mapped(known: maps.NameMap, record: dict, language: Language, people: list[dict],
            cross_gender: bool) -> Choice:
    names = maps.for_record(known, record, language, people, cross_gender)
    disagreeing = maps.disagreeing(names, record, language) if cross_gender else 0
    return Choice("map", 1, names, {"words_that_agree_with_the_old_gender": disagreeing}
                  if disagreeing else {})


def _numbered(record: dict, language: Language, people: list[dict],
              pattern: str | None) -> dict[str, str]:
    """Return numbered names, without those that occur in the record."""
    pattern = pattern or language.facts["speaker"]
    if "{n}" not in pattern or not pools.is_name(pattern.replace("{n}", "")):
        raise OptionError(f"--pattern: needs {{n}} for the number and no colon, such as P{{n}}, "
                          f"not {pattern!r}")
    taken = draws.Taken(dialogue.whole(record))
    labels = (pattern.replace("{n}", str(number)) for number in count(1))
    free = (label for label in labels if label not in taken)
    return {person["name"]: next(free) for person in people}


def _stock(own: list[dict] | None, pool: str, language: Language, writing: str) -> draws.Stock:
    """Return the names to draw from, written as the records of a language write names."""
    if own:
        return draws.stock(roster.written_as(writing, own, language), [])
    rows = pools.named(pool, language), pools.unisex(language), families.drawn(language)
    return draws.stock(*(roster.written_as(writing, each, language) for each in rows))


def _draws(record: dict, drawn: draws.Drawing, read: Mapping[str, list[str]], variants: int,
           one: bool, seed: int) -> Iterator[Choice]:
    """Yield the names drawn for each variant.

    read: {name: [name, reading, Latin form]}, as pools.read returns them.
    """
    everybody = [person["name"] for person in drawn.people]
    if one:
        sets = [(f"one{at}", [name], roster.features(record, name))
                for at, name in enumerate(everybody, 1)] or [("one", [], {})]
    else:
        sets = [("names", everybody, {})]
    for kind, names, speaker in sets:
        before: list[dict[str, str]] = []
        for number in range(1, variants + 1):
            new = drawn.draw(keyed.rng(seed, kind, record["id"], number), names, before, variants)
            # nobody to rename: all variants are unchanged, and say so
            before += [new] if new else []
            readings = [read[name] for name in new.values() if name in read]
            yield Choice(kind, number, new, {"unknown_gender": drawn.unknown(names)}, speaker,
                         readings)


def _variant(record: dict, language: Language, choice: Choice, aliases: Mapping[str, str | None],
             guards: tuple[str, ...], options: dict) -> dict:
    swapped, made, facts = swaps.swap(record, language, choice.names, aliases, guards,
                                      choice.readings)
    facts["counts"] |= choice.counts
    swapped = swapped | {"variant": history.variant(record, choice.kind, choice.number)}
    signature = history.signature(choice.kind.rstrip("0123456789"), lang=record["lang"], **options)
    return history.add(swapped, BY, signature, edits=made, changed=bool(made), **facts,
                       **choice.speaker)


def _list_pools(ctx: click.Context) -> None:
    for lang in languages.known():
        for pool in languages.get(lang).pools:
            rows = pools.named(pool, languages.get(lang))
            counts = [f"{sum(row['gender'] == letter for row in rows):,} {letter}"
                      for letter in "fmu"]
            click.echo(f"{lang}  {pool:12}  {len(rows):6,} names  ({', '.join(counts)})")
    ctx.exit()


@cli.command(
    BY,
    click.option("--pool", default="frequent", show_default=True, metavar="POOL",
                 help="Pool of names, in the language of each record."),
    click.option("--pool-file", metavar="FILE",
                 help="A pool of your own: lines of NAME or NAME TAB f, m or u; or a table whose "
                 "first line names its columns (name, gender, reading, latin)."),
    click.option("--list", is_flag=True, is_eager=True, expose_value=False,
                 callback=lambda ctx, param, value: _list_pools(ctx) if value else None,
                 help="List the pools and exit."),
    click.option("--map", metavar="FILE|JSON",
                 help="Rename by this map: JSON, or a file of JSON or of lines NAME TAB NEW."),
    click.option("--ids", is_flag=True, help="Number the speakers instead (Speaker1, …)."),
    click.option("--pattern", metavar="TEXT",
                 help="Pattern of the names of --ids, such as \"P{n}\"."),
    click.option("--variants", type=click.IntRange(min=1), default=1, show_default=True,
                 metavar="N", help="Variants of each record."),
    click.option("--one", is_flag=True, help="Change one speaker at a time, each in N variants."),
    click.option("--person", multiple=True, metavar="NAME",
                 help="Rename this person too, who does not speak; repeatable."),
    click.option("--guard", multiple=True, metavar="TEXT",
                 help="Keep this phrase, whatever names it holds; repeatable."),
    click.option("--gender/--no-gender", default=True, show_default=True,
                 help="Keep the gender of names whose gender is known."),
    click.option("--allow-cross-gender", is_flag=True,
                 help="Let --map change a gender even if words of the text agree with it."),
    click.option("--roles", is_flag=True, help="Rename roles too: Agent, Mom, A, 客服, Speaker 1."),
    cli.keep_original, cli.seed,
    click.option("--restore", is_flag=True,
                 help="Undo the last swap, and map the names back in predictions."),
    click.option("--report", "report_file", metavar="FILE",
                 help="Write counts of names found, replaced and kept, as JSON."),
    click.option("--diff", is_flag=True,
                 help="Show the first records before and after, side by side, instead."),
    *cli.stream("dialogue", "text", "context", "reference", "prediction"))
def main(pool_file, map, report_file, diff, **options) -> int:
    """Rename the speakers of dialogues, everywhere in a record, and back again.

    Each speaker gets a new name, drawn without replacement from a pool; names
    that occur in the record are not drawn.  Labels, turns, context and references
    change alike.  People who do not speak keep their names.  Names are found in
    any case, stretched (Annaaa), in the plural, in other scripts, and with the
    endings of the language.  A label in capitals stays in capitals.

    Tokens (dt-parse) decide whether a word is a name (Will, 光); without tokens
    its context does.  Uncertain mentions are kept, counted, and listed under
    "left" in the history, with their place in the text before the change: words,
    and short forms or spellings that nobody declared (Alex for Alexander, zoe for
    Zoë).  A full name that holds a speaker's name changes only if the speaker is
    introduced or greeted by it anywhere in the dialogue (I'm Sandra Taylor); any
    other full name may be somebody else's (Taylor Swift) and is kept whole.

    --restore undoes all changes of the input exactly, and maps the names back in
    predictions; what a prediction copies from the input comes back exactly.  It
    counts and lists forms that it cannot map back (unmapped), old names
    (strangers), names that nobody has (invented), and other spellings of an old
    name in the input (lost: Em for Emma).  If a prediction changes, its scores are
    dropped: restore before you score.

    A speaker of unknown gender gets a unisex name and is counted; a placeholder or
    a nickname such as zykotick9 gets any name.  Titles stay: Mr. Smith becomes Mr.
    Thomas, and Smith becomes Thomas.  So do emoji, bold type, and a remark after
    the name (Smith (host), **Smith**).  A Japanese or Korean family name becomes
    another family name, whatever the pool, as does a Chinese one beside a title
    (王医生, 小张).  Both parts of a full name change: 田中さん and 太郎くん follow
    田中太郎, 김 과장님 follows 김민준.  A name from --pool-file replaces the whole name:
    田中さん follows if the new name is a full name, and is kept otherwise.

    Records may declare "people": objects with "name", and optionally "gender" and
    "aliases".

    Memory: one record at a time; with --report also each form that is kept.

    Examples:

    $ echo '{"id": 1, "dialogue": "Ann: Hi Bob\\nBob: Hi Ann, is Eve with you?"}' |
      dt-swap-names --ids --lang en | jq -r .dialogue
    Speaker1: Hi Speaker2
    Speaker2: Hi Speaker1, is Eve with you?

    $ echo '{"id": 1, "dialogue": "Ann: an Ann? Two Anns!"}' |
      dt-swap-names --map '{"Ann": "James"}' --lang en | jq -r .dialogue
    James: a James? Two Jameses!
    """
    _check(map=map, pool_file=pool_file, report=report_file, diff=diff, **options)
    options |= {"pool_file": None if pool_file is None else pools.lines(pool_file),
                "map": None if map is None else _map(map)}
    options |= {"jobs": 1} if diff else {}  # it ends within the first chunk
    totals = report.Totals(by_form=report_file is not None)
    status = cli.run(swap_names, by=BY, keys=[] if options["restore"] else ["dialogue|text"],
                     watch=totals, results=diff, render=sidebyside.render if diff else cli.render,
                     closing=lambda: _NOTHING if options["restore"] and not totals.counts["records"]
                     else "", **options)
    if report_file:
        cli.write(cli.render([totals.result()]), report_file)
    return status


def _map(given: str) -> str:
    """Return the text of a map, given as such or as a file. Raise OptionError for an invalid map.
    """
    is_file = given.lstrip()[:1] not in ("{", "[")
    text = files.text(given) if is_file else given
    maps.parse(text, given if is_file else "--map")
    return text


def _check(map: str | None, report: str | None, diff: bool, **options) -> None:
    """Raise UsageError for options that exclude each other."""
    modes = [mode for mode, chosen in (("--map", map), ("--ids", options["ids"]),
                                       ("--restore", options["restore"])) if chosen]
    defaults: dict[str, object] = {"pool": "frequent", "pool_file": None, "variants": 1,
                                   "one": False}
    if options["restore"]:
        defaults |= {"person": (), "guard": (), "roles": False, "keep_original": False}
    given = [f"--{name.replace('_', '-')}" for name, default in defaults.items()
             if options[name] != default]
    if len(modes) > 1 or (modes and given):
        raise click.UsageError(f"{' and '.join((modes + given)[:2])} exclude each other")
    if {"--pool", "--pool-file"} <= {*given}:
        raise click.UsageError("--pool and --pool-file exclude each other")
    if options["pattern"] and not options["ids"]:
        raise click.UsageError("--pattern needs --ids")
    if options["allow_cross_gender"] and map is None:
        raise click.UsageError("--allow-cross-gender needs --map; use --no-gender for drawn names")
    cli.check_apart("--report", report, options["output"], options["files"])
    if diff and (report or options["restore"] or options["keep_original"]):
        raise click.UsageError("--diff excludes --report, --restore and --keep-original: it shows "
                               "only some variants")
