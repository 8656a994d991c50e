"""variation.question-tag and variation.politeness: what sentences become was decided by hand."""

import pytest
from short_sentences import changed, parsed
from table_tests import each_row

import dialtools
from dialtools.system.errors import RecordError

TAG = "variation.question-tag:rate=1"
TAGGED = [  # Huddleston and Pullum 2002, chapter 10, section 5.1: auxiliary and pronoun of the statement
    (
        "It/it/PRON>3:nsubj is/be/AUX.S>3:cop late/late/ADJ>0:root +.//PUNCT>3:punct",
        "It is late, isn't it?",
    ),
    ("I/i/PRON>3:nsubj am/be/AUX.P>3:cop late/late/ADJ>0:root", "I am late, aren't I?"),
    (
        "He/he/PRON>4:nsubj ca/can/AUX.W>4:aux +n’t/not/PART.NEG>4:advmod go/go/VERB.I>0:root +.//PUNCT>4:punct",
        "He can’t go, can he?",
    ),
    (
        "They/they/PRON>3:nsubj +'ll/will/AUX.W>3:aux go/go/VERB.I>0:root +!//PUNCT>3:punct",
        "They'll go, won't they?",
    ),
    ("She/she/PRON>2:nsubj walks/walk/VERB.S>0:root", "She walks, doesn't she?"),
    ("We/we/PRON>2:nsubj had/have/VERB.D>0:root it/it/PRON>2:obj", "We had it, didn't we?"),
    (
        "My/my/PRON>2:nmod:poss sister/sister/NOUN>3:nsubj slept/sleep/VERB.D>0:root",
        "My sister slept, didn't she?",
    ),
    (
        "You//PRON>2:det guys/guy/NOUN.PL>3:nsubj slept/sleep/VERB.D>0:root",
        "You guys slept, didn't you?",
    ),
    ("That/that/PRON>3:nsubj was/be/AUX.D>3:cop it/it/PRON>0:root", "That was it, wasn't it?"),
    ("Yes//INTJ>3:advmod she//PRON>3:nsubj has/have/AUX.S>0:root", "Yes she has, hasn't she?"),
    # who is a doctor, a name, a question, a command, two clauses
    ("The/the/DET>2:det doctor/doctor/NOUN>3:nsubj slept/sleep/VERB.D>0:root", None),
    ("Ann/Ann/PROPN>2:nsubj slept/sleep/VERB.D>0:root", None),
    ("You/you/PRON>2:nsubj slept/sleep/VERB.D>0:root +?//PUNCT>2:punct", None),
    ("Go/go/VERB.M>0:root", None),
    ("Here//ADV>3:advmod you//PRON>3:nsubj go//VERB.P>0:root", None),
    ("I/i/PRON>2:nsubj know/know/VERB.P>0:root he/he/PRON>4:nsubj came/come/VERB.D>2:ccomp", None),
    (
        "I/i/PRON>4:nsubj have/have/AUX.P>4:aux never/never/ADV>4:advmod slept/sleep/VERB.N>0:root",
        None,
    ),
]


@each_row("written, told", TAGGED)
def test_english_statements_get_the_tag_of_their_verb_and_subject(written: str, told: str | None):
    record = parsed(written)
    assert changed(record, TAG) == (told or record["text"])


@each_row(
    "lang, text, told",
    [
        ("en", "It is late, isn't it? He won't, will he?", "It is late. He won't."),
        ("ja", "寒いです。行きました！", "寒いですね。行きましたね！"),
        (
            "ja",
            "お疲れ様です。おねがいします。何ですか。",
            "お疲れ様です。おねがいします。何ですか。",
        ),
        ("ja", "寒かったですね。雨ですね！", "寒かったです。雨です！"),
        (
            "ja",
            "そうですね。そうなんですね！",
            "そうですね。そうなんですね！",
        ),  # but: そうです, yes
        ("zh", "你是学生。", "你是学生，对吧？"),
        ("zh", "他来了，是吧？", "他来了。"),
        ("zh", "你去哪里。好的。", "你去哪里。好的。"),
        ("zh", "你好。", "你好。"),
        ("it", "La casa (art. 5) è bella", "La casa (art. 5) è bella"),
        ("hi", "यह घर है।", "यह घर है, है ना?"),
        ("hi", "तुम कौन है।", "तुम कौन है।"),
        ("id", "Dia datang.", "Dia datang, kan?"),
        ("de", "Das ist spät.", "Das ist spät, oder?"),
        ("de", "Das ist spät, nicht wahr?", "Das ist spät."),
        ("fr", "Il est tard.", "Il est tard, n'est-ce pas ?"),
        ("es", "Es tarde.", "Es tarde, ¿no?"),
        ("it", "È tardi, vero?", "È tardi."),
        ("ko", "날씨가 좋아요.", "날씨가 좋아요, 그렇죠?"),
        ("ko", "도와 주세요.", "도와 주세요."),
    ],
)
def test_tags_that_never_change_come_and_go(lang: str, text: str, told: str):
    record = {"id": "1", "lang": lang, "text": text}
    record |= {"tokens": []} if lang == "en" else {}
    assert changed(record, TAG) == told


def test_a_verb_that_a_step_of_the_chain_negated_gets_no_tag():
    """He doesn't sleep, doesn't he?"""
    record = parsed("He/he/PRON>2:nsubj sleeps/sleep/VERB.S>0:root")
    (variant,) = dialtools.perturb([record], kind=["grammar.negation", TAG], chain=True)
    assert variant["text"] == "He doesn't sleep"


def test_english_tags_need_heads_only_to_be_added():
    record = {"id": "1", "lang": "en", "text": "It is late, isn't it?"}
    assert changed(record, TAG + ",way=remove") == "It is late."
    with pytest.raises(RecordError, match="needs tokens with upos, lemma, feats, head, deprel"):
        changed(record, TAG)


def unidic(written: str) -> dict:
    """Return a record with Japanese tokens in UniDic's short units, "form/lemma/UPOS/reading"."""
    parts = [[*word.split("/"), "", "", ""][:4] for word in written.split()]
    text, tokens = "", []
    for form, lemma, upos, reading in parts:
        token = {
            "form": form,
            "start": len(text),
            "end": len(text) + len(form),
            "lemma": lemma or form,
            "upos": upos or "PUNCT",
            "xpos": "形容詞-一般" if upos == "ADJ" else "",
        }
        tokens.append(token | ({"reading": reading} if reading else {}))
        text += form
    return {"id": "1", "lang": "ja", "text": text, "tokens": tokens}


ENDINGS = [  # polite, and plain; conjugations as any grammar has them
    ("行き/行く/VERB ます//AUX 。", "行く/行く/VERB/イク 。"),
    ("書き/書く/VERB まし/ます/AUX た//AUX", "書い/書く/VERB た//AUX"),
    ("泳ぎ/泳ぐ/VERB まし/ます/AUX た//AUX", "泳い/泳ぐ/VERB だ/た/AUX"),
    ("待ち/待つ/VERB ませ/ます/AUX ん/ず/AUX ね//PART", "待た/待つ/VERB ない//AUX ね//PART"),
    (
        "飲み/飲む/VERB ませ/ます/AUX ん/ず/AUX でし/です/AUX た//AUX",
        "飲ま/飲む/VERB なかっ/ない/AUX た//AUX",
    ),
    ("買い/買う/VERB ませ/ます/AUX ん/ず/AUX", "買わ/買う/VERB ない//AUX"),
    ("食べ/食べる/VERB ます//AUX けど//SCONJ", "食べる/食べる/VERB/タベル けど//SCONJ"),
    ("帰り/帰る/VERB ます//AUX", "帰る/帰る/VERB/カエル"),  # not かえます
    ("乗り/乗る/VERB ます//AUX", "乗る/乗る/VERB/ノル"),
    ("勉強//NOUN し/為る/AUX まし/ます/AUX た//AUX", "勉強//NOUN し/為る/AUX た//AUX"),
    ("来/来る/VERB ませ/ます/AUX ん/ず/AUX", "来/来る/VERB ない//AUX"),
    ("行き/行く/VERB まし/ます/AUX た//AUX", "行っ/行く/VERB た//AUX"),
]


@each_row("polite, plain", ENDINGS)
def test_japanese_verbs_are_said_politely_and_plainly(polite: str, plain: str):
    formal, casual = unidic(polite), unidic(plain)
    assert changed(formal, "variation.politeness:to=plain") == casual["text"]
    assert changed(casual, "variation.politeness:to=polite") == formal["text"]
    assert changed(formal, "variation.politeness:to=polite") == formal["text"]


@each_row(
    "written, to, told",
    [
        ("本//NOUN です//AUX 。", "plain", "本だ。"),
        ("本//NOUN だ//AUX よ//PART", "polite", "本ですよ"),
        ("高い//ADJ 。", "polite", "高いです。"),
        ("高い//ADJ です//AUX 。", "plain", "高い。"),
        ("有り/有る/VERB ませ/ます/AUX ん/ず/AUX", "plain", "ない"),
        # no reading, a formula, a question, a clause within the sentence
        ("乗る/乗る/VERB 。", "polite", "乗る。"),
        ("ござい/御座る/VERB ます//AUX", "plain", "ございます"),
        ("行き/行く/VERB ます//AUX か//PART 。", "plain", "行きますか。"),
        ("行く/行く/VERB/イク 人//NOUN 。", "polite", "行く人。"),
    ],
)
def test_japanese_nouns_and_what_is_not_certain(written: str, to: str, told: str):
    assert changed(unidic(written), f"variation.politeness:to={to}") == told


@each_row(
    "polite, plain",
    [
        ("집에 가요.", "집에 가."),
        ("밥을 먹었어요?", "밥을 먹었어?"),
        ("내가 할게요.", "내가 할게."),
        ("학생이에요.", "학생이야."),
        ("공부해요!", "공부해!"),
    ],
)
def test_korean_endings_come_and_go(polite: str, plain: str):
    formal, casual = ({"id": "1", "lang": "ko", "text": text} for text in (polite, plain))
    assert changed(formal, "variation.politeness") == plain
    if plain != "집에 가.":  # may be a noun
        assert changed(casual, "variation.politeness") == polite


@each_row(
    "text",
    # 제가 is humble, as 해 is not
    [
        "안녕하세요.",
        "도와 주세요.",
        "제가 할게요.",
        "필요.",
        "올해.",
        "민수야.",
        "감사합니다.",
        "가요 프로그램",
    ],
)
def test_korean_words_that_are_no_such_endings_stay(text: str):
    assert changed({"id": "1", "lang": "ko", "text": text}, "variation.politeness") == text


def german(written: str) -> dict:
    """Return a record with German tokens, "form/lemma/UPOS/feats"."""
    text, tokens = "", []
    for word in written.split():
        form, lemma, upos, feats = [*word.split("/"), "", "", ""][:4]
        text += " " if text and form.isalpha() else ""
        token = {"form": form, "start": len(text), "end": len(text) + len(form)}
        tokens.append(token | {"lemma": lemma or form, "upos": upos or "X", "feats": feats})
        text += form
    return {"id": "1", "lang": "de", "text": text, "tokens": tokens}


DU = "Mood=Ind|Number=Sing|Person=2|Tense=Pres|VerbForm=Fin"
SIE = "Mood=Ind|Number=Plur|Person=3|Tense=Pres|VerbForm=Fin"


@each_row(
    "written, to, told",
    [
        (f"Hast/haben/AUX/{DU} du//PRON dein//DET Buch//NOUN ?", "polite", "Haben Sie Ihr Buch?"),
        (f"Du//PRON rufst/anrufen/VERB/{DU} mich//PRON an//ADP .", "polite", "Sie rufen mich an."),
        (f"Du//PRON gingst/gehen/VERB/{DU.replace('Pres', 'Past')} .", "polite", "Sie gingen."),
        ("Ich//PRON helfe//VERB dir//PRON .", "polite", "Ich helfe Ihnen."),
        (f"Haben/haben/AUX/{SIE} Sie//PRON/Case=Nom Zeit//NOUN ?", "plain", "Hast du Zeit?"),
        (f"Fahren/fahren/VERB/{SIE} Sie//PRON/Case=Nom ?", "plain", "Fährst du?"),
        ("Ich//PRON sehe//VERB Sie//PRON/Case=Acc .", "plain", "Ich sehe dich."),
        # she or they, a command, several people, a verb that is not known, two verbs
        (f"Sie//PRON/Case=Nom haben/haben/AUX/{SIE} Zeit//NOUN .", "plain", None),
        ("Komm/kommen/VERB/Mood=Imp zu//ADP dir//PRON", "polite", None),
        (f"Hast/haben/AUX/{DU} du//PRON euch//PRON ?", "polite", None),
        (f"Gären/gären/VERB/{SIE} Sie//PRON/Case=Nom ?", "plain", None),
        (
            f"Wissen/wissen/VERB/{SIE} Sie//PRON/Case=Nom ,//PUNCT dass//SCONJ sie//PRON/Case=Nom haben/haben/AUX/{SIE}",
            "plain",
            None,
        ),
    ],
)
def test_german_speakers_say_du_or_sie(written: str, to: str, told: str | None):
    record = german(written)
    assert changed(record, f"variation.politeness:to={to}") == (told or record["text"])
