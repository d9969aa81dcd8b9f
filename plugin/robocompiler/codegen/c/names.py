"""Names and texts of any language as C identifiers, comments and strings that are safe."""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Collection

WIDTH = 92

_KEYWORDS = """
    asm auto bool break case catch char class const const_cast continue default delete do double
    dynamic_cast else enum explicit export extern false float for friend goto if inline int long
    mutable namespace new operator private protected public register reinterpret_cast restrict
    return short signed sizeof static static_cast struct switch template this throw true try
    typedef typeid typename union unsigned using virtual void volatile wchar_t while and and_eq
    bitand bitor compl not not_eq or or_eq xor xor_eq alignas alignof char8_t char16_t char32_t
    concept consteval constexpr constinit co_await co_return co_yield decltype noexcept nullptr
    requires static_assert thread_local typeof typeof_unqual main linux unix i386
"""
_HEADERS = """
    assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign
    stdarg stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar
    wchar wctype int8 int16 int32 int64 intmax uint8 uint16 uint32 uint64 uintmax
"""
_LOCALS = """
    in out guess goal row rows slot instance status worst ahead off allowed i given wanted real
    null nan infinity huge_val huge_valf math_errhandling errno eof file bufsiz size_t
    stdin stdout stderr
"""
"""What generated functions call their own, and macros of the headers they include."""

RESERVED = frozenset(f"{_KEYWORDS} {_LOCALS}".split())
"""What no argument may be called."""
HEADERS = frozenset(f"{_KEYWORDS} {_HEADERS}".split())
"""What no file may be called, for another would be included instead; nor macros begin with."""


def identifier(text: str, taken: Collection[str]) -> str:
    """A C identifier like a name, none of those taken, whatever their case.

    Accents are dropped; what is no letter or digit of ASCII then becomes an underscore.
    """
    plain = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    name = re.sub(r"[^A-Za-z0-9]+", "_", plain).strip("_")
    if not name or name[0].isdigit():
        name = f"n_{name}".rstrip("_")
    used = {other.lower() for other in taken}
    found, count = name, 2
    while found.lower() in used:
        found, count = f"{name}_{count}", count + 1
    return found


def identifiers(texts: Collection[str], taken: Collection[str]) -> dict[str, str]:
    """An identifier of each name, no two alike; in the order given."""
    found: dict[str, str] = {}
    for text in texts:
        found[text] = identifier(text, {*taken, *found.values()})
    return found


def comment(*paragraphs: str, indent: str = "") -> list[str]:
    """Lines of a comment that says this, whatever it is: nothing in it can end the comment.

    Printable letters stay as they are, in UTF-8; what cannot be printed, such as a mark that turns
    the direction of writing, is escaped.
    """
    lines: list[str] = []
    for place, paragraph in enumerate(paragraphs):
        lines += [""] * (place > 0)
        lines += textwrap.wrap(_harmless(paragraph), WIDTH - len(indent)) or [""]
    # A backslash at the end would join the next line.
    lines = [line + "." * line.endswith("\\") for line in lines]
    if len(lines) == 1:
        return [f"{indent}/* {lines[0]} */"]
    return [f"{indent}/*", *(f"{indent} * {line}".rstrip() for line in lines), f"{indent} */"]


def _harmless(text: str) -> str:
    shown = "".join(
        c if c.isprintable() else " " if c.isspace() else c.encode("unicode_escape").decode()
        for c in text
    )
    while found := re.search(r"\*/|/\*|\?\?", shown):  # no end, no beginning, no trigraph
        shown = f"{shown[: found.start() + 1]} {shown[found.end() - 1 :]}"
    return shown


def string(text: str) -> str:
    """A string literal of its UTF-8 bytes; all but plain characters in octal."""
    plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _-+.,:;()[]=/"
    coded = text.encode(errors="backslashreplace")
    return '"' + "".join(chr(b) if chr(b) in plain else f"\\{b:03o}" for b in coded) + '"'
