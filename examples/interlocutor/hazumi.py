"""A format for dt-convert: Hazumi, Japanese conversations with a wizard whose turns were rated.

    dt-convert --from ./hazumi.py Hazumi1902/elan/*.eaf Hazumi1911/elan/*.eaf

A file of ELAN is a conversation; its id, and the participant's name, is the name of its video.
Each turn of the Wizard has what the participant rated it ("interlocutor") and what the outsiders
did, their mean ("outsider"), from 1 to 7; a turn that somebody marked as unusable has neither.
Marks of fillers and slips, (F あ), and of pauses, |, are taken out of what participants say, and
empty turns are left out.

Source: Komatani and Okada 2021, https://www.nii.ac.jp/dsc/idr/en/rdata/Hazumi/.
"""

import re
from collections.abc import Iterator
from pathlib import PureWindowsPath
from statistics import fmean
from typing import BinaryIO
from xml.etree import ElementTree

from dialtools.plugins.format import Format
from dialtools.system.errors import RecordError

WIZARD = "Wizard"
MARK = re.compile(r"\((?:[A-Z]\d? |\?)?([^()]*)\)")


def read(file: BinaryIO) -> Iterator[tuple[str, dict]]:
    """Yield the record of the conversation."""
    document = ElementTree.parse(file).getroot()
    videos = [medium.get("MEDIA_URL", "") for medium in document.iter("MEDIA_DESCRIPTOR")]
    if not videos:
        raise RecordError("no video, whose name would be the participant's")
    participant = PureWindowsPath(videos[0]).stem
    slots = document.iter("TIME_SLOT")
    times = {slot.get("TIME_SLOT_ID", ""): slot.get("TIME_VALUE", "") for slot in slots}
    tiers = {tier.get("TIER_ID", ""): annotations(tier, times) for tier in document.iter("TIER")}
    ratings = [tier for name, tier in tiers.items() if re.fullmatch(r"UI_[FM]\d+", name)]
    turns = []
    for time, text in tiers["sys_utterance"].items():
        rated = [tier.get(time, "") for tier in (tiers["UI_self"], *ratings)]
        turn = {"speaker": WIZARD, "text": text}
        if all(re.fullmatch("[1-7]", rating) for rating in rated):
            interlocutor, *outsiders = map(int, rated)
            turn |= {"interlocutor": interlocutor, "outsider": fmean(outsiders)}
        turns += [
            turn,
            {"speaker": participant, "text": plain(tiers["user_utterance"].get(time, ""))},
        ]
    dialogue = [turn for turn in turns if turn["text"]]
    yield "1", {"id": participant, "lang": "ja", "dialogue": dialogue}


def annotations(tier: ElementTree.Element, times: dict[str, str]) -> dict[str, str]:
    """Return the texts of a tier, each under the time when its exchange begins."""
    return {
        times[one.get("TIME_SLOT_REF1", "")]: (one.findtext("ANNOTATION_VALUE") or "").strip()
        for one in tier.iter("ALIGNABLE_ANNOTATION")
    }


def plain(text: str) -> str:
    """Return an utterance without marks.

    >>> plain("(F あ)|なるほど(D は)|よろしく")
    'あなるほどはよろしく'
    """
    while (inner := MARK.sub(r"\1", text)) != text:
        text = inner
    return text.replace("|", "").strip()


FORMAT = Format(read)
