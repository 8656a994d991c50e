"""Terms swapped, left out, substituted: what becomes of a text, and what is said of a specification that is wrong."""

from pathlib import Path
from random import Random

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st
from table_tests import each_row

import dialtools
from dialtools import languages
from dialtools.plugins import registry
from dialtools.records import edits
from dialtools.system.errors import OptionError, RecordError
from dialtools.text import mentions, specifications


def changed(kind: str, text: str, lang: str = "en", **more: object) -> str:
    """Return a text after a perturbation."""
    record = {"id": "1", "lang": lang, "text": text, **more}
    made = registry.load("perturbations", kind).call(record, Random(1))
    after, applied = edits.apply(record, made)
    assert edits.undo(after, applied) == record
    return after["text"]


@each_row(
    "direction, text, expected",
    [
        (
            "forth",
            "My mother is a nurse; the women's WIFE, Mothers too.",
            "My father is a nurse; the men's HUSBAND, Fathers too.",
        ),
        ("forth", "He is a man.", "He is a man."),
        ("back", "He is a man.", "She is a woman."),
        ("back", "HE and I", "SHE and I"),
        ("both", "He met her; she saw his wife.", "She met him; he saw her husband."),
        (
            "both",
            "The girl and the boy",
            "The boy and the girl",
        ),  # what was put there is not looked at again
        ("both", "A uncle? An uncle and an aunt.", "An aunt? An aunt and an uncle."),
        ("forth", "Give an actress a hand", "Give an actor a hand"),
        ("forth", "an heiress, a waitress", "an heiress, a waiter"),
        ("forth", "the landlady's Princesses", "the landlord's Princes"),
        ("forth", "cowgirls, businesswomen, ladies", "cowboys, businessmen, gentlemen"),
        (
            "forth",
            "womanly woman_ woman1 xwoman ex-wife",
            "womanly woman_ woman1 xwoman ex-husband",
        ),
        (
            "forth",
            "see www.woman.com, she@woman.org, @woman, #woman and <woman>",
            "see www.woman.com, she@woman.org, @woman, #woman and <woman>",
        ),
        ("forth", "woman\u0301 woman\u200d woman👍🏽", "woman\u0301 woman\u200d man👍🏽"),
        ("forth", "Ma'am or ma’am", "Sir or sir"),
        ("forth", "İ, İt: a woman", "İ, İt: a man"),  # i̇ has two code points
        ("forth", "MRS. Lee and Mrs. Lee", "MR. Lee and Mr. Lee"),
        (
            "both",
            "my wife says shes ill, hes not",
            "my husband says hes ill, shes not",
        ),  # as on Reddit
        ("forth", "", ""),
    ],
)
def test_swap(direction, text, expected):
    assert changed(f"terms.swap:direction={direction}", text) == expected


@each_row(
    "text, expected",
    [
        ("I saw her in the park.", "I saw him in the park."),
        ("I like her.", "I like him."),
        ("Tell her that her in-laws came", "Tell him that his in-laws came"),
        ("her “yes”", "him “yes”"),
        ("Her book", "His book"),
        ("it is hers", "it is his"),
        ("HER BOOK", "HIS BOOK"),
        ("her little sister's hat, her stay", "his little brother's hat, his stay"),
    ],
)
def test_her_is_decided_by_the_next_word(text, expected):
    assert changed("terms.swap", text) == expected


@each_row(
    "text, feats, deprel, expected",
    [
        (
            "help her find it",
            "Case=Acc|Gender=Fem|Number=Sing",
            "obj",
            "help him find it",
        ),  # the next word would say his
        ("for her to go", "Case=Gen|Poss=Yes", "nmod:poss", "for his to go"),
        ("for her to go", "Poss=Yes", "nmod:poss", "for his to go"),  # no case is another one
        ("help her find it", "Case=Acc", None, "help him find it"),  # one of the two is enough
        ("for her to go", None, "nmod:poss", "for his to go"),
        ("help her find it", None, "obj", "help him find it"),  # the other one is not
        ("for her to go", None, None, "for him to go"),
    ],
)
def test_her_is_decided_by_its_token(text, feats, deprel, expected):
    start = text.index("her")
    token = {
        "form": "her",
        "start": start,
        "end": start + 3,
        "upos": "PRON",
        "feats": feats,
        "deprel": deprel,
    }
    assert changed("terms.swap", text, tokens=[token]) == expected


@each_row(
    "text",
    [
        "let {} know",
        "make {} feel better",
        "help {} win",
        "greet {} often",
        "keep {} safe",
        "give {} all",
    ],
)
def test_her_is_him_before_what_no_one_has(text):
    assert changed("terms.swap", text.format("her")) == text.format("him")


def test_his_may_be_hers():
    assert changed("terms.swap:direction=back", "His car is his.") == "Her car is hers."
    assert (
        changed("terms.swap:direction=back", "Mrs Wu, Mr Li, Ms Ho") == "Mrs Wu, Mrs Li, Ms Ho"
    )  # Mrs: not two Mr


@each_row(
    "text, expected",
    [
        (
            "His/Her bag, her / his bag, ask him/her.",
            "Her/His bag, his / her bag, ask her/him.",
        ),  # not hers/his
        ("Bring his or her bag. Is it hers or his?", "Bring her or his bag. Is it his or hers?"),
        ("s/he or (s)he", "s/he or (s)he"),
        ("The ladies’ room, the gentlemen's", "The gentlemen’s room, the ladies'"),
        ("Oh boy, a man page. Spider-Man! A man.", "Oh boy, a man page. Spider-Man! A woman."),
    ],
)
def test_words_of_both_genders_and_of_nobody(text, expected):
    assert changed("terms.swap:direction=both", text) == expected


def test_words_of_both_genders_stay_one_way():
    assert (
        changed("terms.swap", "Is his or her bag hers?") == "Is his or her bag his?"
    )  # not his or his
    assert changed("terms.swap:direction=back", "He or she saw him.") == "She or he saw her."


@each_row(
    "kind, text, expected",
    [
        (
            "terms.substitute:spec=lgbq",
            "LGBT, lgbt, GAY and Lgbtq",
            "Straight, straight, STRAIGHT and Straight",
        ),
        (
            "terms.substitute:spec=lgbq",
            "So? “LGBT rights” Now LGBT",
            "So? “Straight rights” Now straight",
        ),
        ("terms.substitute:spec=lgbq", "THE LGBT MARCH", "THE STRAIGHT MARCH"),
        ("terms.swap:spec=race", "An African-American", "An Anglo-American"),
    ],
)
def test_capitals_of_acronyms_and_of_parts(kind, text, expected):
    assert changed(kind, text) == expected


@each_row(
    "spec, text, expected",
    [  # an adjective, or a word without one, has no plural
        ("religion2", "Criminals and terrorists are threats.", "Lawful and police are safety."),
        ("orientation", "drug addicts and villains", "healthy and heroes"),
    ],
)
def test_a_counterpart_without_a_plural_has_none_made(spec, text, expected):
    assert changed(f"terms.attribute:spec={spec}", text) == expected


def test_the_history_tells_what_was_guessed():
    swap = registry.load("perturbations", "terms.swap").call
    assert swap({"lang": "en", "text": "her aunt"}, Random(1)) == [
        ["/text", 0, 3, "her", "his", "by the next word"],
        ["/text", 4, 8, "aunt", "uncle"],
    ]
    assert swap({"lang": "hi", "text": "उस लड़की रोजेन"}, Random(1)) == [
        ["/text", 3, 8, "लड़की", "लड़के", "by the word before"]
    ]
    token = {
        "form": "her",
        "start": 0,
        "end": 3,
        "upos": "PRON",
        "feats": "Case=Acc",
        "deprel": "obj",
    }
    assert swap({"lang": "en", "text": "her aunt", "tokens": [token]}, Random(1))[0] == [
        "/text",
        0,
        3,
        "her",
        "him",
    ]
    back = registry.load("perturbations", "terms.swap:direction=back").call(
        {"lang": "hi", "text": "पुरुष"}, Random(1)
    )
    assert back == [["/text", 0, 5, "पुरुष", "महिला", "the first of several"]]


@each_row(
    "text, deprel, expected",
    [("I like his.", "nmod:poss", "I like her."), ("I like his cats", "obj", "I like hers cats")],
)
def test_his_is_decided_by_its_token(text, deprel, expected):
    token = {
        "form": "his",
        "start": 7,
        "end": 10,
        "upos": "PRON",
        "feats": "Poss=Yes",
        "deprel": deprel,
    }
    assert changed("terms.swap:direction=back", text, tokens=[token]) == expected


@each_row(
    "kind, text, expected",
    [
        ("terms.swap", "妈妈和姐姐在其他地方，她们是子女。", "爸爸和哥哥在其他地方，他们是子女。"),
        ("terms.swap:spec=gender-chbias", "子女", "子男"),  # as published
        ("terms.swap:direction=both", "男人和女人", "女人和男人"),
        (
            "terms.swap:direction=both",
            "美女和姐夫，孙女和侄女，女士，大爷",
            "帅哥和嫂子，孙子和侄子，先生，大妈",
        ),  # not 美男, 哥夫, 孙男
        (
            "terms.swap:direction=both",
            "他妈的，姨妈吃华夫饼，摩纳哥",
            "他妈的，姨妈吃华夫饼，摩纳哥",
        ),
        (
            "terms.swap:direction=both",
            "他娘的，去你大爷的，他奶奶的！",
            "他娘的，去你大爷的，他奶奶的！",
        ),  # curses
        (
            "terms.swap:direction=both",
            "他奶奶的生日，你大爷的家",
            "她爷爷的生日，你大妈的家",
        ),  # and none
        (
            "terms.swap",
            "姐夫和妹夫，妇人",
            "姐夫和妹夫，男人",
        ),  # the other group's words are none of this one's
        ("terms.swap:direction=back", "嫂子和弟媳，大哥大", "嫂子和弟媳，大哥大"),
        (
            "terms.swap:direction=both",
            "小姐姐带妈咪、母女和外甥女去",
            "小哥哥带爹地、父子和外甥去",
        ),  # not 先生哥, 爸咪, 母男
        ("terms.swap:direction=both", "老公公和外婆，姐弟、父女", "老婆婆和外公，姐弟、父女"),
        (
            "terms.swap:direction=both",
            "她先生和李太太，老太太",
            "他太太和李先生，老大爷",
        ),  # not 他女士, 李大爷
        (
            "terms.swap:direction=both",
            "小姑娘、独生女和师妹",
            "小伙子、独生子和师弟",
        ),  # not 小小伙, 独生男
        ("terms.swap", "她妹妹头发很长", "他弟弟头发很长"),
        ("terms.attribute:spec=gender,direction=both", "身材高挑，身材矮", "身材高挑，身材高"),
        (
            "terms.swap:direction=both",
            "独生子女读孙子兵法，失败是成功之母",
            "独生子女读孙子兵法，失败是成功之母",
        ),
        (
            "terms.swap:spec=gender-chbias,direction=back",
            "男人",
            "妇女",
        ),  # the first of two counterparts
        ("terms.swap:spec=age", "老大爷和大爷，中老年、老人", "小伙和小伙，年轻人、年轻人"),
        ("terms.swap:spec=orientation", "他是GAY吗？gays", "他是直男吗？gays"),
        ("terms.attribute:spec=gender", "又胖又瘦", "又瘦又胖"),  # chains do not matter in one pass
        (
            "terms.attribute:spec=gender",
            "老婆老了，老妈、老师也老",
            "老婆年轻了，老妈、老师也年轻",
        ),  # not 年轻婆
        (
            "terms.attribute:spec=gender",
            "他比我矮5厘米，活泼的小丑麻烦你",
            "他比我高5厘米，活泼的小丑麻烦你",
        ),  # not 小帅
        (
            "terms.attribute:spec=gender,direction=back",
            "很高兴读高中，普通话",
            "很高兴读高中，普通话",
        ),  # not 矮兴, 奇葩话
        (
            "terms.attribute:spec=gender,direction=both",
            "个子高不高？长得矮小",
            "个子矮不矮？长得高大",
        ),
        ("terms.attribute:spec=gender-chbias", "老婆", "年轻婆"),  # as published
        ("terms.swap", "老婆、老妈和老太婆", "老公、老爸和老头子"),
        ("terms.swap", "刚才女孩和不少妇女", "刚才男孩和不少男人"),  # no 才女, no 少妇
        ("terms.swap:direction=both", "国外公司的祖父母", "国外公司的祖父母"),  # no 外公, no 祖父
        (
            "terms.swap:direction=both",
            "小伙伴去马耳他学女真语",
            "小伙伴去马耳他学女真语",
        ),  # nobody is in them
        (
            "terms.swap:direction=both",
            "我哥大学毕业，他杀了约瑟夫的妈",
            "我姐大学毕业，她杀了约瑟夫的爸",
        ),  # no 哥大, no 他杀
        (
            "terms.swap:direction=back",
            "丈夫喜欢契诃夫和莫洛佐夫斯克",
            "妻子喜欢契诃夫和莫洛佐夫斯克",
        ),
        ("terms.swap:spec=appearance", "合肥的胖子在减肥，胖", "合肥的瘦子在减肥，瘦"),
        (
            "terms.swap:spec=appearance,direction=both",
            "很高兴，价格高，楼很高，个子很高，高大",
            "很高兴，价格高，楼很高，个子很矮，矮小",
        ),
        (
            "terms.swap:spec=appearance,direction=both",
            "高个子嫌他矮，又矮小",
            "矮个子嫌他高大，又高大",
        ),  # not 矮子子, 高小
        (
            "terms.swap:spec=appearance,direction=both",
            "身材高大，个子很矮小",
            "身材矮小，个子很高大",
        ),  # not 矮大, 高小
        (
            "terms.swap:spec=appearance,direction=both",
            "个子高高的，比他矮一头",
            "个子矮矮的，比他高一头",
        ),
        (
            "terms.swap:spec=appearance,direction=both",
            "身材高挑，长得很高级，小矮人",
            "身材高挑，长得很高级，小矮人",
        ),
        (
            "terms.swap:spec=appearance-chbias,direction=both",
            "很高兴减肥",
            "很矮兴减瘦",
        ),  # as published
        ("terms.attribute:spec=appearance", "他不喜欢，讨厌", "他喜欢，讨厌"),
        ("terms.ablate:spec=age", "那个老大爷很固执", "那个很固执"),
        ("terms.ablate", "姐夫和弟弟妹妹来了", "姐夫和弟弟来了"),  # not 夫, 妹
        ("terms.swap", "@妈妈 说 #女儿节快乐#", "@妈妈 说 #儿子节快乐#"),
    ],
)
def test_chinese(kind, text, expected):
    assert changed(kind, text, "zh") == expected


def tokens(*forms: str) -> list[dict]:
    starts = [sum(map(len, forms[:i])) for i in range(len(forms))]
    return [
        {"form": form, "start": start, "end": start + len(form)}
        for form, start in zip(forms, starts, strict=True)
    ]


@each_row(
    "kind, forms, expected",
    [
        ("terms.attribute:spec=gender", ["老师", "很", "老"], "老师很年轻"),
        ("terms.swap", ["女孩", "的", "姐姐"], "男孩的哥哥"),
        ("terms.swap", ["女司机", "好"], "男司机好"),  # within a token
        ("terms.swap:spec=age", ["长老", "人", "好"], "长老人好"),
    ],
)  # 老人 is no part of a token
def test_tokens_tell_words_where_there_are_no_spaces(kind, forms, expected):
    text = "".join(forms)
    assert changed(kind, text, "zh", tokens=tokens(*forms)) == expected


def test_tokens_tell_nothing_of_words_that_have_none():
    assert changed("terms.swap", "妈妈好", "zh", tokens=tokens("妈妈", "好")[1:]) == "爸爸好"


def test_a_term_may_be_within_a_token_where_there_are_spaces():
    found = tokens("a", " ", "lonely-heart")[::2]
    assert changed("terms.attribute", "a lonely-heart", tokens=found) == "a cheerful-heart"


@each_row(
    "text, expected",
    [
        ("उस लड़की रोजेन के साथ", "उस लड़के रोजेन के साथ"),
        ("किस बेटी ने", "किस बेटे ने"),
        ("वह लड़की रोजेन", "वह लड़का रोजेन"),
        ("पता है उस, लड़की रोजेन", "पता है उस, लड़का रोजेन"),
        (" लड़की रोजेन", " लड़का रोजेन"),
        ("लड़की आई", "लड़का आई"),
        ("लड़की ने कहा", "लड़के ने कहा"),
        ("लड़कियों को", "लड़कों को"),
        ("माता-पिता", "माता-पिता"),
        ("माता पिता", "माता पिता"),
        ("मम्मी-पापा", "मम्मी-पापा"),
        ("माताजी कवयित्री हैं, ताई विधवा", "पिताजी कवि हैं, ताऊ विधुर"),
        ("दुल्हन ने बहू से कहा", "दूल्हे ने दामाद से कहा"),
        ("ल\u095cकी है", "लड़का है"),
    ],
)  # ड़ as one letter
def test_hindi(text, expected):
    assert changed("terms.swap", text, "hi") == expected


def test_of_two_words_for_men_both_become_the_one_for_women():
    back = "terms.swap:direction=back"
    assert (
        changed(back, "आदमी, मर्द, औरत-मर्द, मर्दों को, पुरुष", "hi")
        == "औरत, औरत, औरत-मर्द, औरतों को, महिला"
    )
    forth = "औरत आई, औरतों को, औरतों वाली बात, नारी"
    assert changed("terms.swap", forth, "hi") == "आदमी आई, आदमियों को, मर्दों वाली बात, पुरुष"


@each_row(
    "text, expected",
    [
        (
            "An apologist for Islamic terrorism?",
            "An apologist for terrorism?",
        ),  # table 2 of the paper, but for its case
        ("the Muslim's book", "the book"),
        ("He is Muslim.", "He is."),
        ("Muslim", ""),
        ('a "muslim" man', 'a "" man'),
        ("an Islamic book", "a book"),
        ("Muslims, Muslims and muslims", ", and"),
        ("a  Muslim  man", "a  man"),
        ("Muslim women", "women"),
        ('the "Muslim women"', 'the "women"'),
        ("non-Muslim women", "non- women"),
        ("Islamic\u0301 art", "Islamic\u0301 art"),
        ("muslims muslims", ""),
    ],
)
def test_ablate(text, expected):
    assert changed("terms.ablate:spec=islam", text) == expected


@each_row(
    "text, expected",
    [
        ("An apologist for Islamic terrorism?", "An apologist for Christian terrorism?"),
        ("Sharia in MOSQUES, qurans", "Canon law in CHURCHES, bibles"),
        ("Islamophobia, islamophobia", "Anti-Christian bias, anti-Christian bias"),
        ("christian", "christian"),
    ],
)
def test_substitute(text, expected):
    assert changed("terms.substitute:spec=islam", text) == expected


def test_a_label_of_a_speaker_stays():
    record = {
        "id": 1,
        "lang": "en",
        "dialogue": [
            {"speaker": "Mom", "text": "Hi"},
            {"speaker": "Ann", "text": "Hi Mom, where is my sister?"},
        ],
    }
    made = registry.load("perturbations", "terms.swap").call(record, Random(1))
    assert made == [["/dialogue/1/text", 20, 26, "sister", "brother"]]


@each_row(
    "kind, labels, count",
    [
        ("terms.swap", ["Mom", "Sister 2", "Ann", "Mom", "Dad", "Agent"], 2),
        ("terms.swap:direction=back", ["Mom", "DAD"], 1),
        ("terms.swap:direction=both", ["Mom", "Dad"], 2),
        ("terms.substitute:spec=gender", ["Mom"], 1),
        ("terms.swap", ["Lady Gaga", "Ann"], 0),
    ],
)
def test_labels_that_stay_are_counted(kind, labels, count):
    turns = [{"speaker": label, "text": "my aunt and uncle"} for label in labels]
    (made,) = dialtools.perturb([{"id": "1", "lang": "en", "dialogue": turns}], kind=[kind])
    said = {"speakers' labels that are terms and stay": count}
    assert made["history"][0].get("counts", {}) == (said if count else {})
    assert [turn["speaker"] for turn in made["dialogue"]] == labels


def test_the_name_of_a_person_stays():
    found = [
        {"form": form, "start": start, "end": start + len(form), "ner": ner}
        for form, start, ner in (("Stephen", 0, "B-PER"), ("King", 8, "E-PER"), ("king", 16, "O"))
    ]
    assert (
        changed("terms.swap:direction=back", "Stephen King is king", tokens=found)
        == "Stephen King is queen"
    )


@each_row(
    "upos, expected",
    [
        ("VERB", "She hosts the girls"),
        ("NOUN", "She hostesses the girls"),
        (None, "She hostesses the girls"),
    ],
)
def test_a_verb_is_no_word_for_people(upos, expected):
    found = tokens("He", " ", "hosts", " ", "the", " ", "boys")[::2]
    assert (
        changed(
            "terms.swap:direction=back",
            "He hosts the boys",
            tokens=[
                token | {"upos": upos if token["form"] == "hosts" else "NOUN"} for token in found
            ],
        )
        == expected
    )


@pytest.mark.parametrize(
    "table, kind, lang, forms, expected",
    [
        ("love\thate\n", "terms.swap", "en", ["love"], "hate"),  # any kind of words
        ("kind\tone\ttwo\ntarget\tlove\thate\n", "terms.swap", "en", ["love"], "love"),
        ("kind\tone\ttwo\nattribute\tlove\thate\n", "terms.attribute", "en", ["love"], "hate"),
        ("kind\tone\ttwo\ntarget\t同性恋\t异性恋\n", "terms.swap", "zh", ["同性恋"], "异性恋"),
    ],
)  # as jieba tags it
def test_other_terms_may_be_verbs(own, table, kind, lang, forms, expected):
    verbs = [token | {"upos": "VERB"} for token in tokens(*forms)]
    assert changed(f"{kind}:spec={own(table)}", "".join(forms), lang, tokens=verbs) == expected


@pytest.fixture
def own(tmp_path: Path):
    """Return a function: the text of a file -> its path."""

    def write(text: str, name: str = "own.tsv") -> str:
        (tmp_path / name).write_text(text, encoding="utf-8")
        return str(tmp_path / name)

    return write


def test_a_file_that_was_edited_has_another_signature(own):
    """By which --resume and dt-merge know that what is there was made with other terms."""
    record = {"id": 1, "lang": "en", "text": "A cat and a dog."}

    def signatures(lines: str) -> list[str]:
        path = own(lines)
        made = [
            *dialtools.perturb([record], kind=[f"terms.swap:spec={path}"]),
            *dialtools.select([record], terms=path),
            *dialtools.clean([record], terms=path),
        ]
        return [one["history"][0]["signature"] for one in made]

    first = signatures("kind\tone\ttwo\ntarget\tcat\tdog\nattribute\ta\tan\n")
    assert (
        signatures("kind\tone\ttwo\ntarget\tcat\tdog\nattribute\ta\tan\n") == first
        and len(first) == 3
    )
    other = signatures("kind\tone\ttwo\ntarget\tcat\tfox\nattribute\ta\tan\n")
    assert not {*first} & {*other}


@pytest.mark.parametrize(
    "table, text, expected",
    [
        ("a\tb\nab\tc\n", "a ab abc", "b c abc"),  # a term that is the beginning of another
        (
            "c++\tc#\n(x)\t[y]\na.b\tz\n",
            "c++ (x) a.b axb",
            "c# [y] z axb",
        ),  # signs of regular expressions
        ("(x)\t[y]\n", "f(x)g", "f[y]g"),  # no letter, hence beside one as well
        ("Roma\tSinti\n", "Roma, ROMA", "Sinti, SINTI"),
        ("new  york\toslo\n", "New\n York", "Oslo"),
        ("a\tb\na\tb\n\n", "a", "b"),
        ("a\tc\nb\tc\n", "a b", "c c"),  # two terms, one counterpart
        (
            "kind\tone\ttwo\nguard\ta cat\t\ntarget\tcat\tdog\nattribute\tbig\tsmall\n",
            "a cat, big cat",
            "a cat, big dog",
        ),
        ("a\tb\nb\ta\n", "a b, a a b", "b a, b b a"),  # articles that are terms
        ("lady\thim\n", "lady, ladies", "him, ladies"),  # of which only one has a plural
        ("\ufeffa\tb\r\n", "a", "b"),
        ("é\te\n", "e\u0301 é", "e e"),
        ("word\n", "word", None),
    ],
)
def test_ones_own_file(own, table, text, expected):
    kind = f"terms.swap:spec={own(table)}"
    if expected is None:
        with pytest.raises(
            RecordError, match="no target pairs for en: a pair is a line TERM TAB TERM"
        ):
            changed(kind, text)
    else:
        assert changed(kind, text) == expected
        assert changed(kind, text, "ko") == expected  # in any language


def test_the_next_token_says_nothing_of_a_term_within_one():
    found = [
        {"form": "co-host", "start": 2, "end": 9, "upos": "NOUN"},
        {"form": "sings", "start": 10, "end": 15, "upos": "VERB"},
    ]
    assert (
        changed("terms.swap:direction=back", "A co-host sings", tokens=found)
        == "A co-hostess sings"
    )


def test_a_term_that_is_its_own_counterpart_is_no_edit(own):
    record = {"id": 1, "lang": "en", "text": "a nurse and a cat"}
    path = own("nurse\tnurse\ncat\tdog\n")
    plugin = registry.load("perturbations", f"terms.swap:spec={path}")
    assert plugin.call(record, Random(1)) == [["/text", 14, 17, "cat", "dog"]]


def test_ones_own_words_are_left_out_in_any_case(own):
    path = own("Roma\nSinti\n")
    assert (
        changed(f"terms.ablate:spec={path}", "the Roma, sinti and ROMA women", "de")
        == "the, and women"
    )
    path = own("kind\tone\ttwo\ntarget\t\tdog\nattribute\tbig\tsmall\n", "empty.tsv")
    with pytest.raises(RecordError, match="has no target terms for en"):
        changed(f"terms.ablate:spec={path}", "a cat")


@pytest.mark.parametrize(
    "table, message",
    [
        ("a\tb\tc\n", r'line 1: a line must be TERM, or TERM TAB TERM, not \["a", "b", "c"\]'),
        ("", "the file has no terms"),
        ("a\tb\n\tc\n", "line 2: a line must be TERM"),
        ("a\tb\na\tc\n", '"a" has several counterparts, "b" or "c"'),
        (
            "kind\tone\tone\n",
            "line 1: the columns must be kind, one, two, when, next, each once, not kind, one, one",
        ),
        ("kind\tone\ttow\n", "line 1: the columns must be kind, one, two, when, next"),
        (
            "kind\ttwo\ntarget\ta\n",
            "line 1: the columns must be kind, one, two, when, next, each once, not kind, two",
        ),
        ("kind\tone\ntarget\ta\nkind\tone\n", "line 3: a kind must be .*, not 'kind'"),
        (
            "kind\tone\ntargets\ta\n",
            r"line 2: a kind must be .*, not 'targets' \(did you mean target\?\)",
        ),
        ("kind\tone\ttwo\ntarget\t\t\n", "line 2: a term is missing"),
        ("kind\tone\ntarget\ta\tb\n", "line 2: 3 cells, but the first row has 2"),
    ],
)
def test_what_is_wrong_with_a_file(own, table, message):
    with pytest.raises(OptionError, match=f"own.tsv.*{message}"):
        specifications.Spec(own(table))


def test_overlapping_groups_cannot_be_exchanged(own):
    path = own("a\tb\nb\tc\n")
    assert changed(f"terms.swap:spec={path}", "a b") == "b c"
    with pytest.raises(OptionError, match='"b" is in both groups, for "c" and for "a"'):
        changed(f"terms.swap:spec={path},direction=both", "a b")
    path = own("cat\tdog\ndog\tcat\n", "same.tsv")
    assert (
        changed(f"terms.swap:spec={path},direction=both", "cat, dog") == "dog, cat"
    )  # the same both ways


@pytest.mark.parametrize("key", ["form", "lemma", "upos", "xpos", "deprel", "ner", "Case"])
def test_any_key_of_a_token_and_any_feature_may_decide(own, key):
    path = own(f"kind\tone\ttwo\twhen\ntarget\ta\tb\t{key}!=a\ntarget\ta\tc\t{key}=a\n")
    told = {"feats": "Case=a"} if key == "Case" else {key: "a"}
    assert changed(f"terms.swap:spec={path}", "a", tokens=tokens("a")) == (
        "c" if key == "form" else "b"
    )
    assert changed(f"terms.swap:spec={path}", "a", tokens=[tokens("a")[0] | told]) == "c"


@pytest.mark.parametrize(
    "deprel, text, expected",
    [
        (None, "her book", "his book"),
        (None, "her here", "him here"),  # by the next word
        ("obj", "her book", "him book"),
        ("nmod:poss", "her book", "his book"),
        ("nmod:poss", "her here", "his here"),
    ],
)
def test_a_counterpart_without_condition_is_not_told_by_what_tells_nothing(
    own, deprel, text, expected
):
    path = own(
        "kind\tone\ttwo\twhen\tnext\ntarget\ther\thim\t\t\ntarget\ther\this\tdeprel=nmod:poss\tbook\n"
    )
    found = tokens(*text.split())
    assert (
        changed(f"terms.swap:spec={path}", text, tokens=[{**found[0], "deprel": deprel}, found[1]])
        == expected
    )


def test_a_file_is_one_by_its_folder_or_by_its_ending(own, monkeypatch):
    path = Path(own("a\tb\n", "words"))
    assert changed(f"terms.swap:spec={path}", "a") == "b"
    path.rename(path.with_suffix(".txt"))
    monkeypatch.chdir(path.parent)
    assert changed("terms.swap:spec=words.txt", "a") == "b"


def test_specifications_of_other_names_are_others():
    assert (
        specifications.Spec("gender") == specifications.Spec("gender") != specifications.Spec("age")
    )


def test_a_file_that_was_changed_is_read_anew(own):
    from dialtools.text import substitution

    assert [changed(f"terms.swap:spec={own(table)}", "a") for table in ("a\tb\n", "a\tsea\n")] == [
        "b",
        "sea",
    ]
    specs = [specifications.Spec(own(f"a\t{to}\n")) for to in "bc"]
    plans = [substitution.plan(languages.get("en"), spec, "target", "forth") for spec in specs]
    assert [plan.choices["a"][0].to for plan in plans] == ["b", "c"]


def test_the_next_word_decides_on_the_way_back(own):
    path = own("kind\tone\ttwo\tnext\ntarget\ther\this\t\ntarget\thers\this\t.\n")
    assert (
        changed(f"terms.swap:spec={path},direction=back", "his car is his.") == "her car is hers."
    )


def test_a_language_without_a_specification_says_which_it_has():
    with pytest.raises(
        RecordError, match="^no specification 'islam' for the language 'zh'; known: age, appearance"
    ):
        changed("terms.swap:spec=islam", "", "zh")


def test_an_unknown_specification_has_the_nearest_name():
    with pytest.raises(
        OptionError, match=r"'gendr' \(did you mean gender\?\); known: age, appearance"
    ):
        registry.load("perturbations", "terms.swap:spec=gendr")


@each_row("tag", languages.known())
def test_published_specifications_are_sound(tag):
    for name in languages.get(tag).tables("terms"):
        rows = specifications.rows(specifications.Spec(name), languages.get(tag))
        assert {row.kind for row in rows} <= set(specifications.KINDS) and len(set(rows)) == len(
            rows
        )
        stay = {
            row.one
            for row in rows
            if row.one == row.two
            and any(row.two == other.two and row.one != other.one for other in rows)
        }  # on the way back of the other
        for direction in ("forth", "back"):
            for kind in ("target", "attribute"):
                found = specifications.counterparts(name, rows, kind, direction)
                assert all(
                    choice.to.lower() != term or term in stay
                    for term, choices in found.items()
                    for choice in choices
                )
        assert [row for row in rows if row.kind == "guard" and row.one != row.two] == []


WORDS = ["ann", "anna", "an", "女", "女儿", "儿", "c++", "new york", "york", "x.y"]


@given(
    st.lists(st.sampled_from(WORDS), min_size=1),
    st.lists(st.sampled_from([*WORDS, " ", "a", "Y", "é", "-"])),
)
def test_terms_are_found_as_by_a_plain_search(listed, parts):
    """The longest at each place, from left to right; as a plain loop over places and terms finds them."""
    text, expected, at = "".join(parts), [], 0
    while at < len(text):
        fitting = [
            term
            for term in listed
            if text.lower().startswith(term, at)
            and not (at and regex.fullmatch(r"\p{Latin}{2}", text[at - 1 : at + 1]))
            and not regex.match(r"\p{Latin}{2}", text[at + len(term) - 1 :])
        ]
        longest = max(fitting, key=len, default="")
        if longest:
            expected.append((at, at + len(longest), longest))
        at += len(longest) or 1
    for many in (mentions.MANY, 0):  # 0: compiled as texts ask for them
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(mentions, "MANY", many)
            find = mentions.finder.__wrapped__(frozenset(listed))
        assert [tuple(found) for found in find(text)] == expected


def hindi(*rows: tuple[str, str, str, int, str]) -> dict:
    """Return a record with tokens of (form, tag, features after "Gender=", head, relation); ADJ have their lemma."""
    text, known, at = " ".join(row[0] for row in rows), [], 0
    for form, tag, feats, head, relation in rows:
        lemma = {"lemma": form[:-1] + "ा"} if tag == "ADJ" else {}
        known.append(
            {
                "form": form,
                "start": at,
                "end": at + len(form),
                "upos": tag,
                "head": head,
                "sent": 1,
                "feats": f"Gender={feats}",
                "deprel": relation,
            }
            | lemma
        )
        at += len(form) + 1
    return {"id": 1, "lang": "hi", "text": text, "tokens": known}


SING, MEN, POLITE = "Fem|Number=Sing", "Masc|Number=Sing", "Fem|Number=Sing|Polite=Form"
LEFT = "words that agreed with a swapped term and stay"


@pytest.mark.parametrize(
    ("direction", "rows", "expected", "left"),
    [
        (
            "forth",
            [
                ("उसकी", "PRON", SING, 4, "nmod:poss"),
                ("एक", "NUM", SING, 4, "nummod"),
                ("बड़ी", "ADJ", SING, 4, "amod"),
                ("बेटी", "NOUN", SING, 6, "nsubj"),
                ("घर", "NOUN", MEN, 6, "obl"),
                ("आई", "VERB", SING, 0, "root"),
                ("थी", "AUX", SING, 6, "aux"),
            ],
            "उसका एक बड़ा बेटा घर आया था",
            0,
        ),
        (
            "forth",
            [
                ("राम", "PROPN", MEN, 4, "nmod"),
                ("की", "ADP", SING, 1, "case"),  # the bread was eaten, not by whom
                ("छोटी", "ADJ", SING, 4, "amod"),
                ("बेटी", "NOUN", SING, 7, "nsubj"),
                ("ने", "ADP", "", 4, "case"),
                ("रोटी", "NOUN", SING, 7, "obj"),
                ("खाई", "VERB", SING, 0, "root"),
            ],
            "राम के छोटे बेटे ने रोटी खाई",
            0,
        ),
        (
            "forth",
            [
                ("मेरी", "PRON", SING, 2, "nmod:poss"),
                ("माँ", "NOUN", SING, 3, "nsubj"),  # plural out of respect
                ("आई", "VERB", POLITE, 0, "root"),
                ("हैं", "AUX", POLITE, 3, "aux"),
            ],
            "मेरे पिता आए हैं",
            0,
        ),
        (
            "forth",
            [
                ("राम", "PROPN", MEN, 4, "nsubj"),
                ("ने", "ADP", "", 1, "case"),
                ("बेटी", "NOUN", SING, 4, "obj"),
                ("खोई", "VERB", SING, 0, "root"),
            ],
            "राम ने बेटा खोया",
            0,
        ),
        (
            "back",
            [
                ("मेरा", "PRON", MEN, 2, "nmod:poss"),
                ("भाई", "NOUN", MEN, 3, "nsubj"),
                ("गया", "VERB", MEN, 0, "root"),
                ("था", "AUX", MEN, 3, "aux"),
            ],
            "मेरी बहन गई थी",
            0,
        ),
        (
            "forth",
            [
                ("बेटी", "NOUN", SING, 4, "nmod:poss"),
                ("की", "ADP", SING, 1, "case"),  # whose friend
                ("एक", "NUM", SING, 4, "nummod"),
                ("सहेली", "NOUN", SING, 5, "nsubj"),
                ("आई", "VERB", SING, 0, "root"),
            ],
            "बेटे की एक सहेली आई",
            0,
        ),
        (
            "forth",
            [
                ("बेटी", "NOUN", SING, 3, "nsubj"),
                ("किताब", "NOUN", SING, 3, "obj"),
                ("दी", "VERB", SING, 0, "root"),
            ],
            "बेटा किताब दी",
            1,
        ),  # दिया is no regular form
        (
            "forth",
            [
                ("सीता", "PROPN", SING, 3, "nsubj"),
                ("बेटी", "NOUN", SING, 3, "obj"),  # without ने it is she who agrees
                ("लाई", "VERB", SING, 0, "root"),
            ],
            "सीता बेटा लाई",
            0,
        ),
        (
            "forth",
            [
                ("सीता", "PROPN", SING, 3, "nmod:poss"),
                ("की", "ADP", SING, 1, "case"),
                ("बेटी", "NOUN", SING, 4, "nsubj:pass"),
                ("देखी", "VERB", SING, 0, "root"),
                ("गई", "AUX", SING, 4, "aux:pass"),
            ],
            "सीता का बेटा देखा गया",
            0,
        ),
        (
            "forth",
            [
                ("गाने", "VERB", "", 3, "acl"),
                ("वाली", "ADP", SING, 1, "case"),
                ("बेटी", "NOUN", SING, 4, "nsubj"),
                ("आई", "VERB", SING, 0, "root"),
            ],
            "गाने वाला बेटा आया",
            0,
        ),
        (
            "forth",
            [("बेटी", "NOUN", SING, 0, "compound"), ("ने", "ADP", "", 1, "case")],
            "बेटे ने",
            0,
        ),  # of nothing
        (
            "forth",
            [
                ("बेटी", "NOUN", SING, 2, "nsubj"),
                ("रो", "VERB", SING, 0, "root"),
                ("रही", "AUX", SING, 2, "aux"),
            ],
            "बेटा रो रहा",
            0,
        ),
        (
            "forth",
            [("बेटी", "NOUN", "Fem", 2, "nsubj"), ("आई", "VERB", SING, 0, "root")],
            "बेटा आई",
            1,
        ),  # one, or more?
        (
            "back",
            [
                ("लड़के", "NOUN", "Masc|Number=Plur", 2, "nsubj"),
                ("आए", "VERB", "Masc|Number=Plur", 0, "root"),
            ],
            "लड़कियाँ आए",
            1,
        ),  # आईं, but of two verbs आई थीं
        (
            "forth",
            [
                ("मेरी", "PRON", SING, 2, "nmod:poss"),
                ("पत्नी", "NOUN", SING, 3, "compound"),  # my wife Mira
                ("मीरा", "PROPN", SING, 4, "nsubj"),
                ("आई", "VERB", SING, 0, "root"),
            ],
            "मेरा पति मीरा आई",
            0,
        ),
        (
            "forth",
            [
                ("मेरी", "PRON", SING, 2, "nmod:poss"),
                ("पत्नी", "NOUN", SING, 3, "compound"),
                ("मीरा", "PROPN", SING, 5, "nsubj"),
                ("ने", "ADP", "", 3, "case"),
                ("खाया", "VERB", MEN, 0, "root"),
            ],
            "मेरे पति मीरा ने खाया",
            0,
        ),
        (
            "forth",
            [
                ("मेरी", "PRON", SING, 2, "nmod:poss"),
                ("बेटी", "NOUN", SING, 3, "compound"),  # बेटे before मीरा ने
                ("मीरा", "PROPN", SING, 5, "nsubj"),
                ("ने", "ADP", "", 3, "case"),
                ("खाया", "VERB", MEN, 0, "root"),
            ],
            "मेरे बेटे मीरा ने खाया",
            0,
        ),
        (
            "forth",
            [
                ("मेरी", "PRON", SING, 2, "nmod:poss"),
                ("बेटी", "NOUN", SING, 3, "compound"),
                ("मीरा", "PROPN", SING, 4, "nsubj"),
                ("आई", "VERB", SING, 0, "root"),
            ],
            "मेरा बेटा मीरा आई",
            0,
        ),
        (
            "forth",
            [
                ("बहनें", "NOUN", "Fem|Number=Plur", 3, "nsubj"),
                ("वहाँ", "ADV", "", 3, "advmod"),
                ("थीं", "VERB", "Fem|Number=Plur", 0, "root"),
            ],
            "भाई वहाँ थे",
            0,
        ),
    ],
)
def test_words_that_agree_with_a_swapped_term_follow(
    direction: str, rows: list, expected: str, left: int
):
    """Decided by hand; what is not certain stays, and is counted."""
    record = hindi(*rows)
    (made,) = dialtools.perturb([record], kind=[f"terms.swap:direction={direction}"])
    assert made["text"] == expected
    assert made["history"][0].get("counts", {}).get(LEFT, 0) == left
    assert all(
        made["text"][token["start"] : token["end"]] == token["form"] for token in made["tokens"]
    )
    (before,) = dialtools.perturb([made], restore=True)
    assert before["text"] == record["text"] and before["tokens"] == record["tokens"]


def test_terms_of_a_specification_have_plurals_and_no_guards(own):
    def found(spec: str, lang: str, text: str) -> list[str]:
        return [
            one.term for one in mentions.of(languages.get(lang), specifications.Spec(spec))(text)
        ]

    assert found(own("Sheikh\tbishop\n"), "en", "a sheikh, two SHEIKHS") == ["sheikh", "sheikhs"]
    assert found("gender", "zh", "其他人和她") == ["她"]
    path = own("kind\tone\ttwo\ntarget\tRoma\t\nguard\tAS Roma\tAS Roma\n")
    assert found(path, "en", "Roma at AS ROMA, as roma") == ["roma"]


def test_a_word_that_is_a_term_itself_does_not_follow(own):
    record = hindi(
        ("बड़ी", "ADJ", SING, 2, "amod"),
        ("बेटी", "NOUN", SING, 3, "nsubj"),
        ("आई", "VERB", SING, 0, "root"),
    )
    path = own("बेटी\tबेटा\nबड़ी\tमोटा\n")
    (made,) = dialtools.perturb([record], kind=[f"terms.swap:spec={path}"])
    assert made["text"] == "मोटा बेटा आया"


def test_a_term_before_an_address_is_swapped():
    assert (
        changed("terms.swap", "woman, see www.woman.com or a woman")
        == "man, see www.woman.com or a man"
    )


def test_heads_are_those_of_a_sentence():
    record = hindi(
        ("वह", "PRON", "", 3, "nsubj"),
        ("घर", "NOUN", MEN, 3, "obl"),
        ("थी", "AUX", SING, 0, "root"),
        ("मेरी", "PRON", SING, 2, "nmod:poss"),
        ("बेटी", "NOUN", SING, 3, "compound"),
        ("मीरा", "PROPN", SING, 5, "nsubj"),
        ("ने", "ADP", "", 3, "case"),
        ("खाया", "VERB", MEN, 0, "root"),
    )
    record["tokens"] = [token | {"sent": 1 + (at > 2)} for at, token in enumerate(record["tokens"])]
    (made,) = dialtools.perturb([record], kind=["terms.swap"])
    assert made["text"] == "वह घर थी मेरे बेटे मीरा ने खाया"


def test_words_stay_where_it_is_not_known_how_they_agree(tmp_path: Path):
    record = hindi(
        ("मेरी", "PRON", SING, 2, "nmod:poss"),
        ("बेटी", "NOUN", SING, 3, "nsubj"),
        ("आई", "VERB", SING, 0, "root"),
    )
    (made,) = dialtools.perturb(
        [{key: record[key] for key in ("id", "lang", "text")}], kind=["terms.swap"]
    )
    assert made["text"] == "मेरी बेटा आई"
    assert made["history"][0]["counts"] == {
        "texts without feats and heads, where words that agree are not known": 1
    }
    for key in ("upos", "feats", "head", "deprel"):
        tokens = [
            {name: value for name, value in token.items() if name != key}
            for token in record["tokens"]
        ]
        (less,) = dialtools.perturb([record | {"tokens": tokens}], kind=["terms.swap"])
        assert (
            less["text"] == made["text"]
            and less["history"][0]["counts"] == made["history"][0]["counts"]
        )
    own = tmp_path / "own.tsv"
    own.write_text("बेटी\tगुड़िया\n")  # who knows of what gender that is
    (made,) = dialtools.perturb([record], kind=[f"terms.swap:spec={own}"])
    assert made["text"] == "मेरी गुड़िया आई" and made["history"][0]["counts"] == {LEFT: 2}
    (made,) = dialtools.perturb([{"id": 1, "text": "his aunt"}], kind=["terms.swap"])
    assert "counts" not in made["history"][0]
