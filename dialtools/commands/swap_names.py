"""Rename the speakers of dialogues, everywhere in a record, and back again.

Each speaker gets a new name, drawn without replacement from a pool; names
that occur in the record are not drawn.  Draws depend on --seed and the id alone,
so that variants of one source that come in draw the same names.  Labels, turns,
context and references change alike.  People who do not speak keep their names,
but for --person; --person introduced renames whom the text introduces (I am Tom
Baker, 我叫王芳), as in chats with Agent and Customer.  Of Tom Baker that is Tom; of a
full name in Chinese, Japanese or Korean it is the whole.
Names are found in any case, stretched (Annaaa), in the plural, in other scripts, and with the
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

A record with a prediction or scores is an error: nobody knows what the model
would have written about the new names, and to rename its output as if it had
would hide what is to be measured.  Rename first, then run dt-generate and
dt-score; --overwrite drops predictions and scores that are there.

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

--list shows the pools: of some languages also surnames (surnames, and in English
those of groups, surnames-black), for speakers who are called by theirs, and names
of countries (uk, india; switzerland, chile, belgium).  SOURCES.tsv, beside the
languages' data, says where each is from.

--pool black --pool white makes a set of variants for each pool, names.black:1
and so on, and so does --pool-file asian=a.tsv --pool-file black=b.tsv; "pool"
in the history is the label.  The names drawn from a pool are those that it
gives alone.  dt-score --sensitivity --by pool compares the pools; without --by,
S is within each pool, averaged over the pools of a dialogue.

Memory: one record at a time; with --report also each form that is kept.

Examples:

$ echo '{"id": 1, "dialogue": "Ann: Hi Bob\\nBob: Hi Ann, is Eve with you?"}' |
  dt-swap-names --ids --lang en | jq -r .dialogue
Speaker1: Hi Speaker2
Speaker2: Hi Speaker1, is Eve with you?

$ echo '{"id": 1, "text": "I am Tom Baker. Thanks, Tom"}' |
  dt-swap-names --person introduced --lang en | jq -r .text
I am Richard Baker. Thanks, Richard

$ echo '{"id": 1, "dialogue": "Ann: an Ann? Two Anns!"}' |
  dt-swap-names --map '{"Ann": "James"}' --lang en | jq -r .dialogue
James: a James? Two Jameses!
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial

import click

from dialtools.commands import _name_rows
from dialtools.pipeline import cli, sink
from dialtools.pipeline.work import UNCHANGED, Closing, Work, render
from dialtools.system.errors import OptionError

BY = "dt-swap-names"
COUNTERS = {
    "mentions": ("names replaced", "mentions of people that got new names, labels aside"),
    "left": ("kept (see --report)", 'uncertain mentions, which the history lists as "left"'),
    "unchanged": UNCHANGED,
    "unknown_gender": ("people of unknown gender", "people who got a unisex name"),
    "words_that_agree_with_the_old_gender": (
        "words that agree with the old gender",
        "words that --map left as they were",
    ),
    "unmapped": ("forms unmapped", "forms in outputs that could not be mapped back"),
    "strangers": ("strangers", "old names in outputs that the renamed input did not hold"),
    "invented": ("names invented", "names in outputs that nobody in the record has"),
    "lost": ("spellings lost", "other spellings of an old name, which --restore cannot know"),
    "old_scores_dropped": ("old scores dropped", "records that had scores of another text"),
}


def swap_names(
    records: Iterable[dict],
    *,
    pool: str | Sequence[str] | None = None,
    pool_file: str | list[str] | Mapping[str, str | list[str]] | None = None,
    map: str | dict | None = None,
    ids: bool = False,
    pattern: str | None = None,
    variants: int = 1,
    one: bool = False,
    person: tuple[str, ...] = (),
    guard: tuple[str, ...] = (),
    gender: bool = True,
    allow_cross_gender: bool = False,
    roles: bool = False,
    keep_original: bool = False,
    overwrite: bool = False,
    seed: int = 0,
    restore: bool = False,
) -> Iterator[dict]:
    """Yield variants of each record whose speakers have other names, or the records as they were
    before.

    pool: name of a pool of the record's language (frequent, if there is no file), or several; each
        makes a set of variants.
    pool_file: a pool of your own: a file of lines "name" or "name TAB gender", or of a table whose
        first line names its columns; or a list of these lines; or several such, {label: file}.
    map: an explicit map: a dict, JSON or lines of "name TAB new name".
    ids: number the speakers (Speaker1, …) by their first turns, as `pattern` says if given.
    variants: number for each record and pool; no two of a pool have the same names.
    one: rename one speaker at a time, in `variants` variants each.
    person: further people to rename, who do not speak; "introduced" for those whom the text
        introduces.
    guard: phrases that are kept, whatever names they hold.
    gender: keep the gender of names whose gender is known.
    allow_cross_gender: let a map change a gender even if words of the text agree with it.
    roles: rename Agent, A, 客服, Speaker 1 … too.
    keep_original: yield the record itself before its variants.
    overwrite: drop predictions that are there, and their scores; else they are an error.
    seed: seed of the draws; variants of one source that come in draw the same names.
    restore: undo the swap, and map the names back in predictions.
    """
    from dialtools import languages
    from dialtools.names import drawing, forms, maps, pools, renaming, restoration
    from dialtools.plugins import registry
    from dialtools.records import dialogue, history
    from dialtools.records.validation import completed
    from dialtools.system.errors import about

    _require_consistent(
        map,
        ids,
        restore,
        pattern,
        allow_cross_gender,
        variants,
        pool=pool,
        pool_file=pool_file,
        one=one,
        person=person,
        guard=guard,
        roles=roles,
        keep_original=keep_original,
        overwrite=overwrite,
    )
    records = completed(records, deep=not restore)
    if restore:
        for record in records:
            with about(record):
                yield restoration.restore(
                    record, languages.get(record["lang"]), BY, history.signature("restore")
                )
        return
    if variants < 1:
        raise OptionError(f"variants must be 1 or more, not {variants}")
    person, guard = registry.several(person), registry.several(guard)
    if not all(forms.is_visible(name) for name in person):
        raise OptionError("--person: empty name")
    known = maps.parse(map) if map is not None else maps.NameMap({}, {}, ())
    if map is not None:
        choose = renaming.mapped(known, allow_cross_gender)
    elif ids:
        choose = renaming.numbered(pattern)
    else:
        choose = drawing.Draws(pools.chosen(pool, pool_file), variants, one, gender, seed).of
    manner = renaming.Renaming(choose, known, person, guard, roles)
    for given in records:
        record = dialogue.unpredicted(given, overwrite)
        if keep_original:
            yield record
        with about(record):
            yield from manner.variants(record)


def _list_pools(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if not value:
        return
    from dialtools import languages
    from dialtools.names import pools

    for lang in languages.known():
        language = languages.get(lang)
        for pool in pools.of(language):
            genders = [row["gender"] for row in pools.named(pool, language)]
            counts = ", ".join(f"{genders.count(letter):,} {letter}" for letter in "fmu")
            click.echo(f"{lang}  {pool:17}  {len(genders):6,} names  ({counts})")
    ctx.exit()


SECTIONS = {
    "New names": "pool list pool_file map ids pattern gender allow_cross_gender seed".split(),
    "Who is renamed": "one person guard roles".split(),
    "What is written": "variants keep_original overwrite restore report_file diff".split(),
}


@cli.command(
    BY,
    click.option(
        "--pool",
        multiple=True,
        metavar="POOL",
        shell_complete=_name_rows.complete_pool,
        help="Pool of names, in the language of each record (default: frequent); "
        "repeatable: each pool makes a set of variants.",
    ),
    click.option(
        "--pool-file",
        multiple=True,
        metavar="[LABEL=]FILE",
        help="A pool of your own: lines of NAME or NAME TAB f, m or u; or a table (TSV, "
        "CSV) whose first line names its columns (name, gender, group, reading, latin), "
        "each group a pool.  Repeatable, with a label each, and beside --pool.",
    ),
    click.option(
        "--list",
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=_list_pools,
        help="List the pools and exit.",
    ),
    click.option(
        "--map",
        metavar="FILE|JSON",
        help="Rename by this map: JSON, or a file of JSON or of lines NAME TAB NEW.",
    ),
    click.option("--ids", is_flag=True, help="Number the speakers instead (Speaker1, …)."),
    click.option(
        "--pattern", metavar="TEXT", help='Pattern of the names of --ids, such as "P{n}".'
    ),
    click.option(
        "--variants",
        type=click.IntRange(min=1),
        default=1,
        show_default=True,
        metavar="N",
        help="Variants of each record, from each pool.",
    ),
    click.option("--one", is_flag=True, help="Change one speaker at a time, each in N variants."),
    click.option(
        "--person",
        multiple=True,
        metavar="NAME",
        help="Rename this person too, who does not speak; repeatable; introduced: those whom "
        "the text introduces (I am Tom Baker).",
    ),
    click.option(
        "--guard",
        multiple=True,
        metavar="TEXT",
        help="Keep this phrase, whatever names it holds; repeatable.",
    ),
    click.option(
        "--gender/--no-gender",
        default=True,
        show_default=True,
        help="Keep the gender of names whose gender is known.",
    ),
    click.option(
        "--allow-cross-gender",
        is_flag=True,
        help="Let --map change a gender even if words of the text agree with it.",
    ),
    click.option("--roles", is_flag=True, help="Rename roles too: Agent, Mom, A, 客服, Speaker 1."),
    cli.keep_original,
    cli.overwrite,
    cli.seed,
    click.option(
        "--restore", is_flag=True, help="Undo the last swap, and map the names back in predictions."
    ),
    click.option(
        "--report",
        "report_file",
        metavar="FILE",
        help="Write counts of names found, replaced and kept, as JSON.",
    ),
    click.option(
        "--diff",
        is_flag=True,
        help="Show the first records before and after, side by side, instead.",
    ),
    *cli.stream("dialogue", "text", "context", "reference", "prediction"),
    sections=SECTIONS,
)
def main(pool_file, map, report_file, diff, **options) -> int:
    from dialtools.names import maps, pools, swaps
    from dialtools.system import files
    from dialtools.tables import sidebyside

    _require_consistent(map=map, pool_file=pool_file, **options)
    _require_other_output(report_file, diff, **options)
    if map is not None:
        is_file = map.lstrip()[:1] not in ("{", "[")
        text = files.text(map) if is_file else map
        maps.parse(text, map if is_file else "--map")  # before any record is read
        map = text
    options |= {"map": map, "pool_file": pools.labelled(pool_file, alone=not options["pool"])}
    options |= {"jobs": 1, "bar": False} if diff else {}  # it ends within the first chunk
    totals = swaps.Totals(by_form=report_file is not None)
    output = options["output"]

    def closing() -> Closing:
        records, changed = totals.counts["records"], totals.counts["changed"]
        if options["restore"] and not records:
            return Closing(["nothing restored: no record holds a swap"])
        if 2 * changed >= records:
            return Closing()
        if map is not None:
            return Closing(["nothing was changed in most: the map lacks their names"])
        may_help = [
            f"{option} may help with {count:,} of them"
            for option, count in totals.helpful.items()
            if count and not (option == "--roles" and options["roles"])
        ]
        return Closing(may_help or ["--person NAME renames people who do not speak"])

    work = Work(
        swap_names,
        by=BY,
        counters=COUNTERS,
        keys=[] if options["restore"] else ["dialogue|text"],
        watch=totals,
        results=diff,
        render=sidebyside.renderer(output) if diff else render,
        closing=closing,
    )
    run = partial(cli.run, work, **options)
    status = sink.paged(run, output) if diff else run()
    if report_file:
        sink.write(render([totals.result()]), report_file)
    return status


def _require_consistent(
    map: object,
    ids: bool,
    restore: bool,
    pattern: str | None,
    allow_cross_gender: bool,
    variants: int,
    **options: object,
) -> None:
    """Raise OptionError for options that exclude each other, or would have no effect."""
    chosen = {"--map": map, "--ids": ids, "--restore": restore}
    modes = [mode for mode, is_given in chosen.items() if is_given]
    void = ["pool", "pool_file", "one"]
    if restore:
        void += ["person", "guard", "roles", "keep_original", "overwrite"]
    flags = [f"--{name.replace('_', '-')}" for name in void if options[name]]
    flags += ["--variants"] if variants != 1 else []
    if len(modes) > 1 or (modes and flags):
        raise OptionError(f"{' and '.join((modes + flags)[:2])} exclude each other")
    if pattern and not ids:
        raise OptionError("--pattern needs --ids")
    if allow_cross_gender and map is None:
        raise OptionError("--allow-cross-gender needs --map; use --no-gender for drawn names")


def _require_other_output(report: str | None, diff: bool, **options) -> None:
    """Raise UsageError for files that are one, and for --diff beside what it does not show."""
    cli.check_apart("--report", report, options["output"], options["files"])
    if diff and (report or options["restore"] or options["keep_original"]):
        raise click.UsageError(
            "--diff excludes --report, --restore and --keep-original: it shows only some variants"
        )
