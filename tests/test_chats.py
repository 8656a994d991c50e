"""Chats of messengers: dates and clocks of any place, what the app writes itself, conversations parted by silence."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from table_tests import each_row

from dialtools.conversion import clocks
from dialtools.formats import whatsapp
from dialtools.system.errors import RecordError

LTR, RTL, NARROW = "\u200e", "\u200f", "\u202f"


def chat(text: str, **options) -> dict:
    ((_, record),) = whatsapp.read(io.BytesIO(text.encode()), **options)
    return record


def turns(text: str, **options) -> list[tuple]:
    return [
        (turn["speaker"], turn["text"], turn["time"]) for turn in chat(text, **options)["dialogue"]
    ]


@each_row(
    "written, iso",
    [
        ("15/09/2026, 20:46", "2026-09-15T20:46"),
        ("9/15/26, 8:46:05\u202fPM", "2026-09-15T20:46:05"),
        ("15.09.26, 20:46", "2026-09-15T20:46"),
        ("2026-09-15 20:46", "2026-09-15T20:46"),
        ("15.9.2026, 20.46.05", "2026-09-15T20:46:05"),
        ("15/9/26 8:46 p. m.", "2026-09-15T20:46"),
        ("2026/9/15 下午8:46", "2026-09-15T20:46"),
        ("2026/9/15 凌晨12:46", "2026-09-15T00:46"),
        ("2026/9/15 中午12:46", "2026-09-15T12:46"),
        ("2026. 9. 15. 오전 12:46", "2026-09-15T00:46"),
        ("26. 9. 15. 오후 8:46", "2026-09-15T20:46"),
        ("2026년 9월 15일 오후 8:46", "2026-09-15T20:46"),
        ("\u200f١٥\u200f/٩\u200f/٢٠٢٦، ٨:٤٦ م", "2026-09-15T20:46"),
        ("١٥/٩/٢٠٢٦، ١٢:٤٦ ص", "2026-09-15T00:46"),
        ("15/9/2569 20:46", "2026-09-15T20:46"),
        ("15/09/2026 à 20:46", "2026-09-15T20:46"),
        ("20:46, 15/09/2026", "2026-09-15T20:46"),
        ("15.9.2026, 8:46 אחה״צ", "2026-09-15T20:46"),
        ("15/9/2026, 8:46 xx", "15/9/2026, 8:46 xx"),
        ("١٤٤٨/٤/٣، ٨:٤٦ م", "١٤٤٨/٤/٣، ٨:٤٦ م"),
    ],
)
def test_dates_of_any_place(written: str, iso: str):
    """By hand; a mark that nobody knows and a calendar of another kind leave a date as it is written."""
    one = clocks.stamp(written)
    assert one and clocks.written(one, clocks.reading([one])) == iso


@each_row(
    "text",
    ["", "hello", "10:30", "1/2, 10:30", "3.14.15", "1/2/2026", "call 1-800-555 10:30 am please"],
)
def test_what_is_no_date(text: str):
    assert clocks.stamp(text) is None


@each_row(
    "dates, order, is_certain",
    [
        (["1/2/26", "3/2/26", "13/2/26"], "dmy", True),
        (["2/1/26", "2/3/26", "2/13/26"], "mdy", True),
        (["1/2/26", "2/2/26", "3/2/26"], "dmy", False),
        (["5/11/26", "6/11/26", "1/12/26"], "dmy", True),
        (["11/5/26", "11/6/26", "12/1/26"], "mdy", True),
        (["26/2/1", "26/2/13"], "ymd", True),
    ],
)
def test_the_order_of_days_and_months_is_that_in_which_a_chat_goes_on(
    dates: list[str], order: str, is_certain: bool
):
    how = clocks.reading([clocks.stamp(f"{date}, 20:46") for date in dates])
    assert (how.order, how.is_certain) == (order, is_certain)


def test_a_pasted_export_is_a_part_of_the_message():
    text = "1/13/26, 20:46 - Ann: look:\n[13.01.26, 10:00:00] Bob: Hi\n1/13/26, 20:47 - Bob: 1/2/26 - no: yes\n"
    assert turns(text) == [
        ("Ann", "look:\n[13.01.26, 10:00:00] Bob: Hi", "2026-01-13T20:46"),
        ("Bob", "1/2/26 - no: yes", "2026-01-13T20:47"),
    ]


def test_what_the_app_writes_is_left_out_and_counted():
    day = "13.01.26, 20:46 - "
    said = [
        "Ann hat „Spiele: Abend“ erstellt",
        "Ann: <Medien ausgeschlossen>",
        "Ann: Diese Nachricht wurde gelöscht.",
        "Ann: Liste.pdf (Datei angehängt)",
        "Ann: IMG-20260113-WA0001.jpg (Datei angehängt)\nSchön!",
        "Ann:",
        "Ann: null",
        "Bob: Ja <Diese Nachricht wurde bearbeitet.>",
        "Bob: a <b> c",
        "Bob: sag <Vorname>",
        "\u202a+49 170 1\u202c: Hi",
    ]
    record = chat("".join(f"{day}{one}\n" for one in said))
    assert [turn["text"] for turn in record["dialogue"]] == [
        "Schön!",
        "Ja",
        "a <b> c",
        "sag <Vorname>",
        "Hi",
    ]
    assert record["dialogue"][-1]["speaker"] == "+49 170 1"
    assert record["history"][-1]["counts"] == {"messages": 5, "notices": 2, "media": 5}


def test_an_iphone_marks_what_it_writes():
    lines = [
        f"[13.01.26, 20:46:00] Wir: {LTR}Nachrichten sind verschlüsselt: niemand liest mit.",
        f"{LTR}[13.01.26, 20:46:01] Ann: {LTR}Bild weggelassen",
        "[13.01.26, 20:46:02] Ann: Hallo",
        f"[13.01.26, 20:46:03] ~{NARROW}Bob: Plan • 2 Seiten {LTR}<Anhang: 1-Plan.pdf>",
        f"[13.01.26, 20:46:04] ~{NARROW}Bob: Da {LTR}<Anhang: 2-PHOTO.jpg>",
        f"[13.01.26, 20:46:05] ~{NARROW}Bob: Ja {LTR}<Bearbeitet>",
    ]
    said = turns("\r\n".join(lines))
    assert [turn[:2] for turn in said] == [("Ann", "Hallo"), ("Bob", "Da"), ("Bob", "Ja")]


def test_a_mark_that_begins_every_text_is_no_sign():
    text = "".join(f"[13.01.26, 20:46:0{n}] دانة: {RTL}مرحبا\n" for n in range(4))
    assert [turn[1] for turn in turns(text)] == ["مرحبا"] * 4


def test_silence_ends_a_conversation():
    times = ["13.01.26, 20:00", "13.01.26, 20:59", "13.01.26, 22:00"]
    text = "".join(f"{time} - Ann: {number}\n" for number, time in enumerate(times))
    found = [record for _, record in whatsapp.read(io.BytesIO(text.encode()), id="us", gap=60)]
    assert [(one["id"], one["cluster"], len(one["dialogue"])) for one in found] == [
        ("us-1", "us", 2),
        ("us-2", "us", 1),
    ]
    assert chat(text, id="us")["id"] == "us"


@each_row(
    "data, reason",
    [
        (b"Dear Ann,\n", "no message of WhatsApp begins so"),
        (b"13.01.26, 20:46 - Ann: null\n", "no message has a text"),
    ],
)
def test_what_is_no_chat_is_refused(data: bytes, reason: str):
    with pytest.raises(RecordError, match=reason):
        list(whatsapp.read(io.BytesIO(data)))


@given(
    st.lists(
        st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=30), min_size=1, max_size=5
    )
)
def test_anything_that_people_write_is_read(said: list[str]):
    text = "".join(f"13.01.26, 20:46 - Ann: {one}\n" for one in [*said, "end"])
    assert chat(text)["dialogue"][-1] == {
        "speaker": "Ann",
        "text": "end",
        "time": "2026-01-13T20:46",
    }


def test_the_file_names_the_record(shell, tmp_path):
    (tmp_path / "Chat with Ann.txt").write_text("13.01.26, 20:46 - Ann: Hi\n")
    (tmp_path / "Bob").mkdir()
    (tmp_path / "Bob" / "_chat.txt").write_text("[13.01.26, 20:46:00] Bob: Hi\n")
    made = shell('dt-convert --lang en "Chat with Ann.txt" Bob/_chat.txt | jq -r .id')
    assert made.out == "Chat with Ann\nBob\n"
    assert shell('dt-convert --lang en - < "Chat with Ann.txt" | jq -r .id').out == "1\n"
