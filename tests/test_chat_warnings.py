"""examples/chat-warnings: what goes to the detector, and what a chat becomes with its answers."""

import json
import shutil

import pytest
import sacrebleu
from conftest import ROOT
from scipy import stats

HOME = ROOT / "examples" / "chat-warnings"
pytestmark = pytest.mark.skipif(not shutil.which("jq"), reason="needs jq")


def asked(shell, **chat) -> list[dict]:
    line = f"jq -c -f candidates.jq <<'END'\n{json.dumps(chat, ensure_ascii=False)}\nEND"
    result = shell(line, cwd=HOME)
    assert result.status == 0, result.err
    return [json.loads(line) for line in result.out.splitlines()]


def test_candidates_are_translations_and_the_best_one_without_each_piece(shell):
    """A piece is a word, or what is not hiragana with the hiragana after it; a single piece is not left out."""
    said = [{"speaker": "A: B", "text": "I like it."}, {"speaker": "C", "text": "Me, too."}]
    found = asked(
        shell,
        id=1,
        system="mt",
        dialogue=said,
        prediction=["A: B: 犬は好きの\nC: Moi", "A: B: mon chien\nC: aussi"],
    )
    assert [
        (one["turn"], one.get("rank"), one.get("piece"), one["translation"]) for one in found
    ] == [
        (0, 0, None, "犬は好きの"),
        (0, 1, None, "mon chien"),
        (0, None, "犬は", "好きの"),
        (0, None, "好きの", "犬は"),
        (1, 0, None, "Moi"),
        (1, 1, None, "aussi"),
    ]
    assert len({one["id"] for one in found}) == len(found)
    one, *_, last = asked(
        shell, id=2, system="mt", dialogue=said[1:], prediction="C: un deux"
    )  # no list of translations
    assert (one["rank"], last["translation"]) == (0, "un")


def test_warnings_for_both_people(shell):
    """The error is the piece without which the translation looks best; an alternative must be good itself."""
    good = {
        "犬は好きの": 0.1,
        "mon chien": 0.8,
        "好きの": 0.2,
        "犬は": 0.4,
        "Moi": 0.9,
        "aussi": 0.3,
    }
    said = [{"speaker": "A", "text": "I like it."}, {"speaker": "C", "text": "Me, too."}]
    made = asked(
        shell,
        id=1,
        system="mt",
        dialogue=said,
        prediction=["A: 犬は好きの\nC: Moi", "A: mon chien\nC: aussi"],
    )
    for one in made:
        share = good[one["translation"]]
        one |= {
            "prediction": "good" if share > 0.5 else "bad",
            "prediction_scores": {"good": share},
        }
    records = "\n".join(json.dumps(one, ensure_ascii=False) for one in made)
    result = shell(
        f"jq -sc -f warnings.jq <<'END' | tee /dev/stderr | jq -r --arg me A -f reader.jq\n{records}\nEND",
        cwd=HOME,
    )
    assert [turn.get("warning") for turn in json.loads(result.err)["dialogue"]] == [
        {"rate": 10, "error": "好きの", "alternative": "mon chien"},
        None,
    ]
    assert result.out.splitlines() == [
        "A: I like it.",
        "    ! This may have been sent with a wrong translation: 10 % likely to be right. "
        "Look at: 好きの Better: mon chien",
        "C: Moi",
    ]


def make(shell, out, *files: str, **variables) -> list[list[str]]:
    """Return the lines of what make writes, by file."""
    line = " ".join(f"'{name}={value}'" for name, value in variables.items())
    result = shell(
        f"make -s OUT={out} {line} " + " ".join(f"{out}/{file}" for file in files), cwd=HOME
    )
    assert result.status == 0, result.err
    return [(out / file).read_text(encoding="utf-8").splitlines() for file in files]


def test_table_1_has_the_counts_and_shares_of_the_paper(shell, tmp_path):
    """Shares are those that the paper prints (234 of 302 is 77.48 %); p by scipy, without correction."""
    (table,) = make(shell, tmp_path, "paper/table1.txt")
    for last, first in [
        ("234 of 303 (77.2 %)", "234 of 302 (77.5 %)"),
        ("228 of 325 (70.2 %)", "241 of 310 (77.7 %)"),
        ("175 of 321 (54.5 %)", "158 of 300 (52.7 %)"),
    ]:
        row = next(line for line in table if last in line)
        assert first in row
        counts = [(int(cell.split()[0]), int(cell.split()[2])) for cell in (last, first)]
        cells = [[yes, total - yes] for yes, total in counts]
        p = stats.chi2_contingency(cells, correction=False).pvalue
        assert float(row.split()[-2]) == pytest.approx(p, abs=5e-5)
    assert [line.split()[2:4] for line in table if "score 4" in line][1] == ["112", "115"]


def test_round_trips_end_where_bleu_is_low_enough(shell, tmp_path):
    for stop, trips in ((20, 4), (0, 8)):
        out = tmp_path / str(stop)
        table, _ = make(shell, out, "trips.txt", "rounds.txt", STOP=stop)
        assert len(table) == 1 + trips
    back = [json.loads(line) for line in (out / "back.jsonl").read_text().splitlines()]
    reference = [[record["reference"] for record in back]]
    bleu = sacrebleu.corpus_bleu([record["prediction"] for record in back], reference).score
    assert float(table[-1].split()[-1]) == round(bleu, 1)
