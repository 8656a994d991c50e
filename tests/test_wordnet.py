"""WordNet's files: a tiny folder in their format, written here, and the real one where it is installed."""

from pathlib import Path

import pytest

from dialtools.evaluation import scorer as scorers
from dialtools.system.errors import MissingError
from dialtools.text import wordnet

LICENCE = "  1 This is a licence, two spaces before each line.  \n"
SENSES = {  # the words of each sense, each with its number in the lexicographer's file
    "adj": [("a", ["large", "big"]), ("s", ["big", "bad(p)"]), ("s", ["galore(ip)", "abounding"])],
    "noun": [("n", ["dog", "domestic_dog"]), ("n", ["axis"])],
    "verb": [("v", ["run", "go"])],
    "adv": [("r", ["well"])],
}
ORDER = {"big": [0, 1], "run": [0]}  # senses of a lemma, the frequent first, where not as they come


@pytest.fixture
def folder(tmp_path: Path) -> str:
    """Return a WordNet of six words; https://wordnet.princeton.edu/documentation/wndb5wn has the format."""
    for pos, senses in SENSES.items():
        data, offsets = LICENCE, []
        for kind, words in senses:
            offsets.append(f"{len(data):08}")
            listed = " ".join(f"{word} {n}" for n, word in enumerate(words))
            data += f'{offsets[-1]} 00 {kind} {len(words):02x} {listed} 001 ! 00001740 a 0101 | gloss; "a | dog"  \n'
        lemmas = {word.partition("(")[0] for _, words in senses for word in words}
        index = LICENCE
        for lemma in sorted(lemmas):
            own = ORDER.get(lemma) or [
                i
                for i, (_, words) in enumerate(senses)
                if lemma in [word.partition("(")[0] for word in words]
            ]
            index += f"{lemma} {pos[0]} {len(own)} 2 ! & {len(own)} 1 {' '.join(offsets[i] for i in own)}  \n"
        (tmp_path / f"data.{pos}").write_text(data)
        (tmp_path / f"index.{pos}").write_text(index)
        (tmp_path / f"{pos}.exc").write_text(
            {"verb": "ran run\n", "noun": "axes ax axis\n"}.get(pos, "")
        )
    return str(tmp_path)


def test_a_wordnet_of_another_version_is_told(folder: str, tmp_path: Path):
    """METEOR with any had one signature."""
    (tmp_path / "other").mkdir()
    for path in tmp_path.glob("*.*"):
        (tmp_path / "other" / path.name).write_text(
            path.read_text().replace("abounding", "abundant")
        )
    one, other = wordnet.named(folder, "adj"), wordnet.named(f"{folder}/other", "adj")
    assert one.removeprefix(folder) != other.removeprefix(f"{folder}/other")
    assert wordnet.named(folder, "verb").removeprefix(folder) == wordnet.named(
        f"{folder}/other", "verb"
    ).removeprefix(f"{folder}/other")
    told = wordnet.named(folder, *wordnet.POS)
    assert f"|wordnet:{told}|" in scorers.of(f"meteor:wordnet={folder}", "en").signature()


def test_senses_come_in_their_order(folder: str):
    assert wordnet.part_of_speech(folder, "adj").senses("big") == [["large", "big"], ["big", "bad"]]
    assert wordnet.part_of_speech(folder, "adj").senses("galore") == [["galore", "abounding"]]
    assert wordnet.part_of_speech(folder, "noun").senses("dog") == [["dog", "domestic_dog"]]
    assert wordnet.part_of_speech(folder, "noun").senses("cat") == []


@pytest.mark.parametrize(
    "form, pos, lemmas",
    [
        ("dogs", "noun", ["dog"]),
        ("axes", "noun", ["axis"]),
        ("running", "verb", []),
        ("runs", "verb", ["run"]),
        ("ran", "verb", ["run"]),
        ("goes", "verb", ["go"]),
        ("bigger", "adj", []),
        ("larger", "adj", ["large"]),
        ("well", "adv", ["well"]),
        ("", "noun", []),
        ("s", "noun", []),
        ("Dog", "noun", []),
        ("犬", "noun", []),
    ],
)
def test_forms_lead_to_lemmas(folder: str, form: str, pos: str, lemmas: list[str]):
    assert wordnet.part_of_speech(folder, pos).lemmas(form) == lemmas


def test_synonyms_of_a_form_of_any_part_of_speech(folder: str):
    assert wordnet.synonyms(folder, "dogs") == {"dog", "domestic_dog"}
    assert wordnet.synonyms(folder, "large") == {"large", "big"}
    assert wordnet.synonyms(folder, "nothing") == set()


def test_where_wordnet_is_looked_for(folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("DIALTOOLS_WORDNET", raising=False)
    assert wordnet.find(folder) == folder
    assert wordnet.find() in (None, wordnet.USUAL)
    monkeypatch.setattr(wordnet, "USUAL", str(tmp_path / "none"))
    assert wordnet.find() is None
    monkeypatch.setenv("DIALTOOLS_WORDNET", folder)
    assert wordnet.find() == folder
    with pytest.raises(MissingError, match="no WordNet in .*/none: there is no index.adj"):
        wordnet.find(str(tmp_path / "none"))
    (tmp_path / "data.adj").unlink()
    with pytest.raises(MissingError, match="there is no data.adj"):
        wordnet.part_of_speech(folder, "adj").senses("big")


@pytest.fixture(scope="module")
def real() -> str:
    if not (Path(wordnet.USUAL) / "index.adj").is_file():
        pytest.skip("no WordNet is installed")
    return wordnet.USUAL


def test_the_real_wordnet(real: str):
    """Counts as wnstats(7WN) of WordNet 3.0 gives them; lemmas as its morphy(7WN) has them."""
    assert {pos: len(wordnet.part_of_speech(real, pos).offsets) for pos in wordnet.POS} == {
        "noun": 117798,
        "verb": 11529,
        "adj": 21479,
        "adv": 4481,
    }
    assert wordnet.part_of_speech(real, "adj").senses("big")[0] == ["large", "big"]
    assert wordnet.part_of_speech(real, "adj").lemmas("better") == ["better", "good", "well"]
    assert wordnet.part_of_speech(real, "noun").lemmas("axes") == [
        "ax",
        "axis",
    ] and wordnet.part_of_speech(real, "noun").lemmas("geese") == ["goose"]


def test_as_another_reader_reads_it(real: str):
    """NLTK, which will not read this folder by itself, has the same rules: compared with its morphy table."""
    corpus = pytest.importorskip("nltk.corpus.reader.wordnet").WordNetCorpusReader
    rules = {
        "noun": corpus.MORPHOLOGICAL_SUBSTITUTIONS["n"],
        "verb": corpus.MORPHOLOGICAL_SUBSTITUTIONS["v"],
        "adj": corpus.MORPHOLOGICAL_SUBSTITUTIONS["a"],
        "adv": corpus.MORPHOLOGICAL_SUBSTITUTIONS["r"],
    }
    assert {pos: tuple(pairs) for pos, pairs in rules.items()} == wordnet._ENDINGS
