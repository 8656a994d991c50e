"""A figure of matplotlib as SVG within a page: its colours, its ids and its texts are the page's.

Texts stay texts: the page shows every script in the reader's own fonts, and needs none itself.
Colours become variables of the page's style, so that a picture follows the reader's theme.
"""

import io
import re
from html import escape
from typing import Any

from dialtools.html_report import drawing

_COLOURS = {
    drawing.INK: "currentColor",
    drawing.MUTED: "var(--muted)",
    drawing.LINE: "var(--line)",
    **{colour: f"var(--series-{at})" for at, colour in enumerate(drawing.SERIES, 1)},
}
_ID = re.compile(r'(\bid="|href="#|url\(#)([\w-]+)')
_TAG = re.compile(r"<[^>]*>")
_GROUP = re.compile(r'<g id="[^"]*">')
_FONT = re.compile(r"font: (?:[\w ]+ )?([\d.]+px)[^;\"]*")
_FAMILY = re.compile(r"font-family: [^;\"]*;? ?")
_OPENING = re.compile(r"^.*?<svg[^>]*?viewBox=\"([^\"]*)\"[^>]*>", re.DOTALL)
_ASIDE = re.compile(r"<metadata>.*?</metadata>|<style[^>]*>.*?</style>", re.DOTALL)


def drawn(figure: Any, name: str, title: str, description: str) -> str:
    """Return a figure as an <svg> with a title and a description.

    name: begins all ids, so that no two pictures of a page share one.
    """
    made = io.StringIO()
    with drawing.style():
        figure.savefig(made, format="svg", transparent=True)
    text = _ASIDE.sub("", made.getvalue())
    viewed = _OPENING.match(text)
    body = text[viewed.end() :] if viewed else text
    body = _TAG.sub(lambda tag: _restyled(tag[0], name), body)
    box = viewed[1] if viewed else "0 0 440 300"
    return (
        f'<svg class="picture" role="img" viewBox="{box}" stroke-linejoin="round" '
        f'xmlns:xlink="http://www.w3.org/1999/xlink" '
        f'aria-labelledby="{name}-title {name}-text"><title id="{name}-title">{escape(title)}'
        f'</title><desc id="{name}-text">{escape(description)}</desc>{body}'
    )


def _restyled(tag: str, name: str) -> str:
    """Return a tag with ids, fonts and colours of the page; what stands between tags is data."""
    tag = _ID.sub(rf"\g<1>{name}-\g<2>", _GROUP.sub("<g>", tag))
    tag = _FONT.sub(r"font-size: \1", _FAMILY.sub("", tag))
    for colour, variable in _COLOURS.items():
        tag = tag.replace(colour, variable)
    return tag
