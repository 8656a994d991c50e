"""names/occurrences.py: names of speakers followed from a record into its prompt and the tokens of that."""

from itertools import groupby
from typing import Any

import pytest
from table_tests import each_row

import dialtools
from dialtools import languages
from dialtools.inference import inputs, prompts, views
from dialtools.models.decoding import Prompting
from dialtools.models.writers import Writer
from dialtools.names import occurrences
from dialtools.names.occurrences import BEGIN, END
from dialtools.system.errors import OptionError, RecordError

DIALOGUES = {
    "en": (
        "Ann: Hi Bob, is Will there?\nBob: Ann's bag, ANN!\nAnn: Will Bob stay?",
        "<Ann>: Hi <Bob>, is Will there?\n<Bob>: <Ann>'s bag, <ANN>!\n<Ann>: Will <Bob> stay?",
    ),
    "zh": (
        "王芳: 李强，你今天去吗？\n李强: 去，王芳你呢",
        "<王芳>: <李强>，你今天去吗？\n<李强>: 去，<王芳>你呢",
    ),
    "ja": (
        "田中太郎: 鈴木さん、来ますか。\n鈴木花子: 太郎くん、はい。",
        "<田中太郎>: <鈴木>さん、来ますか。\n<鈴木花子>: <太郎>くん、はい。",
    ),
    "hi": (
        "अनिता: राहुल, क्या तुम जा रहे हो?\nराहुल: हाँ अनिता",
        "<अनिता>: <राहुल>, क्या तुम जा रहे हो?\n<राहुल>: हाँ <अनिता>",
    ),
    "ko": (
        "김민준: 이서연 씨, 안녕하세요\n이서연: 민준아 안녕",
        "<김민준>: <이서연> 씨, 안녕하세요\n<이서연>: <민준>아 안녕",
    ),
}
KINDS = [
    "bytes",
    "bytes after a space",
    "unigram",
    "unigram without a space",
    "pieces in lower case",
]


def record(lang: str, **more: Any) -> dict:
    return {"id": lang, "lang": lang, "dialogue": DIALOGUES[lang][0], **more}


def shown(made: dict) -> str:
    text = prompts.plain(made)
    return text.replace(BEGIN, "<").replace(END, ">")


@each_row("lang", DIALOGUES)
def test_names_stand_in_labels_and_mentions(lang: str):
    assert shown(prompts.marked(record(lang))) == DIALOGUES[lang][1]


@each_row("lang", DIALOGUES)
def test_names_of_a_variant_stand_where_those_of_its_source_do(lang: str):
    """As many, each a form of the new name; the text between them is that between the old ones."""
    source = shown(prompts.marked(record(lang)))
    for made in dialtools.swap_names([record(lang)], variants=3, seed=1):
        found = shown(prompts.marked(made))
        assert (
            found.count("<") == source.count("<")
            and found.replace("<", "").replace(">", "") == made["dialogue"]
        )
        between = [part.partition(">")[2] for part in found.split("<")]
        if lang != "ko":  # whose particles follow the name
            assert between == [part.partition(">")[2] for part in source.split("<")]
        assert not set(made["history"][-1]["names"]) & {
            part.partition(">")[0] for part in found.split("<")
        }


def test_a_name_that_is_a_word_is_known_by_its_history():
    """Mark can be a verb: by itself it is in doubt, and the swap put it there."""
    given = {
        "id": 1,
        "lang": "en",
        "dialogue": "Ann: Let's go.\nBob: Where?\nAnn: Bob can help with that, or: bob?",
    }
    (made,) = dialtools.swap_names([given], map={"Bob": "Mark"})
    assert shown(prompts.marked(made)).endswith("<Ann>: <Mark> can help with that, or: <mark>?")
    bare = {key: made[key] for key in ("id", "lang", "dialogue")}
    assert shown(prompts.marked(bare)).endswith("<Ann>: Mark can help with that, or: mark?")


def test_names_are_followed_through_later_changes():
    (made,) = dialtools.swap_names([record("en")], map={"Bob": "Robert"})
    (changed,) = dialtools.perturb([made], kind=["typo.keyboard:rate=0.9"], seed=2)
    text = shown(prompts.marked(changed))
    assert (
        changed["dialogue"] != made["dialogue"]
        and text.count("<Robert>") == 3
        and text.count("<") == 7
    )
    (split,) = dialtools.perturb([made], kind=["dialogue.greeting"])
    with pytest.raises(RecordError, match="perturb first, then swap"):
        prompts.marked(split)


def test_references_and_contexts_have_names():
    (made,) = dialtools.swap_names(
        [record("en", reference=["Ann calls.", "Bob"], context="Who is Bob?")], ids=True
    )
    marked = prompts.marked(made)
    assert marked["reference"] == [f"{BEGIN}Speaker1{END} calls.", f"{BEGIN}Speaker2{END}"]
    assert marked["context"] == f"Who is {BEGIN}Speaker2{END}?"


def test_roles_are_names_only_as_labels():
    given = {
        "id": 1,
        "lang": "en",
        "dialogue": "Agent: I am your agent. Agent!\n#Person1#: Hi, #Person1# here",
    }
    assert (
        shown(prompts.marked(given))
        == "<Agent>: I am your agent. Agent!\n<#Person1#>: Hi, <#Person1#> here"
    )


@pytest.mark.parametrize(
    "template, read",
    [
        (
            "Sum up:\n{{ dialogue }}\nTL;DR",
            "Sum up:\n<Ann>: Hi <Bob>, is Will there?\n<Bob>: <Ann>'s bag, <ANN>!\n"
            "<Ann>: Will <Bob> stay?\nTL;DR",
        ),
        (
            "{% for turn in dialogue %}[{{ turn.speaker | upper }}] {{ turn.text }} {% endfor %}",
            "[<ANN>] Hi <Bob>, is Will there? [<BOB>] <Ann>'s bag, <ANN>! [<ANN>] Will <Bob> stay? ",
        ),
        ("Ann and Bob: {{ dialogue[1].text }}", "Ann and Bob: <Ann>'s bag, <ANN>!"),
    ],
)
def test_names_are_followed_into_a_template(tmp_path, template: str, read: str):
    (tmp_path / "prompt").write_text(template)
    ask = views.naming(views.asker(Prompting(prompt=str(tmp_path / "prompt"))))
    (view,) = ask(record("en"))
    text = view["prompt"]
    for start, end in sorted(view["name_spans"], reverse=True):
        text = f"{text[:start]}<{text[start:end]}>{text[end:]}"
    assert text == read


def test_a_template_that_asks_for_names_is_no_guess(tmp_path):
    (tmp_path / "prompt").write_text(
        "{% if dialogue[0].speaker == 'Ann' %}Ann begins{% else %}Who?{% endif %}"
    )
    ask = views.naming(views.asker(Prompting(prompt=str(tmp_path / "prompt"))))
    with pytest.raises(
        RecordError, match="cannot be followed into the prompt: the template compares"
    ):
        ask(record("en"))


@pytest.fixture(scope="module")
def tokenizers() -> dict[str, Any]:
    """Return tokenizers of several kinds, trained on the dialogues."""
    pytest.importorskip("transformers")
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    def byte_pairs(space: bool) -> Any:
        made = Tokenizer(models.BPE())
        made.pre_tokenizer, made.decoder = (
            pre_tokenizers.ByteLevel(add_prefix_space=space),
            decoders.ByteLevel(),
        )
        return made, trainers.BpeTrainer(
            vocab_size=330,
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        )

    def unigrams(space: str) -> Any:
        made = Tokenizer(models.Unigram())
        made.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme=space)
        made.normalizer, made.decoder = normalizers.NFKC(), decoders.Metaspace(prepend_scheme=space)
        return made, trainers.UnigramTrainer(
            vocab_size=150, special_tokens=["<unk>"], unk_token="<unk>", show_progress=False
        )

    def pieces() -> Any:
        made = Tokenizer(models.WordPiece(unk_token="<unk>"))
        made.normalizer = normalizers.BertNormalizer(strip_accents=False)
        made.pre_tokenizer, made.decoder = pre_tokenizers.BertPreTokenizer(), decoders.WordPiece()
        return made, trainers.WordPieceTrainer(
            vocab_size=200, special_tokens=["<unk>"], show_progress=False
        )

    found = {}
    for kind, (made, trainer) in zip(
        KINDS,
        [byte_pairs(False), byte_pairs(True), unigrams("always"), unigrams("never"), pieces()],
        strict=True,
    ):
        made.train_from_iterator([text for text, _ in DIALOGUES.values()] * 3, trainer)
        found[kind] = PreTrainedTokenizerFast(tokenizer_object=made, model_max_length=1000)
    return found


def read(
    words: Any, given: dict, kind: str = "seq2seq", most: int = 1000, side: Any = None
) -> list[str]:
    """Return the text of the tokens of each name that a model reads."""
    (row,) = inputs.rows([given], Writer(words, None, None, None), kind, most, side, named=True)
    numbered = zip(row.names, row.ids, strict=True)
    return [
        words.decode([token for _, token in part]).strip()
        for number, part in groupby(numbered, key=lambda pair: pair[0])
        if number
    ]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("lang", DIALOGUES)
def test_tokens_of_names_read_as_the_names(tokenizers, kind: str, lang: str):
    """A token may hold a sign beside the name; none is missing, and none is too many."""
    words = tokenizers[kind]
    for made in (record(lang), *dialtools.swap_names([record(lang)], variants=2, seed=1)):
        names = [part.partition(">")[0] for part in shown(prompts.marked(made)).split("<")[1:]]
        found = read(words, made)
        assert len(found) == len(names)
        for one, name in zip(found, names, strict=True):
            name = name.lower() if kind == KINDS[-1] else name
            assert name in one or "<unk>" in one or " ".join(name) == one, (found, names)
            assert len(one) <= len(name) + 3 or "<unk>" in one or kind == KINDS[-1]


@pytest.mark.parametrize("side, rest", [("right", ["Ann", "Bob", "Bob"]), ("left", ["Ann", "Bob"])])
def test_windows_keep_the_places(tokenizers, side: str, rest: list[str]):
    words = tokenizers["bytes"]
    whole = words(DIALOGUES["en"][0])["input_ids"]
    most = len(words("Ann: Hi Bob, is Will there?\nBob")["input_ids"])
    if side == "left":
        most = len(words("\nAnn: Will Bob stay?")["input_ids"])
    assert most < len(whole)
    assert read(words, record("en"), most=most, side=side) == rest


@pytest.mark.parametrize("side", ["left", "right"])
def test_chats_keep_the_places(tokenizers, side: str):
    words = tokenizers["bytes"]
    words.chat_template = (
        "{% for m in messages %}[{{ m.role }}] {{ m.content | trim }}\n{% endfor %}Ann: "
    )
    try:
        given = {**record("en"), "system_prompt": "Bob"}
        assert read(words, given, "causal") == ["Ann", "Bob", "Bob", "Ann", "ANN", "Ann", "Bob"]
        whole = len(
            inputs.rows([given], Writer(words, None, None, None), "causal", 1000, None)[0].ids
        )
        found = read(words, given, "causal", whole - 9, side)
        all_of_them = ["Ann", "Bob", "Bob", "Ann", "ANN", "Ann", "Bob"]
        assert found == (
            all_of_them[-len(found) :] if side == "left" else all_of_them[: len(found)]
        )
        assert 3 <= len(found) < 7
    finally:
        words.chat_template = None


def test_a_tokenizer_must_say_where_its_tokens_stand(tokenizers):
    class Slow:
        is_fast, chat_template = False, None

    with pytest.raises(OptionError, match="a Slow does not say where its tokens stand"):
        inputs.rows(
            [record("en")], Writer(Slow(), None, None, None), "seq2seq", 9, None, named=True
        )


def test_a_text_by_itself_has_the_names_of_its_labels():
    language = languages.get("en")
    assert occurrences.of_text("Ann: Hi Bob\nBob: Ann?", language) == [
        (0, 3),
        (8, 11),
        (12, 15),
        (17, 20),
    ]
    assert occurrences.of_text("Ann likes Bob.", language) == []
