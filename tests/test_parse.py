"""dt-parse: Japanese words against MeCab and the guidelines, trees against stanza itself, CoNLL-U both ways.

The stanza models are tiny, trained on the spot by stanza's own programs.
"""

import json
import socket
import subprocess
import sys
from collections.abc import Callable
from copy import deepcopy
from io import BytesIO
from pathlib import Path

import pytest
import tiny_stanza
from conftest import ROOT, environment
from hypothesis import given
from hypothesis import strategies as st

from dialtools import languages
from dialtools.commands.parse import parse
from dialtools.formats import conllu
from dialtools.languages import Language
from dialtools.plugins import registry
from dialtools.records import tokens
from dialtools.system.errors import MissingError, OptionError, RecordError

FR = languages.get("fr")
FRENCH = [
    "Je viens du marché. Elle parle au chat.",
    "",
    "Tu  dors!\r\n\r\nTu\ndors!",
    " \n ",
    "Au chat. 😀",
]


def record(*texts: str, lang: str = "ja", **more: object) -> dict:
    turns = [{"speaker": "A", "text": text} for text in texts]
    return {"id": "1", "lang": lang, "dialogue": turns, **more}


def words(text: str) -> list[list[dict]]:
    """Parse by white space: a parser of the user's own."""
    found, at = [], 0
    for form in text.split():
        at = text.index(form, at)
        found.append({"form": form, "start": at, "end": at + len(form), "sent": 1})
        at += len(form)
    return found


def by_space(texts: list[str], *, language: Language) -> list[list[dict]]:
    return [words(text) for text in texts]


def written(records: list[dict]) -> str:
    return "".join(conllu.write(records))


def read(text: str) -> list[dict]:
    return [made for _, made in conllu.read(BytesIO(text.encode()))]


# The words of a multiword token


@pytest.mark.parametrize(
    "surface, parts, cut",
    [  # by hand
        ("can't", ["ca", "n't"], "ca|n't"),
        ("du", ["de", "le"], "d|u"),
        ("Des", ["de", "les"], "De|s"),
        ("zum", ["zu", "dem"], "zu|m"),
        ("dámelo", ["da", "me", "lo"], "dá|me|lo"),
        ("nel", ["in", "il"], "n|el"),
        ("adhine", ["adhi", "e"], "adhi|ne"),
        ("ab", ["x", "y"], "a|b"),
        ("abc", ["", "abc", ""], "a|b|c"),
    ],
)
def test_the_words_of_a_multiword_token_share_its_surface(surface: str, parts: list[str], cut: str):
    words = tokens.spread(surface, 10, parts)
    assert "|".join(word["form"] for word in words) == cut
    assert [surface[word["start"] - 10 : word["end"] - 10] for word in words] == cut.split("|")
    assert [token.get("word", token["form"]) for token in words] == parts
    assert [token["part"] for token in words] == [
        [number, len(parts)] for number in range(1, len(parts) + 1)
    ]


def test_a_multiword_token_with_more_words_than_characters_is_named():
    with pytest.raises(RecordError, match='"y" has 1 characters, too few for the 2 words'):
        tokens.spread("y", 0, ["a", "il"])


# The command's function


def test_turns_and_text_get_tokens_and_nothing_else_changes():
    given_record = record("a b", "", lang="en", text="c", x=1)
    before = deepcopy(given_record)
    made = next(parse(iter([given_record]), parser=by_space))
    assert given_record == before
    assert [[token["form"] for token in turn.pop("tokens")] for turn in made["dialogue"]] == [
        ["a", "b"],
        [],
    ]
    assert [token["form"] for token in made.pop("tokens")] == ["c"]
    entry = made.pop("history")[-1]
    assert made == before
    assert entry["counts"] == {"tokens": 3, "sentences": 2, "texts without a word": 1}
    assert entry["signature"].startswith("by_space|lang:en|v:")


def test_a_dialogue_that_is_a_string_becomes_turns():
    made = next(parse([{"id": 1, "lang": "en", "dialogue": "A:  a\nb\n\nB: c"}], parser=by_space))
    assert [turn["text"] for turn in made["dialogue"]] == [" a\nb", "c"]
    assert [[token["start"] for token in turn["tokens"]] for turn in made["dialogue"]] == [
        [1, 3],
        [0],
    ]


def test_tokens_are_replaced_only_on_request():
    parsed = list(parse([record("a", lang="en", text="b")], parser=by_space))
    with pytest.raises(RecordError, match='already has "tokens" in turn 1'):
        list(parse(parsed, parser=by_space))
    del parsed[0]["dialogue"][0]["tokens"]
    with pytest.raises(RecordError, match='already has "tokens" beside its text'):
        list(parse(parsed, parser=by_space))
    again = list(parse(parsed, parser=by_space, overwrite=True))
    assert [token["form"] for token in again[0]["tokens"]] == ["b"]


def test_languages_may_take_turns():
    def named(texts: list[str], *, language: Language) -> list[list[dict]]:
        return [
            [{"form": text, "start": 0, "end": len(text), "lemma": language.tag}] for text in texts
        ]

    records = [
        record(f"{n}", lang=("ja", "en", "fr")[n % 3], text=f"t{n}") | {"id": n} for n in range(100)
    ]
    made = list(parse(records, parser=named))
    assert [one["id"] for one in made] == list(range(100))
    assert all(
        one["tokens"][0]["form"] == f"t{one['id']}"
        and one["tokens"][0]["lemma"] == one["lang"]
        and one["dialogue"][0]["tokens"][0]["form"] == f"{one['id']}"
        for one in made
    )


@pytest.mark.parametrize(
    "token, reason",
    [
        ({"form": "b", "start": 0, "end": 1}, 'token "b" does not stand at 0 to 1 of "a b"'),
        ({"form": "", "start": 1, "end": 1}, 'token "" does not stand'),
        ({"form": "", "start": 7, "end": 9}, 'token "" does not stand'),
        (None, 'finds no word in "a b"'),
    ],
)
def test_words_that_stand_elsewhere_and_texts_without_words_are_errors(
    token: dict | None, reason: str
):
    def wrong(texts: list[str], *, language: Language) -> list[list[dict]]:
        return [([token] if token else []) if text == "a b" else words(text) for text in texts]

    made = parse(
        [record("b"), record("c", "a b") | {"id": "2"}, record("d") | {"id": "3"}], parser=wrong
    )
    assert next(made)["id"] == "1"  # what comes before the bad record is there
    with pytest.raises(RecordError) as caught:
        next(made)
    assert reason in caught.value.reason and caught.value.record["id"] == "2"


def test_words_that_overlap_are_errors():
    def twice(texts: list[str], *, language: Language) -> list[list[dict]]:
        return [words(text) * 2 for text in texts]

    with pytest.raises(RecordError, match="does not stand at 0"):
        list(parse([record("a")], parser=twice))


# fugashi


@pytest.fixture
def fugashi() -> Callable[[str], list[dict]]:
    """Return a function text -> tokens."""
    for library in ("fugashi", "unidic_lite"):
        pytest.importorskip(library, reason=f"{library} is not installed: no Japanese words")
    return lambda text: registry.load("parsers", "fugashi").call(
        [text], language=languages.get("ja")
    )[0]


# By hand, from https://universaldependencies.org/ja/pos/ and the lemmas of UniDic.
@pytest.mark.parametrize(
    "text, column, expected",
    [
        ("この本はとても面白いですね。", "upos", "DET NOUN ADP ADV ADJ AUX PART PUNCT"),
        ("そして彼が三つ食べながら、", "upos", "CCONJ PRON ADP NUM NOUN VERB SCONJ PUNCT"),
        ("勉強する", "upos", "VERB AUX"),
        ("勉強が", "upos", "NOUN ADP"),
        ("安全な道", "upos", "ADJ AUX NOUN"),
        ("お茶", "upos", "NOUN NOUN"),
        ("うん、京都へ", "upos", "INTJ PUNCT PROPN ADP"),
        ("＋", "upos", "SYM"),
        ("テレビを見た", "lemma", "テレビ を 見る た"),
        ("山田さん", "lemma", "山田 さん"),
        ("走った！", "lemma", "走る た ！"),
        ("Zorbulを", "lemma", "Zorbul を"),
        ("京都へ", "xpos", "名詞-固有名詞-地名-一般 助詞-格助詞"),
        ("言葉は", "reading", "コトバ ハ"),
    ],
)
def test_parts_of_speech_and_lemmas(fugashi, text: str, column: str, expected: str):
    assert " ".join(token[column] for token in fugashi(text)) == expected


def test_words_are_those_of_mecab(fugashi):
    from fugashi import Tagger

    text = "昨日の夜、友達と一緒に「新しい映画」を見に行ったんだけど、 途中で寝ちゃったｗ Sorry！"
    assert [token["form"] for token in fugashi(text)] == Tagger("-Owakati").parse(text).split()


@pytest.mark.parametrize(
    "text, forms",
    [
        ("雨\0雪", ["雨", "雪"]),
        ("\0", []),
        ("雨\r\n雪\r", ["雨", "雪"]),
        ("😀\r😀", ["😀", "😀"]),
        ("雨\x85雪", ["雨", "雪"]),
        ("　雨　　雪", ["雨", "雪"]),
        ("雨" + " " * 70_000 + "雪", ["雨", "雪"]),
        (" \t\u2028", []),
        ("", []),
    ],
)
def test_what_mecab_trips_over(fugashi, text: str, forms: list[str]):
    tokens = fugashi(text)
    assert [token["form"] for token in tokens] == forms
    assert all(text[token["start"] : token["end"]] == token["form"] for token in tokens)


def test_no_text_is_too_long(fugashi, shell):
    """MeCab crashes on 200,000 signs in a row, and on some megabytes of anything."""
    code = (
        "from dialtools import languages; from dialtools.parsers import fugashi; found = "
        "fugashi.parse(['-' * 200000, '雨だ。' * 50000], language=languages.get('ja')); "
        "print(sum(len(token['form']) for token in found[0]), len(found[1]))"
    )
    assert shell(f'python -c "{code}"').out == "200000 150000\n"


@given(
    st.text(st.characters(codec="utf-8") | st.sampled_from("\0\t\n\r　 雨がカ゛|\\_"), max_size=60)
)
def test_any_text_is_aligned_and_survives_conllu(text: str):
    pytest.importorskip("fugashi", reason="fugashi is not installed: no Japanese words")
    parsed = list(parse([record(text, "雨")], parser="fugashi"))
    tokens = parsed[0]["dialogue"][0]["tokens"]
    assert all(text[token["start"] : token["end"]] == token["form"] for token in tokens)
    assert read(written(parsed)) == [
        {key: value for key, value in parsed[0].items() if key != "history"}
    ]


def test_only_japanese_is_parsed(fugashi):
    with pytest.raises(RecordError, match="fugashi parses Japanese, the record is en"):
        list(parse([record("Hi", lang="en")], parser="fugashi"))
    assert next(parse([record("雨", lang="ja-JP")], parser="fugashi"))["dialogue"][0]["tokens"]


# stanza


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of models for French, trained now."""
    pytest.importorskip("stanza", reason="stanza is not installed: no trees")
    import torch

    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("models")
    done = subprocess.run(
        [sys.executable, str(ROOT / "tests" / "tiny_stanza.py"), str(folder)],
        capture_output=True,
        env=environment(folder, OMP_NUM_THREADS="1", PYTHONPATH=str(ROOT)),
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch):
    def refuse(*given: object, **more: object):
        raise OSError("a socket was opened")

    monkeypatch.setattr(socket, "socket", refuse)


def facts(word) -> tuple:
    """Return what stanza says of a word that is not None."""
    return tuple(
        value
        for value in (word.lemma, word.upos, word.xpos, word.feats, word.head, word.deprel)
        if value is not None
    )


def test_stanza_gives_what_its_own_pipeline_gives(models: Path, no_network, tmp_path: Path):
    """Our batch of texts against stanza's pipeline on each text alone, built by hand."""
    import stanza

    (tmp_path / "resources.json").write_text("{}")
    names = ["tokenize", "mwt", "pos", "lemma", "depparse"]
    paths = {f"{name}_model_path": str(next((models / name).glob("*.pt"))) for name in names}
    alone = stanza.Pipeline(
        "fr",
        dir=str(tmp_path),
        processors=",".join(names),
        download_method=None,
        verbose=False,
        allow_unknown_language=True,
        depparse_pretrain_path=str(models / "pretrain/vectors.pt"),
        **paths,
    )
    made = next(parse([record(*FRENCH, lang="fr")], parser=f"stanza:dir={models}"))
    for text, turn in zip(FRENCH, made["dialogue"], strict=True):
        expected = [
            (word.text, number, *facts(word))
            for number, sentence in enumerate(alone(text).sentences, 1)
            for word in sentence.words
        ]
        keys = ("lemma", "upos", "xpos", "feats", "head", "deprel")
        assert expected == [
            (
                token.get("word", token["form"]),
                token["sent"],
                *(token[key] for key in keys if key in token),
            )
            for token in turn["tokens"]
        ]
        assert all(text[token["start"] : token["end"]] == token["form"] for token in turn["tokens"])


def test_stanza_finds_the_trees_that_it_was_trained_on(models: Path):
    """The treebank in tiny_stanza.py is written by hand."""
    trees = read(tiny_stanza.treebank())
    texts = [tree["text"] for tree in trees]
    made = next(parse([record(*texts, lang="fr")], parser=f"stanza:dir={models}"))
    assert [turn["tokens"] for turn in made["dialogue"]] == [tree["tokens"] for tree in trees]
    signature = made["history"][-1]["signature"]
    assert (
        "|lang:fr|stanza:" in signature
        and "|depparse:fr_tiny_" in signature
        and str(models) not in signature
    )


def test_texts_without_words_and_windows_line_ends(models: Path):
    made = next(parse([record(*FRENCH, lang="fr")], parser=f"stanza:dir={models}"))
    forms = [[token["form"] for token in turn["tokens"]] for turn in made["dialogue"]]
    assert forms[0] == [
        "Je",
        "viens",
        "d",
        "u",
        "marché",
        ".",
        "Elle",
        "parle",
        "a",
        "u",
        "chat",
        ".",
    ]
    assert forms[1:4] == [[], ["Tu", "dors", "!"] * 2, []] and forms[4][-1] == "😀"
    assert [token["sent"] for token in made["dialogue"][2]["tokens"]] == [1, 1, 1, 2, 2, 2]
    assert made["history"][-1]["counts"]["texts without a word"] == 2


def test_conllu_of_trees_is_what_stanza_reads(models: Path):
    from stanza.utils.conll import CoNLL

    parsed = list(parse([record(*FRENCH, lang="fr")], parser=f"stanza:dir={models}"))
    document = CoNLL.conll2doc(input_str=written(parsed))
    tokens = [token for turn in parsed[0]["dialogue"] for token in turn["tokens"]]
    heads = [(word.text, word.head) for sentence in document.sentences for word in sentence.words]
    assert heads == [(token.get("word", token["form"]), token["head"]) for token in tokens]
    surfaces = [token.text for sentence in document.sentences for token in sentence.tokens]
    assert surfaces[:7] == ["Je", "viens", "du", "marché", ".", "Elle", "parle"]
    assert read(written(parsed))[0]["dialogue"] == parsed[0]["dialogue"]


def linked(folder: Path, models: Path, *names: str) -> Path:
    """Return the folder, with some of the models in it."""
    folder.mkdir(parents=True)
    for name in names:
        (folder / name).symlink_to(models / name)
    return folder


def test_a_folder_of_downloads_is_read_by_its_list(models: Path, tmp_path: Path, no_network):
    names = ("tokenize", "mwt", "pos", "lemma", "depparse", "ner")
    home = tmp_path / "fr"
    for name in (*names, "pretrain"):
        (home / name).mkdir(parents=True)
        (home / name / "tiny.pt").symlink_to(next((models / name).glob("*.pt")))
    packages = {name: {"tiny": {}} for name in names} | {"pretrain": {"tiny": {}}}
    packages["depparse"] = packages["ner"] = {
        "tiny": {"dependencies": [{"model": "pretrain", "package": "tiny"}]}
    }
    known = {
        "fr": {
            "lang_name": "French",
            "packages": {"default": dict.fromkeys(names, "tiny")},
            **packages,
        }
    }
    (tmp_path / "resources.json").write_text(json.dumps(known))
    plugin = registry.load("parsers", f"stanza:dir={tmp_path}")
    own = registry.load("parsers", f"stanza:dir={models}").call(FRENCH, language=FR)
    assert plugin.call(FRENCH, language=languages.get("fr-CA")) == own
    assert plugin.declared.versions(language=FR, dir=str(tmp_path))["depparse"].startswith("tiny-")
    (home / "lemma" / "tiny.pt").unlink()
    with pytest.raises(
        MissingError, match=r"no stanza model for fr-FR in .*stanza.download\('fr', model_dir="
    ):
        plugin.call(FRENCH, language=languages.get("fr-FR"))
    (tmp_path / "resources.json").write_text('{"de": {}}')
    with pytest.raises(MissingError, match="it has no packages for de"):
        plugin.call(FRENCH, language=languages.get("de"))


def test_stanza_annotates_words_that_are_given(models: Path, tmp_path: Path, no_network):
    """The words of the treebank, without what is to be found; a folder without tokenize/ will do."""
    trees = read(tiny_stanza.treebank())
    turns = [
        {
            "speaker": "A",
            "text": tree["text"],
            "tokens": [
                {
                    key: token[key]
                    for key in ("form", "start", "end", "word", "part")
                    if key in token
                }
                for token in tree["tokens"]
            ],
        }
        for tree in trees
    ]
    without = linked(tmp_path / "given", models, "pos", "lemma", "depparse", "ner", "pretrain")
    for folder in (models, without):
        given_record = {
            "id": 1,
            "lang": "fr",
            "dialogue": [*turns, {"speaker": "B", "text": "…", "tokens": []}],
        }
        made = next(parse([given_record], parser=f"stanza:dir={folder}", pretokenised=True))
        # entities were learned of whole words
        for turn, tree in zip(made["dialogue"], trees, strict=False):
            found, wanted = (
                [token | {"ner": ""} for token in holder["tokens"]] for holder in (turn, tree)
            )
            assert found == wanted
        assert (
            made["dialogue"][2]["tokens"][0]["ner"] == "O" and made["dialogue"][3]["tokens"] == []
        )
    with pytest.raises(MissingError, match=r"no stanza model for fr in .*/given \(no .*tokenize"):
        next(parse([record("Tu", lang="fr")], parser=f"stanza:dir={without}"))


def test_a_tagger_needs_no_parser_but_a_parser_needs_a_tagger(models: Path, tmp_path: Path):
    folder = linked(tmp_path / "some" / "fr", models, "tokenize", "pos").parent
    token = registry.load("parsers", f"stanza:dir={folder}").call(["Tu dors!"], language=FR)[0][1]
    assert token == {"form": "dors", "start": 3, "end": 7, "upos": "VERB", "sent": 1}
    folder = linked(tmp_path / "other", models, "tokenize", "depparse")
    with pytest.raises(MissingError, match="need others that are missing: lemma, pos"):
        registry.load("parsers", f"stanza:dir={folder}").call(["Tu dors!"], language=FR)


def test_a_model_that_is_none_and_one_too_many(models: Path, tmp_path: Path):
    broken = tmp_path / "tokenize" / "a.pt"
    broken.parent.mkdir()
    plugin = registry.load("parsers", f"stanza:dir={tmp_path}")
    for data in (b"", b"no model", next((models / "tokenize").glob("*.pt")).read_bytes()[:20_000]):
        broken.write_bytes(data)
        with pytest.raises(MissingError, match="cannot load its models for fr"):
            plugin.call(["Tu"], language=FR)
    (tmp_path / "tokenize" / "b.pt").write_bytes(b"")
    with pytest.raises(OptionError, match=r"several models, a.pt, b.pt: keep one"):
        plugin.call(["Tu"], language=FR)


def test_a_model_that_is_not_there_comes_with_its_command(models: Path, no_network):
    command = r"""no stanza model for de-AT in nowhere .*: python -c "import stanza; stanza.download\('de', """
    with pytest.raises(MissingError, match=command):
        registry.load("parsers", "stanza:dir=nowhere").call(
            ["Hallo"], language=languages.get("de-AT")
        )
    with pytest.raises(MissingError, match="stanza publishes none: train it"):
        registry.load("parsers", "stanza:dir=nowhere").call(
            ["Sugeng"], language=languages.get("jv")
        )


# CoNLL-U

TREEBANK = """\
# sent_id = a-1
# text = ¡No vámonos al mar, 10 000 veces!
1\t¡\t¡\tPUNCT\t_\t_\t3\tpunct\t_\tSpaceAfter=No
2\tNo\tno\tADV\t_\tPolarity=Neg\t3\tadvmod\t_\t_
3-4\tvámonos\t_\t_\t_\t_\t_\t_\t_\t_
3\tvamos\tir\tVERB\t_\tMood=Imp\t0\troot\t_\t_
4\tnos\tyo\tPRON\t_\t_\t3\texpl\t_\t_
5-6\tal\t_\t_\t_\t_\t_\t_\t_\t_
5\ta\ta\tADP\t_\t_\t7\tcase\t_\t_
6\tel\tel\tDET\t_\t_\t7\tdet\t_\t_
7\tmar\tmar\tNOUN\t_\t_\t3\tobl\t_\tGloss=sea|SpaceAfter=No
8\t,\t,\tPUNCT\t_\t_\t10\tpunct\t_\t_
9\t10 000\t10000\tNUM\t_\t_\t10\tnummod\t_\t_
10\tveces\tvez\tNOUN\t_\t_\t3\tobl\t_\tSpaceAfter=No
11\t!\t!\tPUNCT\t_\t_\t3\tpunct\t_\t_

# sent_id = a-2
# text = _ sí
1\t_\t_\tSYM\t_\t_\t2\tpunct\t_\t_
2\tsí\tsí\tINTJ\t_\t_\t0\troot\t_\t_

"""


def test_a_treebank_is_read_and_written_alike():
    records = read(TREEBANK)
    assert [made["id"] for made in records] == ["a-1", "a-2"]
    assert records[0]["text"] == "¡No vámonos al mar, 10 000 veces!"
    assert [token["form"] for token in records[0]["tokens"]][2:6] == ["vámo", "nos", "a", "l"]
    assert records[1]["tokens"][0]["lemma"] == "_"
    assert written(records) == TREEBANK.replace("sent_id", "id")


def test_empty_nodes_and_windows_line_ends_leave_no_trace():
    with_nodes = TREEBANK.replace(
        "4\tnos", "3.1\tnada\t_\t_\t_\t_\t_\t_\t3:obj\t_\n4\tnos"
    ).replace("\n", "\r\n")
    assert read("\ufeff" + with_nodes) == read(TREEBANK)


texts = st.text(
    st.characters(codec="utf-8", exclude_categories=["Zs", "Cc"])
    | st.sampled_from("\n\t\r |\\_ 　")
)


unicode = st.characters(codec="utf-8")
names = st.text(unicode, min_size=1).filter(str.strip) | st.sampled_from(["7", '"A"', "[]", " A\t"])
ids = (
    st.integers() | st.text(unicode, max_size=3) | st.sampled_from(["7", "-1", "[7]", '"', "null"])
)


@given(
    ids,
    st.lists(st.lists(st.tuples(names, texts), max_size=3), min_size=1, max_size=3),
    st.booleans(),
)
def test_records_survive_conllu(id: int | str, dialogues: list[list[tuple]], has_text: bool):
    records = [
        {
            "id": id,
            "lang": "ja-JP",
            "variant": f"names:{number}",
            "dialogue": [{"speaker": name, "text": text} for name, text in turns],
        }
        for number, turns in enumerate(dialogues, 1)
        if turns
    ]
    records += [
        {"id": "and", "lang": "en", "text": turns[0][1]} for turns in dialogues[:has_text] if turns
    ]
    parsed = [
        {key: value for key, value in made.items() if key != "history"}
        for made in parse(records, parser=by_space)
    ]
    assert read(written(parsed)) == [
        made for made in parsed if any(map(tokens_of, (made, *made.get("dialogue", []))))
    ]


def tokens_of(holder: dict) -> list[dict]:
    return holder.get("tokens") or []


def test_a_word_with_a_line_end_is_refused():
    token = {"form": "a\nb", "start": 0, "end": 3}
    with pytest.raises(RecordError, match='allows no tab or line end in a word: "a.nb"'):
        written([{"id": 1, "text": "a\nb", "tokens": [token]}])


@pytest.mark.parametrize(
    "heads, line, reason",
    [  # by hand
        ("2 3 2 0 4", 3, "the heads run in a circle: 2 → 3 → 2"),
        ("1 0 2 2 2", 2, "the heads run in a circle: 1 → 1"),
        ("2 1 2 2 2", 2, "no root"),
        ("0 1 1 0 4", 5, "two roots, words 1 and 4"),
        ("2 0 6 2 2", 4, "HEAD of word 3 is 6, but the sentence has 5 words"),
        ("2 0 _ 2 2", 4, "word 3 has no HEAD"),
    ],
)
def test_heads_that_are_no_tree(heads: str, line: int, reason: str):
    rows = [
        f"{number}\tw\t_\t_\t_\t_\t{head}\t_\t_\t_" for number, head in enumerate(heads.split(), 1)
    ]
    text = "\n".join(["# x", *rows]) + "\n\n"
    with pytest.raises(RecordError, match=reason) as caught:
        read(text)
    assert caught.value.place == str(line)
    plain = registry.load("formats", "conllu:trees=no").call
    if "trees=no" in caught.value.reason:
        assert [token["head"] for token in next(plain(BytesIO(text.encode())))[1]["tokens"]] == [
            int(head) for head in heads.split()
        ]
    else:
        with pytest.raises(RecordError, match=reason):
            list(plain(BytesIO(text.encode())))


@pytest.mark.parametrize("ranges", ["1-1", "1-4", "1-2 1-3", "1-2 2-3"])
def test_multiword_tokens_that_share_words_or_lack_them(ranges: str):
    first, *second = ranges.split()
    rows = [
        first,
        *(more for more in second if more[0] == "1"),
        "1",
        *(more for more in second if more[0] == "2"),
        "2",
        "3",
    ]
    with pytest.raises(
        RecordError, match=f"no words for the multiword token {ranges.split()[-1]} w"
    ):
        read("".join(f"{number}\tw" + "\t_" * 8 + "\n" for number in rows) + "\n")


@pytest.mark.parametrize(
    "comments, reason",
    [
        ("id = 1\nturn = x\nspeaker = A", 'whose turn is no number, "x"'),
        ("id = 1\nturn = 1", "a turn but no speaker"),
        ("id = 1\nwordless = [1]", "must be a list of turns"),
        ("id = 1\nwordless = 5", "must be a list of turns"),
        (
            'id = 1\nturn = 2\nspeaker = A\nwordless = [{"turn": 2, "speaker": "A", "text": ""}]',
            "turn 2 comes twice",
        ),
    ],
)
def test_comments_that_are_not_ours(comments: str, reason: str):
    rows = "1\tw" + "\t_" * 8
    with pytest.raises(RecordError, match=reason):
        read("".join(f"# {line}\n" for line in comments.split("\n")) + rows + "\n\n")


def test_a_text_that_was_not_parsed_cannot_be_written():
    uh = {
        "id": 1,
        "dialogue": [
            {
                "speaker": "A",
                "text": "a, uh, b",
                "tokens": [
                    {"form": "a", "start": 0, "end": 1},
                    {"form": "b", "start": 7, "end": 8},
                ],
            }
        ],
    }
    for given_record, reason in [
        (record("a"), 'turn 1 has no "tokens"'),
        ({"id": 1, "text": "a"}, '"text" has no'),
        ({"id": 1, "text": "a", "tokens": []}, '"a" in "text" has no token'),
        (uh, '"uh" in turn 1 has no token: dt-parse --overwrite'),
        ({"id": 1, "dialogue": "A: a"}, "a string has no tokens"),
    ]:
        with pytest.raises(RecordError, match=reason):
            written([given_record])
