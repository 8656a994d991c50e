"""What a record says, read once and passed on."""

from dialtools.names.lexicon import Lexicon
from dialtools.records import dialogue


class RecordTexts:
    """A record with what its language knows of names.

    turns, speakers: of its dialogue; [] where there is none.
    strings: (JSON Pointer, text) of all that people read, labels of speakers included.
    whole: the same as one text.
    """

    def __init__(self, record: dict, lexicon: Lexicon) -> None:
        self.record, self.lexicon = record, lexicon
        self.turns = dialogue.turns(record)
        self.speakers = dialogue.speakers(self.turns)
        self.strings = dialogue.strings(record)
        self.whole = "\n".join([text for _, text in self.strings])
