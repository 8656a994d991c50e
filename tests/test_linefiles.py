"""dt-score --lines and --bare: plain files in, one number out."""

import json

import pytest


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Return a function that writes files and stays beside them."""
    monkeypatch.chdir(tmp_path)

    def write(**contents: str | bytes) -> None:
        for name, content in contents.items():
            (tmp_path / name).write_bytes(
                content if isinstance(content, bytes) else content.encode()
            )

    return write


def scored(shell, command: str) -> list[dict]:
    return [json.loads(line) for line in shell(command).out.split("\n")[:-1]]


def test_lines_are_records(shell, files):
    """A mark at the beginning, ends of another system, an empty line, none at the end; line separators are text."""
    files(hyp="\ufeffa b\r\n\nc\u2028d", ref="a b\n\nc d\n", other="x\ny\nz\n")
    first, second, third = scored(shell, "dt-score --lines -m rouge1 -q --lang en hyp ref")
    assert (first["id"], first["prediction"], first["reference"]) == ("1", "a b", "a b")
    assert (second["prediction"], third["prediction"]) == ("", "c\u2028d")
    assert [one["scores"]["rouge1"] for one in (first, second, third)] == [1, 0, 1]
    assert scored(shell, "dt-score --lines -m rouge1 -q --lang en hyp ref other")[2][
        "reference"
    ] == ["c d", "z"]
    assert (
        shell("cat hyp | dt-score --lines -m exact -q -b --lang en - ref").out
        == "66.66666666666667\n"
    )


@pytest.mark.parametrize(
    "command",
    [
        "dt-score --lines -m rouge1 hyp ref",
        "cat hyp | dt-score --lines -m rouge1 - ref",
        "cat ref | dt-score --lines -m rouge1 hyp -",
    ],
)
def test_files_of_different_lengths_are_refused(shell, files, command: str):
    files(hyp="a\nb\nc\n", ref="a\nb")
    done = shell(command)
    assert done.status == 3 and "has 3 lines" in done.err and "has 2 lines" in done.err
    assert done.out == "" or "|" in command


def test_only_as_many_lines_as_asked_for_are_compared(shell, files):
    files(hyp="a\nb\nc\n", ref="a\nb")
    assert len(scored(shell, "dt-score --lines -m rouge1 --limit 2 hyp ref")) == 2


def test_what_is_no_text_has_its_place(shell, files):
    files(hyp="a\nb\n", ref=b"a\n\xff\n")
    done = shell("dt-score --lines -m rouge1 hyp ref")
    assert done.status == 3 and "hyp:2: ref: not UTF-8: byte 0xff" in done.err
    assert (
        "dt-score: ref:2: not UTF-8: byte 0xff" in shell("dt-score --lines -m rouge1 ref hyp").err
    )


@pytest.mark.parametrize(
    "arguments, said",
    [
        ("--lines -m exact hyp", "one FILE of predictions"),
        ("--lines -m exact --sensitivity hyp ref", "no variants"),
        ("-b -m exact -m rouge1 hyp", "one number"),
        ("-b -m exact --by lang hyp", "one number"),
        ("-b -m exact --format csv hyp", "one number"),
    ],
)
def test_what_does_not_go_together(shell, files, arguments: str, said: str):
    files(hyp="a", ref="a")
    done = shell(f"dt-score {arguments}")
    assert (done.status, done.out) == (2, "") and said in done.err


def test_an_input_that_is_no_json_leads_to_lines(shell, files):
    files(hyp="the cat\n", json='{"id": 1,')
    assert "not JSON" in (said := shell("dt-score -m exact hyp").err) and "--lines" in said
    assert "--lines" not in shell("dt-score -m exact json").err


PAIR = '{"id":1,"prediction":"a b","reference":"a","lang":"%s"%s}\\n'


def test_bare_numbers(shell):
    """By hand: ROUGE-1 2 * 1/2 / (1 + 1/2); two variants that share nothing but the order of words."""
    assert shell(f"printf '{PAIR}' en '' | dt-score -b -m rouge1 -q").out == "66.66666666666666\n"
    two = shell(
        f"printf '{PAIR}{PAIR.replace('1', '2', 1)}' en '' hi '' | dt-score -b -m rouge1 -q"
    )
    assert two.status == 2 and two.out == "" and "here are 2: no system en, no system hi" in two.err
    varied = PAIR.replace("a b", "%s") % ("a b", "en", ',"variant":"x:1"') + PAIR.replace(
        "a b", "%s"
    ) % ("c d", "en", ',"variant":"x:2"')
    assert shell(f"printf '{varied}' | dt-score -b -m rouge1 -q --sensitivity").out == "100.0\n"
    assert shell(f"printf '{PAIR}' en '' | dt-score -b -m kappa -q").out == "0.0\n"
    sacrebleu = pytest.importorskip("sacrebleu")
    texts = ["the cat sat on the mat", "it was a dog", "so it is"]
    references = ["the cat sat on a mat", "it was a big dog", "so it was"]
    pairs = zip(texts, references, strict=True)
    made = "".join(
        PAIR.replace("a b", text).replace('"a"', f'"{reference}"').replace("1", str(n), 1)
        for n, (text, reference) in enumerate(pairs)
    )
    langs = "en '' " * 3
    for metric, corpus in (("bleu", sacrebleu.corpus_bleu), ("chrf", sacrebleu.corpus_chrf)):
        bare = shell(f"printf '{made}' {langs} | dt-score -b -m {metric} -q")
        assert float(bare.out) == pytest.approx(corpus(texts, [references]).score, rel=1e-12)
    none = shell("dt-score -b -m rouge1 -q < /dev/null")
    assert none.status == 2 and "one number, here are 0" in none.err
