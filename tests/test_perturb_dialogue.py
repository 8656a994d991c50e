"""Turns that are added, moved, cut or joined; who says what, and where, was decided by hand."""

from random import Random

import pytest
from table_tests import each_row

import dialtools
from dialtools import languages
from dialtools.plugins import registry
from dialtools.records import edits
from dialtools.system.errors import MissingError, OptionError, RecordError
from dialtools.text import paraphrases, phrases, sentences
from dialtools.variants import similarity, turntaking

TALK = [
    "A: When does the train to Leeds leave?",
    "B: At ten, from platform two.",
    "A: Thanks.",
    "C: I go too.",
    "C: Wait for me.",
    "B: All right.",
]


def turns(lines: list[str]) -> list[dict]:
    """Return "A: text" lines as turns."""
    return [
        {"speaker": name, "text": text}
        for name, _, text in (line.partition(": ") for line in lines)
    ]


def record(lines: list[str], lang: str = "en", **more: object) -> dict:
    return {"id": "1", "lang": lang, "dialogue": turns(lines), **more}


def drawn(kind: str, source: dict, number: int = 60, **functions) -> list[list[list]]:
    """Return the different edits that so many random generators make."""
    plugin = registry.load("perturbations", kind).bound(**functions)
    found = [plugin.call(source, Random(seed)) for seed in range(number)]
    return [made for i, made in enumerate(found) if made not in found[:i]]


def spoken(source: dict, made: list[list]) -> str:
    """Return who speaks in the edited dialogue, in turn."""
    return "".join(turn["speaker"] for turn in edits.apply(source, made)[0]["dialogue"])


def wordings(kind: str, formality: str, lang: str = "en", setting: str = "any") -> set[str]:
    return {
        row["text"]
        for row in languages.get(lang).table("phrases")
        if (row["kind"], row["formality"], row["setting"]) == (kind, formality, setting)
    }


# Who is asked to repeat, or to wait, by whom.


@each_row("number, asked", [(0, "B"), (1, "A"), (2, "C"), (3, "B"), (4, "B"), (5, "C")])
def test_a_turn_is_said_to_the_next_speaker_or_else_to_the_one_before(number: int, asked: str):
    assert turntaking.listener(turns(TALK), number) == asked
    assert [
        turntaking.listener(turns(["A: 1", "B: 2", "C: 3"]), number) for number in range(3)
    ] == ["B", "C", "B"]
    assert turntaking.listener(turns(["A: 1", "B: 2", "B: 3"]), 2) == "A"


@each_row(
    "labels, lang, expected",
    [
        (["Ann", "Bob", "Agent 2"], "en", "Agent 2"),
        (["用户", "客服01"], "zh", "客服01"),
        (["客服", "用户"], "zh", "客服"),
        (["Ann", "Bob", "Cy"], "en", "Bob"),
        (["Agent Smith", "Bob"], "en", "Bob"),
        (["Ann"], "en", "Ann"),
    ],
)
def test_who_serves_a_customer(labels: list[str], lang: str, expected: str):
    assert (
        turntaking.agent(turns([f"{label}: Hi" for label in labels]), languages.get(lang))
        == expected
    )


def test_empty_turns_are_joined_to_an_empty_one():
    assert turntaking.joined(turns(["A: ", "A: "]), " ") == {"speaker": "A", "text": ""}


@each_row(
    "addressee, expected", [("C", "C"), ("A", "B"), ("nobody", "B"), (["C"], "B"), (None, "B")]
)
def test_a_turn_is_said_to_its_addressee_if_that_is_another_speaker(
    addressee: object, expected: str
):
    talk = turns(TALK)
    talk[0]["addressee"] = addressee
    assert turntaking.listener(talk, 0) == expected


def test_the_sentences_of_joined_turns_are_counted_on():
    """One turn without letters has no tokens; a token that a cut goes through is in neither part."""

    def words(*said: tuple[str, int, int]) -> list[dict]:
        return [
            {"form": form, "start": start, "end": start + len(form), "sent": sent}
            for form, start, sent in said
        ]

    talk = [
        {
            "speaker": "A",
            "text": "Hi. So",
            "tokens": words(("Hi", 0, 1), (".", 2, 1), ("So", 4, 2)),
        },
        {"speaker": "A", "text": "…"},
        {"speaker": "A", "text": "yes", "tokens": words(("yes", 0, 1))},
    ]
    joined = turntaking.joined(talk, " ")
    assert joined["text"] == "Hi. So … yes"
    assert joined["tokens"] == words(("Hi", 0, 1), (".", 2, 1), ("So", 4, 2), ("yes", 9, 3))
    first, second = turntaking.cut(joined, [5])
    assert (first["text"], first["tokens"]) == ("Hi. S", words(("Hi", 0, 1), (".", 2, 1)))
    assert (second["text"], second["tokens"]) == ("o … yes", words(("yes", 4, 1)))


def test_a_repetition_is_asked_for_by_the_listener_and_given_by_the_speaker():
    for made in drawn("dialogue.repetition", record(TALK), paraphrase=paraphrases.verbatim):
        [[pointer, at, end, before, (request, again), note]] = made
        source = turns(TALK)[at - 1]
        assert (pointer, end, before) == ("/dialogue", at, [])
        assert again == source and note == "verbatim"
        assert request["speaker"] == turntaking.listener(turns(TALK), at - 1)
        assert request["text"] in wordings("repeat", "casual")


def test_every_turn_with_words_can_be_repeated_and_no_other():
    talk = record([*TALK, "A: …", "B: ", "A: <file_photo> 😂", "B: https://x.com/a", "A: @Bob"])
    assert {made[0][1] - 1 for made in drawn("dialogue.repetition", talk, 200)} == set(range(6))


def test_a_delay_is_asked_for_by_the_listener_three_turns_in_a_row():
    for made in drawn("dialogue.delay", record(TALK)):
        [[_, at, _, _, added]] = made
        speaker, asking = turns(TALK)[at - 1]["speaker"], turntaking.listener(turns(TALK), at - 1)
        assert [turn["speaker"] for turn in added] == [asking, speaker, asking]
        said = [wordings(kind, "casual") for kind in ("wait", "acknowledge", "thanks")]
        assert all(turn["text"] in texts for turn, texts in zip(added, said, strict=True))


def test_a_delay_stands_behind_any_turn_but_the_last():
    assert {made[0][1] for made in drawn("dialogue.delay", record(TALK), 200)} == {1, 2, 3, 4, 5}


@each_row("kind", ["dialogue.repetition", "dialogue.delay", "dialogue.backchannel"])
@each_row("lines", [[], ["A: I am here, all by myself."], ["A: I am here today. Who", "A: is it?"]])
def test_nobody_talks_to_one_who_is_alone(kind: str, lines: list[str]):
    assert drawn(kind, record(lines)) == [[]]


@each_row("kind", ["greeting", "closing", "combine", "reorder", "split"])
def test_an_empty_dialogue_stays_empty(kind: str):
    assert drawn(f"dialogue.{kind}", record([])) == [[]]


# Targets, by the words in common; the F1 of words decides, and there is no tie.

REFERENCES = ["The train leaves at ten from platform two. C goes too."]


def test_targets_are_the_turns_nearest_to_each_sentence_of_the_references():
    # "At ten, from platform two." has 5 words, 5 of them in the first sentence of 8: 10/13; "When
    # does the train to
    # Leeds leave?" has 2 of 7: 4/15.  "I go too." shares 1 of 3 with the second of 3: 1/3; the
    # others nothing.
    [made] = drawn(
        "dialogue.repetition:targeted=most",
        record(TALK, reference=REFERENCES),
        paraphrase=paraphrases.verbatim,
        number=1,
    )
    assert [(edit[1], edit[4][1]["text"]) for edit in made] == [
        (2, "At ten, from platform two."),
        (4, "I go too."),
    ]


def test_the_target_of_least_similarity_is_far_from_all_sentences():
    # "Thanks.", "Wait for me." and "All right." share no word with any sentence: one of them is
    # drawn.
    made = drawn("dialogue.repetition:targeted=least", record(TALK, reference=REFERENCES))
    assert {len(one) for one in made} == {1} and {one[0][1] for one in made} == {3, 5, 6}


def test_the_mean_finds_the_turn_that_is_least_similar_to_every_sentence():
    def measure(texts, wanted, *, lang):
        return [[0.9, 0.2], [0.1, 0.1], [0.5, 0.9], [0.2, 0.3], [0.3, 0.3], [0.4, 0.4]]

    [made] = drawn(
        "dialogue.repetition:targeted=least",
        record(TALK, reference=REFERENCES),
        similarity=measure,
        paraphrase=paraphrases.verbatim,
        number=1,
    )
    assert made[0][4][1]["text"] == "At ten, from platform two."


@each_row(
    "reference, message",
    [
        (None, 'no "reference"'),
        ([], "is a string or a list"),
        ("", 'a "reference" with words'),
        ("…", 'a "reference" with words'),
    ],
)
def test_targets_need_a_reference(reference: object, message: str):
    with pytest.raises(RecordError, match=message):
        list(
            dialtools.perturb(
                [record(TALK, reference=reference)], kind=["dialogue.repetition:targeted=most"]
            )
        )


@each_row(
    "text, lang, expected",
    [
        ("Dr. Lee is in. Is she? Yes", "en", ["Dr. Lee is in.", "Is she?", "Yes"]),
        (
            "He came at 3 p.m. on Monday. J. Lee left.",
            "en",
            ["He came at 3 p.m. on Monday.", "J. Lee left."],
        ),
        ("So do I. Good!", "en", ["So do I.", "Good!"]),
        (
            'It costs 3.50 or so. "Really?" Yes.',
            "en",
            ["It costs 3.50 or so.", '"Really?"', "Yes."],
        ),
        ("i ski . i like it .", "en", ["i ski .", "i like it ."]),
        ("你好！你今天好吗？很好", "zh", ["你好！", "你今天好吗？", "很好"]),
        ("「はい。」と言った。そうか", "ja", ["「はい。」", "と言った。", "そうか"]),
        ("यह घर है। वह कौन है?", "hi", ["यह घर है।", "वह कौन है?"]),
        ("", "en", []),
        (" ", "en", []),
        ("...", "en", ["..."]),
    ],
)
def test_sentences(text: str, lang: str, expected: list[str]):
    assert sentences.split(text, languages.get(lang)) == expected


# Paraphrases: nothing is left out, nothing changes its meaning.


@each_row(
    "text, lang, expected",
    [
        ("I don't know, maybe.", "en", "I do not know, perhaps."),
        ("Don't you know? Why don't we go?", "en", "Don't you know? Why don't we go?"),
        ("You don't, don't you?", "en", "You do not, don't you?"),
        ("We’ll see. they'll see.", "en", "We will see. they will see."),
        ("i'm fine", "en", "i am fine"),
        ("Thanks! It works thanks to you.", "en", "Thank you! It works thanks to you."),
        ("I want to thank you.", "en", "I would like to thank you."),
        (
            "It needs to go. There is no need to go. We need to go.",
            "en",
            "It needs to go. There's no need to go. We have to go.",
        ),
        ("somebody else's, quite a lot of", "en", "someone else's, quite a lot of"),
        ("nobody's", "en", "nobody's"),
        (
            "Go right now! You are free right now, aren't you?",
            "en",
            "Go right now! You're free at the moment, aren't you?",
        ),
        (
            "They left at the moment it fell. Out at the moment?",
            "en",
            "They left at the moment it fell. Out right now?",
        ),
        ("one of these days; tired these days", "en", "one of these days; tired nowadays"),
        ("Do I want to see movies at the movies?", "en", "Do I want to see films at the movies?"),
        ("not a bit, a bit late", "en", "not a bit, a little late"),
        ("a photo album, a photo", "en", "a photo album, a picture"),
        (
            "I DON'T KNOW. OK. I'M OFF. I Don't",
            "en",
            "I HAVE NO IDEA. All right. I AM OFF. I Do not",
        ),
        ("İ see movies", "en", "İ see movies"),  # its lower case is longer
        # forms: one way only, the negated one of two that share a word; for casual speakers the short
        # ones
        ("I will not come, I've no time.", "en", "I won't come, I've no time."),
        ("Let's see. It's late.", "en", "Let's see. It is late."),
        ("i 'm late , do n't wait", "en", "i am late , do not wait"),
        ("Why don't we go?", "en", "Why don't we go?"),
        ("You gotta see it.", "en", "You have to see it."),
        ("Kamu nggak tahu?", "id", "Kamu nggak tahu?"),
        # clauses and adverbs
        ("If it rains tomorrow, I will stay.", "en", "I'll stay if it rains tomorrow."),
        ("Call me when you get home!", "en", "When you get home, call me!"),
        (
            "If you see Tom, tell him we ate.",
            "en",
            "If you see Tom, tell him we ate.",
        ),  # not: tell him, if you see Tom
        ("Do you know when we met?", "en", "Do you know when we met?"),
        ("I like it when he sings.", "en", "I like it when he sings."),
        ("I said he left after we ate.", "en", "I said he left after we ate."),
        ("We met Al in the park last week.", "en", "Last week we met Al in the park."),
        ("I told you we met last week.", "en", "I told you we met last week."),
        ("Last week, we met Al. He paid?", "en", "We met Al last week. He paid?"),
        (
            "I think you'll love this pan. I think so.",
            "en",
            "You will love this pan, I think. I think so.",
        ),
        ("Please bring us four teas.", "en", "Bring us four teas, please."),
        ("please , bring us tea", "en", "please , bring us tea"),
        ("Can you repeat that, please?", "en", "Could you please repeat that?"),
        (
            "i think this will do . if he 's in , he 'll help .",
            "en",
            "this will do , i think . he will help if he is in .",
        ),
        ("What is your favorite color?", "en", "What color do you like best?"),
        ("To be honest, Bob did it.", "en", "Bob did it, to be honest."),
        ("Bob did it, to be honest.", "en", "To be honest, Bob did it."),
        ('He said: "If I go, you stay."', "en", 'He said: "If I go, you stay."'),
        ("非常好，非常规", "zh", "特别好，非常规"),
        ("我们没关系", "zh", "我们没关系"),
        ("主要是他，要是去", "zh", "主要是他，如果去"),
        ("如果是，如果去", "zh", "如果是，要是去"),
        ("开开心心，很开心，高高兴兴", "zh", "开开心心，很高兴，高高兴兴"),
        ("野马上，马上来", "zh", "野马上，立刻来"),
        ("凭其实力，其实不是", "zh", "凭其实力，实际上不是"),
        ("自然而然，然而不是", "zh", "自然而然，但是不是"),
        ("惯例如此，例如他", "zh", "惯例如此，比如他"),
        ("长得好像，好像是", "zh", "长得好像，似乎是"),
        ("すごくて、すごく、ものすごく", "ja", "すごくて、とても、ものすごく"),
        ("たくさんの人がたくさん", "ja", "たくさんの人がいっぱい"),
        ("全部で全部", "ja", "全部ですべて"),
        ("ですけども、ですけど、", "ja", "ですけども、ですが、"),
        ("ちょっとした話、ちょっと待って", "ja", "ちょっとした話、少し待って"),
        ("दोस्त, दोस्तों", "hi", "मित्र, दोस्तों"),
        (
            "बारिश के कारण देर हुई। इस रोग के कारण क्या हैं?",
            "hi",
            "बारिश की वजह से देर हुई। इस रोग के कारण क्या हैं?",
        ),
        ("Kadang-kadang saya, ya, kadang-kadang.", "id", "Terkadang saya, ya, kadang-kadang."),
        ("agar-agar", "id", "agar-agar"),
        ("Pada saat ini hujan, saat ini.", "id", "Pada saat ini hujan, sekarang."),
        ("とてもできない。とても楽しい", "ja", "とてもできない。すごく楽しい"),
        (
            "Mungkin besok, secepat mungkin. Dia sangat sakit, sangat!",
            "id",
            "Barangkali besok, secepat mungkin. Dia amat sakit, sangat!",
        ),
        (
            "Dia bilang kalau hujan deras. Kalau hujan deras? Kalau kamu?",
            "id",
            "Dia bilang kalau hujan deras. Jika hujan deras? Kalau kamu?",
        ),
        ("ज्यादा से ज्यादा लोग, 50 से ज़्यादा लोग", "hi", "ज्यादा से ज्यादा लोग, 50 से अधिक लोग"),
        ("मित्र राष्ट्र और मेरा मित्र", "hi", "मित्र राष्ट्र और मेरा दोस्त"),
        (
            "ग्राहक सहायता, आपकी सहायता, समय सीमा, इस समय",
            "hi",
            "ग्राहक सहायता, आपकी मदद, समय सीमा, इस वक़्त",
        ),
        (
            "मैं धन्यवाद देता हूँ। धन्यवाद! शुक्रिया अदा किया।",
            "hi",
            "मैं धन्यवाद देता हूँ। शुक्रिया! शुक्रिया अदा किया।",
        ),
        ("Nanging", "jv", "Ning"),
        ("Yen udan: euro, utawi yen. Sewu yen.", "jv", "Nek udan: euro, utawi yen. Sewu yen."),
        ("Upamane aku sugih. Upamane, omah.", "jv", "Upamane aku sugih. Contone, omah."),
        ("Nek endi? Nek kowe gelem.", "jv", "Nek endi? Yen kowe gelem."),
    ],
)
def test_wordings_that_mean_the_same(text: str, lang: str, expected: str):
    assert paraphrases.reworded(text, languages.get(lang), "casual") == expected


def test_what_casual_speakers_say_stays_away_from_formal_ones():
    text = "Piyambakipun criyos yen mboten saged, amargi dereng wangsul."
    assert paraphrases.reworded(text, languages.get("jv"), "formal") == text.replace(
        "amargi", "awit"
    )


@each_row("lang", [lang for lang in languages.known() if languages.get(lang).table("paraphrases")])
def test_a_light_paraphrase_differs_and_holds_the_text(lang: str):
    for seed in range(20):
        for formality in ("formal", "casual"):
            assert paraphrases.light("Xyz?", Random(seed), lang=lang, formality=formality) in {
                wording.replace("{text}", "Xyz?") for wording in wordings("again", formality, lang)
            }


def test_a_light_paraphrase_that_is_put_otherwise_may_do_without_an_opener():
    said = {
        paraphrases.light(" I can't come. ", Random(seed), lang="en", formality="casual")
        for seed in range(40)
    }
    assert said == {"I cannot come."} | {
        opener.replace("{text}", "I cannot come.") for opener in wordings("reworded", "casual")
    }


# What people say in everyday talk, by us; none of them was looked at when the tables were written.
EVERYDAY = """The washing machine is making that noise again.
We should have left earlier because the roads are icy.
Do you want to come over and watch the game?
My brother finally sold that old boat of his.
I don't think she got the message I left her.
If you see Tom, tell him his keys are here.
The library closes at six on Fridays, doesn't it?
She was really nice about it when I called.
Grandpa says the tomatoes are almost ready to pick.
I forgot to water the plants while you were gone.
Two more boxes and then the garage is empty.
Could you pick up some bread on your way home?
Somebody parked in our driveway while we were out.
They have to finish the roof before winter comes.
I'm not sure if the shop is open today.
The kids built a snowman in front of the house.""".split("\n")


def test_at_least_half_of_english_turns_are_put_in_other_words():
    made = {text: paraphrases.reworded(text, languages.get("en"), "casual") for text in EVERYDAY}
    assert sum(text != other for text, other in made.items()) >= len(EVERYDAY) / 2
    assert not set(made.values()) & set(EVERYDAY) - {
        text for text, other in made.items() if text == other
    }


def test_the_history_counts_what_is_said_in_other_words_and_word_for_word():
    """One utterance has a wording in the table, the other none; each is drawn by some seed."""
    source = {**record(["A: Perhaps.", "B: Tulips."]), "reference": "Perhaps tulips."}
    made = {
        entry["edits"][0][5]: entry["counts"]
        for seed in range(9)
        for entry in [
            next(dialtools.perturb([source], kind=["dialogue.repetition"], seed=seed))["history"][
                -1
            ]
        ]
    }
    assert made == {
        "reworded": {"utterances repeated in other words": 1},
        "verbatim": {"utterances repeated word for word": 1},
    }
    both = next(
        dialtools.perturb(
            [source], kind=["dialogue.repetition:targeted=most"], paraphraser="verbatim"
        )
    )
    assert {note for *_, note in both["history"][-1]["edits"]} == {"verbatim"}


def test_what_is_not_put_otherwise_has_an_opener():
    said = {
        paraphrases.light(" Tulips. ", Random(seed), lang="en", formality="casual")
        for seed in range(40)
    }
    assert said == {opener.replace("{text}", "Tulips.") for opener in wordings("again", "casual")}


def test_a_text_whose_lower_case_is_longer_is_not_put_otherwise():
    assert (
        paraphrases.reworded("İzmir? The movies.", languages.get("en"), "casual")
        == "İzmir? The movies."
    )


def test_a_paraphraser_by_name():
    assert paraphrases.named("verbatim")("a\nb", Random(1), lang="en", formality="casual") == "a\nb"
    with pytest.raises(OptionError, match="lead chooses turns of a dialogue"):
        paraphrases.named("lead")
    with pytest.raises(OptionError, match="no generator is called 'lihgt'"):
        paraphrases.named("lihgt")
    with pytest.raises(OptionError, match="No model given"):
        paraphrases.named("seq2seq")


def test_a_function_as_a_paraphraser_and_its_name_in_the_signature():
    def louder(text, rng, *, lang, formality):
        return f"{text.upper()} ({lang}, {formality})"

    made = next(
        dialtools.perturb(
            [record(["A: Hi, sir.", "B: Hi."])], kind=["dialogue.repetition"], paraphraser=louder
        )
    )
    assert {"HI, SIR. (en, formal)", "HI. (en, casual)"} & {
        turn["text"] for turn in made["dialogue"]
    }
    assert "|paraphrase:louder|seed:0|" in made["history"][-1]["signature"]


def test_the_signature_names_a_similarity_where_there_are_targets():
    source = record(TALK, reference=REFERENCES)
    made = dialtools.perturb(
        [source], kind=["dialogue.repetition", "dialogue.repetition:targeted=most"]
    )
    assert ["similarity:rouge1" in one["history"][-1]["signature"] for one in made] == [False, True]


# Sentence embeddings.


@pytest.mark.filterwarnings("default")
def test_embeddings_are_those_of_sentence_transformers(minilm: str):
    """The cosines are those of sentence-transformers 6.2.0, all-MiniLM-L6-v2, normalize_embeddings=True."""
    measure = similarity.named(minilm, offline=True)
    one, other = measure(
        ["The cat sat.", "I love Paris in spring, really very much indeed."],
        ["A cat was sitting.", "Trains are late."],
        lang="en",
    )
    assert one == pytest.approx([0.8565122, 0.08318046], abs=1e-5)
    assert other == pytest.approx([-0.11872693, 0.03219019], abs=1e-5)
    assert measure.__name__ == minilm, (
        "of several models, each in a folder model/, the signature tells which"
    )


@pytest.mark.filterwarnings("default")
def test_an_encoder_that_is_not_there():
    pytest.importorskip("torch")
    with pytest.raises(MissingError, match="no model folder ./nowhere"):
        next(
            dialtools.perturb(
                [record(TALK, reference=REFERENCES)],
                kind=["dialogue.repetition:targeted=most"],
                encoder="./nowhere",
            )
        )


# Greetings, closings and how formal they are.


@each_row(
    "kind, setting, speakers, expected",
    [
        ("greeting", "friends", "AB", "B"),
        ("greeting", "friends", "A", "A"),
        ("greeting", "friends", "AABCA", "B"),
        ("greeting", "support", "AB", "B"),
        ("closing", "support", "ABA", "B"),
        ("closing", "friends", "ABA", "B"),
        ("closing", "friends", "ABCA", "C"),
        ("closing", "friends", "AAA", "A"),
    ],
)
def test_who_greets_and_who_closes(kind: str, setting: str, speakers: str, expected: str):
    made = drawn(
        f"dialogue.{kind}:setting={setting}", record([f"{speaker}: Hm." for speaker in speakers])
    )
    assert {turn["speaker"] for [[_, _, _, _, [turn]]] in made} == {expected}
    assert {edit[1] for [edit] in made} == {0 if kind == "greeting" else len(speakers)}


@each_row(
    "labels, expected",
    [
        (["Agent", "Customer"], "Agent"),
        (["Customer", "Agent 2"], "Agent 2"),
        (["Ann", "Bob"], "Bob"),
        (["Ann"], "Ann"),
        (["客服", "小王"], "客服"),
        (["店員", "客"], "店員"),
    ],
)
def test_the_agent_speaks_for_customer_support(labels: list[str], expected: str):
    lang = "zh" if "客服" in labels else "ja" if "店員" in labels else "en"
    source = record([f"{label}: Hm." for label in labels], lang)
    for kind in ("greeting", "closing"):
        [[_, _, _, _, [turn]]] = drawn(f"dialogue.{kind}:setting=support", source, 1)[0]
        assert turn["speaker"] == expected and turn["text"] in wordings(
            kind, "formal", lang, "support"
        )


@each_row(
    "lang, lines, expected",
    [
        ("en", ["A: Good morning, sir.", "B: Hey dude, what's up?"], "formal casual"),
        ("en", ["A: Good morning, sir.", "B: It rains."], "formal formal"),
        ("en", ["A: It rains.", "B: Yes."], "casual casual"),
        ("en", ["A: Sirloin is a steak.", "B: Insirt."], "casual casual"),  # no cue within a word
        (
            "en",
            ["A: Oh my god, sir.", "B: I see."],
            "casual casual",
        ),  # one cue each: no more formal than casual ones
        (
            "en",
            ["A: SIR, I'm gonna, sir.", "B: Sir, gonna gonna."],
            "formal casual",
        ),  # each time that a cue is said counts
        ("en", ["A: Would you like some tea?", "B: Would you? Like this?"], "formal formal"),
        (
            "en",
            ["A: “Sir…”", "B: — DUDE…Gonna!"],
            "formal casual",
        ),  # between marks that ASCII has not, too
        ("zh", ["A: 您好，请问您找谁？", "B: 你好。"], "formal casual"),
        ("ja", ["A: 元気ですか。", "B: うん、元気だよ。"], "formal casual"),
        (
            "ja",
            ["A: かなり飲んだようです。", "B: はい、あなたより先に食べちゃうんです。"],
            "formal formal",
        ),
        ("hi", ["A: आप कैसे हैं?", "B: तुम बताओ।"], "formal casual"),
        ("hi", ["A: आपका घर।", "B: तुम्हारा घर।"], "formal casual"),
        ("hi", ["A: चाय पीजिए।", "B: कहाँ जा रहे हो?"], "formal casual"),
        ("id", ["A: Apa kabar Anda?", "B: Kamu gimana?"], "formal casual"),
        ("jv", ["A: Kula badhe tindak.", "B: Aku arep lunga."], "formal casual"),
        ("id", [], ""),
    ],
)
def test_speakers_are_as_formal_as_they_talk(lang: str, lines: list[str], expected: str):
    assert " ".join(phrases.styles(record(lines, lang), "auto").values()) == expected


def test_a_language_without_wordings_of_a_kind_says_so():
    with pytest.raises(RecordError, match="^no phrases for a closing in ko$"):
        phrases.wording("closing", languages.get("ko"), "formal", Random(1))


def test_formality_can_be_asked_for():
    polite = record(["A: Good morning, sir.", "B: Good morning, madam."])
    for asked, said in (("auto", "formal"), ("formal", "formal"), ("casual", "casual")):
        [[_, _, _, _, [turn]]] = drawn(f"dialogue.greeting:formality={asked}", polite, 1)[0]
        assert turn["text"] in wordings("greeting", said, setting="friends")


# Turns that are cut and joined.


@each_row(
    "text, expected",
    [
        ("one two three four five", None),
        ("one two three four five six", ["one two three four five", "six"]),
        ("a b c d e f g h i j k", ["a b c d e", "f g h i j", "k"]),
        (
            "Well, it's 10:30 and - you know - I'm late!",
            ["Well, it's 10:30 and - you", "know - I'm late!"],
        ),
        ("i rather read , i 've read it .", ["i rather read , i 've", "read it ."]),
        ("one two three four five ( six )", ["one two three four five", "( six )"]),
        ("one two three four five “ six ”", ["one two three four five", "“ six ”"]),
        ("  one two three\tfour  five \n six  ", ["one two three\tfour  five", "six"]),
        ("see http://a.b/c#d now or never, ok", ["see http://a.b/c#d now or never,", "ok"]),
        ("... ... ... ... ... ...", None),
        ("", None),
        (
            "👍🏽 one two three four five 👍🏽 six 👍🏽",
            ["👍🏽 one two three four five 👍🏽", "six 👍🏽"],
        ),
    ],
)
def test_a_turn_is_cut_every_five_words(text: str, expected: list[str] | None):
    source = record([]) | {"dialogue": [{"speaker": "A", "text": text, "time": "10:30"}]}
    made = edits.apply(source, drawn("dialogue.split", source, 1)[0])[0]["dialogue"]
    assert made == [{"speaker": "A", "text": part, "time": "10:30"} for part in expected or [text]]


def japanese(*words: str) -> dict:
    """Return a turn of words written FORM/UPOS."""
    text, tokens = "", []
    for form, upos in (word.split("/") for word in words):
        tokens.append(
            {
                "form": form,
                "start": len(text),
                "end": len(text) + len(form),
                "upos": upos,
                "sent": 1,
            }
        )
        text += form
    return {"speaker": "A", "text": text, "tokens": tokens}


def test_no_japanese_turn_begins_with_a_particle():
    turn = japanese(
        "私/PRON",
        "は/ADP",
        "今日/NOUN",
        "、/PUNCT",
        "駅/NOUN",
        "で/ADP",
        "「/PUNCT",
        "本/NOUN",
        "」/PUNCT",
        "を/ADP",
        "買っ/VERB",
        "た/AUX",
        "。/PUNCT",
    )
    source = {"id": "1", "lang": "ja", "dialogue": [turn]}
    made = edits.apply(source, drawn("dialogue.split", source, 1)[0])[0]["dialogue"]
    assert [turn["text"] for turn in made] == ["私は今日、駅で", "「本」を買った。"]
    assert [
        turn["text"][token["start"] : token["end"]] for turn in made for token in turn["tokens"]
    ] == [token["form"] for token in turn["tokens"]]


def test_no_japanese_turn_begins_within_an_address():
    turn = japanese(
        "私/PRON",
        "見る/VERB",
        "君/PRON",
        "行く/VERB",
        "www/X",
        "./PUNCT",
        "x/X",
        "./PUNCT",
        "jp/X",
        "。/PUNCT",
        "彼/PRON",
    )
    source = {"id": "1", "lang": "ja", "dialogue": [turn]}
    made = edits.apply(source, drawn("dialogue.split", source, 1)[0])[0]["dialogue"]
    assert [turn["text"] for turn in made] == ["私見る君行くwww.x.jp。", "彼"]


@each_row("lang, text", [("zh", "你好吗"), ("ja", "元気ですか")])
def test_without_spaces_words_need_tokens(lang: str, text: str):
    with pytest.raises(
        RecordError, match="dialogue.split needs tokens: annotate with dt-parse first"
    ):
        list(dialtools.perturb([record([f"A: {text}"], lang)], kind=["dialogue.split"]))


TREE = [
    ("Ann", 0, 3, 1, 2),
    ("came", 4, 8, 1, 0),
    (".", 8, 9, 1, 2),
    ("So", 10, 12, 2, 3),
    ("did", 13, 16, 2, 3),
    ("Bob", 17, 20, 2, 0),
    ("and", 21, 24, 2, 5),
    ("Cy", 25, 27, 2, 3),
    (".", 27, 28, 2, 3),
]
TURN = {
    "speaker": "A",
    "text": "Ann came. So did Bob and Cy.",
    "tokens": [
        {"form": form, "start": start, "end": end, "sent": sent, "head": head, "deprel": "dep"}
        for form, start, end, sent, head in TREE
    ],
    "entities": [
        {"start": 0, "end": 3, "text": "Ann"},
        {"start": 17, "end": 27, "text": "Bob and Cy"},
        {"start": 25, "end": 27},
    ],
}


def test_tokens_and_entities_go_with_their_words():
    """Heads are kept in sentences that stay whole; an entity that is cut is left out."""
    one, two = turntaking.cut(TURN, [21])
    assert (one["text"], two["text"]) == ("Ann came. So did Bob", "and Cy.")
    assert one["tokens"][:3] == TURN["tokens"][:3]
    assert one["tokens"][3:] == [
        {"form": form, "start": start, "end": end, "sent": 2}
        for form, start, end, _, _ in TREE[3:6]
    ]
    assert two["tokens"] == [
        {"form": form, "start": start, "end": end, "sent": 1}
        for form, start, end in (("and", 0, 3), ("Cy", 4, 6), (".", 6, 7))
    ]
    assert one["entities"] == [{"start": 0, "end": 3, "text": "Ann"}] and two["entities"] == [
        {"start": 4, "end": 6}
    ]


def test_turns_that_are_cut_between_sentences_and_joined_are_as_they_were():
    assert turntaking.joined(turntaking.cut(TURN, [10]), " ") == TURN


def test_joined_turns_have_tokens_only_where_all_have_them():
    bare = {"speaker": "A", "text": "Well.", "time": 3}
    assert turntaking.joined([bare, TURN], " ") == {
        "speaker": "A",
        "text": f"Well. {TURN['text']}",
        "time": 3,
    }
    assert turntaking.joined([TURN, bare], " ") == {"speaker": "A", "text": f"{TURN['text']} Well."}
    marks = [{"speaker": "A", "text": "…"}, {"speaker": "A", "text": "!", "tokens": None}]
    assert turntaking.joined(marks, " ") == {"speaker": "A", "text": "… !"}
    one = turntaking.joined([{"speaker": "A", "text": ""}, TURN], " ")
    assert one == {
        "speaker": "A",
        "text": TURN["text"],
        "tokens": TURN["tokens"],
        "entities": TURN["entities"],
    }


def test_tokens_that_tell_no_sentence_are_of_one():
    bare = {
        "speaker": "A",
        "text": "So.",
        "tokens": [{"form": "So", "start": 0, "end": 2, "head": 0}],
        "entities": [{"start": 0, "end": 2}],
    }
    joined = turntaking.joined([bare, bare], " ")
    assert [(token["start"], token["sent"]) for token in joined["tokens"]] == [(0, 1), (4, 2)]
    second = {"form": "it", "start": 3, "end": 5, "head": 1}
    talk = {
        "speaker": "A",
        "text": "So it",
        "tokens": [*bare["tokens"], second],
        "entities": bare["entities"],
    }
    one, two = turntaking.cut(talk, [2])
    assert one == {
        "speaker": "A",
        "text": "So",
        "tokens": [{"form": "So", "start": 0, "end": 2}],
        "entities": [{"start": 0, "end": 2}],
    }
    assert two == {
        "speaker": "A",
        "text": "it",
        "tokens": [{"form": "it", "start": 0, "end": 2}],
        "entities": [],
    }


def test_runs_are_of_two_turns_or_more():
    said = turns(["A: a", "B: b", "B: c", "A: d"])
    assert turntaking.runs(said) == [(1, said[1:3])] and turntaking.runs(said[:2]) == []


def test_combining_joins_the_runs_of_one_speaker():
    talk = record(["A: a", "A: b", "B: c", "B: d", "B: e", "A: f", "A: g"])
    assert {spoken(talk, made) for made in drawn("dialogue.combine", talk)} == {"ABBBA", "AABAA"}


def test_reordering_moves_turns_within_a_run_of_one_speaker():
    talk = record(["A: a", "B: b", "B: c", "B: d", "A: e", "A: f", "C: g", "C: g"])
    made = drawn("dialogue.reorder", talk, 200)
    orders = {
        "".join(turn["text"] for turn in edits.apply(talk, one)[0]["dialogue"]) for one in made
    }
    assert orders == {f"a{run}efgg" for run in ("bdc", "cbd", "cdb", "dbc", "dcb")} | {"abcdfegg"}


# Signals of the listener.


@each_row(
    "lines, expected",
    [
        # where the speaker goes on, within a turn or with the next one
        (["A: I went to the market today. It was closed.", "B: Oh."], {"ABAB"}),
        (["A: I went to the market today", "A: It was closed.", "B: Oh."], {"ABAB"}),
        # never behind a question, nor behind a word or two
        (["A: Did you go to the market today? It was closed.", "B: Oh."], {"ABB"}),
        (["A: Hello. It was closed when I went there today.", "B: Oh."], {"ABB"}),
        (["A: Did you go to the market today?", "B: Oh."], {"AB"}),
        (["A: Hi.", "B: Oh."], {"AB"}),
        (["A: I went to the market today! !", "B: Oh."], {"ABB"}),  # a mark is no turn
        (["A: I know Dr. Livingstone, as you presume", "B: Oh."], {"ABB"}),
        # nor behind a greeting, unless it says more; a greeting that is no first sentence is an answer
        (["A: Good afternoon, Mr. Livingstone. I presume", "B: Oh."], {"ABB"}),
        (["A: Good afternoon, Mr. Livingstone, if I may presume. I may", "B: Oh."], {"ABAB"}),
        (["A: Good afternoon, Mr. Livingstone, as I presume", "B: Oh."], {"ABB"}),
        (["A: Good afternoon, Mr. Livingstone", "A: I presume", "B: Oh."], {"AAB"}),
        (["A: Good afternoon, Mr. Livingstone. Hi? Yes", "B: Oh."], {"ABB"}),
        (["A: Why! Good afternoon, Mr. Livingstone. I presume", "B: Oh."], {"ABAB"}),
        (["A: It is goodbye, Mr. Livingstone. I presume", "B: Oh."], {"ABAB"}),
    ],
)
def test_where_a_listener_is_heard(lines: list[str], expected: set[str]):
    assert {
        spoken(record(lines), made) for made in drawn("dialogue.backchannel", record(lines))
    } == expected


@each_row(
    "lang, said, expected",
    [
        ("en", "I went to the store.", "ABAB"),
        ("en", "I went to the shop.", "AAB"),  # of 20 and 19 characters
        ("zh", "我昨天去过那里。", "ABAB"),
        ("zh", "我昨天去那里。", "AAB"),
    ],
)  # of 8 and 7
def test_a_clause_is_worth_a_signal(lang: str, said: str, expected: str):
    source = record([f"A: {said}", "A: …", "B: …"], lang)
    assert {spoken(source, made) for made in drawn("dialogue.backchannel", source)} == {expected}


@each_row(
    "said, goes_on",
    [("I went to the market. . .", " It was closed."), ("我昨天去过那家市场。 。", "关门了。")],
)
def test_marks_stay_with_what_they_end(said: str, goes_on: str):
    made = drawn(
        "dialogue.backchannel",
        record([f"A: {said}{goes_on}", "B: …"], "zh" if said[0] == "我" else "en"),
    )
    assert {(edit[4][0]["text"], edit[4][2]["text"]) for (edit,) in made} == {
        (said, goes_on.strip())
    }


@pytest.mark.parametrize(
    ("lang", "asked", "said"),
    [
        ("ja", "昨日はどこに行きましたか。", "昨日は町に行きました。"),
        ("zh", "你昨天去过那家市场吗。", "我昨天去过那家市场。"),
        ("zh", "你昨天去过哪家市场？", "我昨天去过那家市场！"),
    ],
)
def test_no_signal_after_a_question_in_other_scripts(lang: str, asked: str, said: str):
    assert drawn("dialogue.backchannel", record([f"A: {asked}", "B: …"], lang)) == [[]]
    assert drawn("dialogue.backchannel", record([f"A: {said}", "B: …"], lang)) != [[]]


@pytest.mark.parametrize(
    ("lang", "said", "greeting"),
    [
        ("zh", "王老师，您好，好久不见。", "您好，王老师，好久不见。"),
        ("ja", "田中先生、こんにちは。", "こんにちは、田中先生。"),
        ("jv", "Kula ingkang sugeng. ", "Sugeng enjang, Mbak Sri. "),
        ("hi", "मैं आपको नमस्ते करता हूँ। ", "नमस्ते, अनिता जी, नमस्ते। "),
    ],
)
def test_no_signal_after_a_greeting(lang: str, said: str, greeting: str):
    """A turn that is cut makes three with the signal."""
    for text, expected in ((said, 3), (greeting, 1)):
        ((edit,),) = drawn("dialogue.backchannel", record([f"A: {text}{said}", "B: …"], lang), 1)
        assert len(edit[4]) == expected


def test_a_signal_is_the_listeners_and_cuts_a_turn_in_two():
    source = record(["A: I went to the market, sir. It was closed.", "B: I see, sir."])
    [before, signal, after] = drawn("dialogue.backchannel", source, 1)[0][0][4]
    assert (before["text"], after["text"]) == ("I went to the market, sir.", "It was closed.")
    assert signal["speaker"] == "B" and signal["text"] in wordings("backchannel", "formal")


# Dialogues that are strings.


@each_row("kind", ["backchannel", "closing", "delay", "greeting", "reorder", "repetition", "split"])
def test_a_dialogue_that_is_a_string_stays_one(kind: str):
    text = "A: I went to the market in Leeds today. It was closed at 10:30.\r\nA: Well.\r\n\r\nB: Oh.\r\n"
    source = {"id": "1", "lang": "en", "dialogue": text}
    [made] = dialtools.perturb([source], kind=[f"dialogue.{kind}"])
    assert isinstance(made["dialogue"], str) and made["history"][-1]["changed"]
    [restored] = dialtools.perturb([made], restore=True)
    assert restored["dialogue"] == text


DROPPED = [  # decided by hand
    (
        "en",
        ["A: Hi B, how are you?", "B: I'm fine, thanks. And you?", "A: Good. Is it late?"],
        ["A: Is it late?"],
    ),
    # a phrase with more in it, and a name that the dialogue does not know
    ("en", ["A: Hey Zoe! go on.", "B: Hello Kitty is."], ["A: Go on.", "B: Hello Kitty is."]),
    ("en", ["A: Good morning, I'm Daniel.", "B: So?"], ["A: I'm Daniel.", "B: So?"]),
    ("en", ["A: Hello, Mr. Smith. Sit down."], ["A: Sit down."]),
    ("en", ["A: It is late.", "B: See you at seven."], ["A: It is late.", "B: See you at seven."]),
    ("en", ["A: Do you mind?", "B: Okay, bye!", "A: Bye, B. :)"], ["A: Do you mind?", "B: Okay!"]),
    ("en", ["A: hi, did you?", "B: Fine."], ["A: did you?", "B: Fine."]),
    ("en", ["A: Hi, how are you?", "B: I am great. You?", "A: Tea? You!"], ["A: Tea? You!"]),
    ("en", ["A: Hi!", "B: Bye!"], ["A: Hi!", "B: Bye!"]),  # nothing else
    ("en", ["A: Heyyy B", "B: Did you?", "A: Yes. Byeee"], ["B: Did you?", "A: Yes."]),
    ("es", ["A: Hola, ¿qué tal?", "B: Bien, ¿y tú?", "A: Hola, ¿vas?"], ["A: ¿Vas?"]),
    ("zh", ["A: 你好！最近怎么样？", "B: 挺好的，你呢？", "A: 去吗？"], ["A: 去吗？"]),
    ("zh-TW", ["A: 謝謝老師來。", "B: 好的，再見！"], ["A: 謝謝老師來。", "B: 好的！"]),
    (
        "ja",
        ["A: こんにちはー、宜しくお願いします。明日は？", "B: 行きます。では、またー。"],
        ["A: 明日は？", "B: 行きます。"],
    ),
    ("ko", ["A: 안녕하세요! 갈까요?", "B: 네. 안녕히 계세요."], ["A: 갈까요?", "B: 네."]),
    ("hi", ["A: नमस्ते, तुम आओगे?", "B: हाँ। फिर मिलेंगे।"], ["A: तुम आओगे?", "B: हाँ।"]),
    (
        "de",
        ["A: Guten Tag, Frau Müller. Gehen wir?", "B: Ja, tschüss!"],
        ["A: Gehen wir?", "B: Ja!"],
    ),
    ("id", ["A: Halo Kak, jadi pergi?", "B: Jadi. Sampai jumpa!"], ["A: Jadi pergi?", "B: Jadi."]),
]


@each_row("lang, lines, told", DROPPED)
def test_remarks_that_open_and_close_a_dialogue_go(lang: str, lines: list[str], told: list[str]):
    source = record(lines, lang)
    [made] = drawn("dialogue.drop", source)
    assert [
        f"{turn['speaker']}: {turn['text']}" for turn in edits.apply(source, made)[0]["dialogue"]
    ] == told


def test_several_turns_of_a_string_go():
    lines = ["A: Hi!", "B: Hello!", "A: Tea?", "B: Bye!", "A: Bye!"]
    source = {**record(lines), "dialogue": "\n".join(lines)}
    [made] = drawn("dialogue.drop", record(lines))
    after, flat = edits.apply(source, made)
    assert after["dialogue"] == "A: Tea?"
    assert edits.undo(after, flat) == source
    [of_one] = dialtools.perturb([source], kind="dialogue.drop", turns="speaker=A")
    assert of_one["dialogue"] == "B: Hello!\nA: Tea?\nB: Bye!"


def test_a_greeting_or_a_closing_goes_alone():
    source = record(["A: Hi, is it late?", "B: Yes. Bye!"])
    for remark, told in (
        ("greeting", "Is it late? Yes. Bye!"),
        ("closing", "Hi, is it late? Yes."),
    ):
        [made] = drawn(f"dialogue.drop:remark={remark}", source)
        after = edits.apply(source, made)[0]["dialogue"]
        assert " ".join(turn["text"] for turn in after) == told
