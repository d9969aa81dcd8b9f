"""Comments in files of text, and what tells by one that a file is ours."""

from __future__ import annotations

import re
from typing import Any
from xml.etree.ElementTree import Comment, Element

UNHOLDABLE = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What no XML 1.0 file can hold, not even escaped."""


MARK = "Written by RoboCompiler"
"""What each file of text that stands beside models says near its start."""
HEADER = f"{MARK}: the next export of this name replaces this file."


def comment(text: str) -> Element[Any]:
    """A comment: two hyphens would end it, and control characters have no place in it."""
    shown = re.sub("-(?=-)", "- ", UNHOLDABLE.sub("\ufffd", text))
    return Comment(f" {shown} ")
