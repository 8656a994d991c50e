"""dt-show in Python and on a terminal; its text is in cases/dt-show."""

import os
import pty
import subprocess
import sys

import pytest
from conftest import environment

import dialtools
from dialtools.system.errors import OptionError

OUTPUTS = {
    "a": "xyz",
    "b": "xxy",
    "c": "xxx",
    "d": "xx",
    "e": "x",
}  # S of exact: 100, 66.7, 0, 0, none


def records():
    for id, outputs in OUTPUTS.items():
        for n, output in enumerate(outputs):
            yield {
                "id": id,
                "text": "Hi",
                "variant": f"names:{n}",
                "prediction": output,
                "reference": "x",
                "scores": {"mine": n},
            }


def heads(**options):
    return [
        line for line in dialtools.show(records(), **options) if "  en  " in line or line in OUTPUTS
    ]


def test_the_worst_come_first_and_those_without_a_score_are_reported():
    reasons = []
    assert heads(worst="S:exact", reject=reasons.append) == [
        "a  en  S:exact 100.00",
        "b  en  S:exact 66.67",
        "c  en  S:exact 0.00",
        "d  en  S:exact 0.00",
    ]
    assert reasons == ["without S:exact, which needs two variants"]
    assert heads(best="S:exact", number=1) == ["c  en  S:exact 0.00"]


def test_a_score_of_ones_own_that_is_no_number_is_shown_as_it_is():
    shown = "".join(
        dialtools.show(
            [{"id": 1, "lang": "en", "text": "Hi", "scores": {"mine": [1, "b"], "rouge1": 0.5}}]
        )
    )
    assert 'mine [1, "b"], rouge1 50.00' in shown


def test_a_label_of_ones_own_is_better_where_it_is_higher():
    assert heads(worst="mine", number=2) == ["e  en  mine 0.00", "d  en  mine 0.50"]
    assert heads(best="mine", where='"S:exact" < 50', number=1) == [
        "c  en  mine 1.00  S:exact 0.00"
    ]


def test_scores_of_another_file_take_the_place_of_computed_ones():
    """As of a metric whose model takes hours: here all numbers are the other way round."""
    known = [
        {"id": id, "unit": "percent", "scores": {"S:slow": value}}
        for id, value in zip("abcde", (1.0, 2.0, 3.0, 4.0, None), strict=True)
    ]
    assert heads(worst="S:slow", per_source=known, number=1) == ["d  en  S:slow 4.00"]
    with pytest.raises(OptionError, match="no score .S:exact"):
        heads(worst="S:exact", per_source=known)


def test_scores_of_another_file_are_those_of_the_group_or_there_are_none():
    """Black: outputs x and y, S of exact 100; white: x and x, S 0; their mean, 50, is of neither."""
    pools = [
        {
            "id": 1,
            "text": "Hi",
            "variant": f"{kind}:{n}",
            "pool": pool,
            "prediction": output,
            "history": [{"by": "dt-swap-names", "pool": pool}],
        }
        for kind, pool, outputs in (("names.black", "black", "xy"), ("names.white", "white", "xx"))
        for n, output in enumerate(outputs, 1)
    ]
    known = [*dialtools.score(pools, metric=["exact"], sensitivity=True, per_source=True)]

    def shown(records, by="pool"):
        return [
            line
            for line in dialtools.show(records, known, worst="S:exact", by=by)
            if "  en  " in line
        ]

    assert shown(pools) == ["1  en  pool black  S:exact 100.00", "1  en  pool white  S:exact 0.00"]
    assert shown(pools[2:]) == [
        "1  en  pool white  S:exact 0.00"
    ]  # what the other pool had is left out
    assert shown(pools, by="lang") == ["1  en  lang en  S:exact 50.00"]
    with pytest.raises(
        OptionError, match="of variants of several groups .id 1.: leave .per_source. out"
    ):
        shown(pools, by="variant")
    whole = [{"id": 1, "unit": "percent", "scores": {"S:exact": 50.0}}]
    with pytest.raises(OptionError, match="of variants of several groups"):
        [*dialtools.show(pools, whole, worst="S:exact", by="pool")]


def test_a_turn_is_shown_once_where_variants_differ_in_nothing_but_names():
    """Variant 2 has kept a mention, and has a typo, which must be seen; 李明 is also part of a word."""
    turns = {
        "": ("Ann Lee: Hi Bob", "Bob: Ann-Lee, Ann? Lee!", "Bob: Is Ann there?", "Bob: Bye 李明们"),
        "x:1": (
            "Eve Fox: Hi Kim",
            "Kim: Eve-Fox, Eve? Fox!",
            "Kim: Is Eve there?",
            "Kim: Bye 王伟们",
        ),
        "x:2": (
            "Mia Ray: Hi Roy",
            "Roy: Mia-Ray, Mia? Ray!",
            "Roy: Is Ann there?",
            "Roy: Bie 张三们",
        ),
    }
    names = {
        "": {},
        "x:1": {"Ann Lee": "Eve Fox", "Bob": "Kim", "李明": "王伟"},
        "x:2": {"Ann Lee": "Mia Ray", "Bob": "Roy", "李明": "张三"},
    }
    sources = [
        {
            "id": 1,
            "lang": "en",
            "dialogue": "\n".join(lines),
            "prediction": "Hi",
            "history": [{"by": "dt-swap-names", "names": names[variant]}],
        }
        | ({"variant": variant} if variant else {})
        for variant, lines in turns.items()
    ]
    assert [*dialtools.show(sources)][3:-1] == [
        "prediction  Hi",
        "the same    x:1, x:2",
        "1           [-Ann Lee-]: Hi [-Bob-]",
        "2           [-Bob-]: [-Ann-]-[-Lee-], [-Ann-]? [-Lee-]!",
        "3           [-Bob-]: Is [-Ann-] there?",
        "x:2         [-Bob-]{+Roy+}: Is Ann there?",
        "4           [-Bob-]: Bye [-李明-]们",
        "x:2         [-Bob-]{+Roy+}: [-Bye 李明-]{+Bie 张三+}们",
    ]


def on_terminal(line, home, **variables):
    """Return what a command writes to a terminal, and its exit status."""
    ours, theirs = pty.openpty()
    own = {
        name: value
        for name, value in environment(home, TERM="xterm", COLUMNS="100").items()
        if name not in ("NO_COLOR", "LESS")
    }
    process = subprocess.Popen(
        line,
        shell=True,
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=subprocess.DEVNULL,
        env=own | variables,
    )
    os.close(theirs)
    text = b""
    try:
        while part := os.read(ours, 4096):
            text += part
    except OSError:  # how Linux tells the end
        pass
    return text.decode(), process.wait()


@pytest.mark.skipif(sys.platform != "linux", reason="reads a terminal as Linux has it")
def test_on_a_terminal_there_are_a_pager_and_colours(tmp_path):
    (tmp_path / "in.jsonl").write_text(
        '{"id": 1, "lang": "en", "text": "Hi Bob"}\n{"id": 1, "lang": "en", "text": "Hi Max", "variant": "x:1"}\n'
    )
    command = f"dt-show {tmp_path}/in.jsonl"
    text, status = on_terminal(command, tmp_path, PAGER="sed s/^/:/")
    assert ":\x1b[1m1  en" in text and "Hi \x1b[31;9mBob\x1b[0m" in text and status == 0
    assert "Hi [-Bob-]" in on_terminal(command, tmp_path, PAGER="cat", NO_COLOR="1")[0]
    assert on_terminal(command, tmp_path, PAGER="true") == ("", 0)  # somebody who leaves at once
    assert "Hi" in on_terminal(command, tmp_path, PAGER="/no/such/pager")[0]


@pytest.mark.skipif(sys.platform != "linux", reason="reads a terminal as Linux has it")
def test_diff_goes_through_the_pager_and_a_file_of_it_has_no_colours(tmp_path):
    (tmp_path / "in.jsonl").write_text('{"id": 1, "lang": "en", "text": "hello there"}\n')
    command = f"dt-perturb -k typo.case:rate=1 --diff {tmp_path}/in.jsonl"
    text, status = on_terminal(command, tmp_path, PAGER="sed s/^/:/")
    assert ":\x1b[1m1  en" in text and status == 0
    on_terminal(f"{command} -o {tmp_path}/out", tmp_path)
    assert "{+" in (tmp_path / "out").read_text() and "\x1b" not in (tmp_path / "out").read_text()
