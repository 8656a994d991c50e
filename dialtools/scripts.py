"""Classes of letters by how their scripts are written: for the brackets of a pattern of `regex`."""

KATAKANA = r"\p{Katakana}ーｰﾞﾟ"
UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}ー"  # no space between words
JOINED = UNSPACED + r"\p{Hangul}"  # right after a name the next word may begin, or an ending
JOINERS = "\u200c\u200d"  # change the shape of a word, not the word
