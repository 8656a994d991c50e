"""How people are called in a language: a file for each language that has customs of its own.

A file is called by the code of its language and defines some of the functions of default.py, which
answers for all other languages, and for what a file leaves out.
"""

import importlib
import os
from types import SimpleNamespace

from dialtools.languages import Language, once_per_language
from dialtools.names.customs import default

_FOLDER = os.path.dirname(__file__)


@once_per_language
def of(language: Language) -> SimpleNamespace:
    """Return the functions of default.py as they are in a language."""
    own = None
    if os.path.isfile(os.path.join(_FOLDER, f"{language.code}.py")):
        own = importlib.import_module(f"{__name__}.{language.code}")
    return SimpleNamespace(
        **{name: getattr(own, name, getattr(default, name)) for name in default.QUESTIONS}
    )
