"""Ways to spoil a mechanism's JSON, each with its number: the same ones in every run."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from typing import Any

NUMBERS = [
    *(0, -1, 1, 2, 3.5, -0.0, 1e-320, 1e-12, 1e-3, 100.0, 1e9, 1e15, 1e29, -1e29, -1e31, 1e308),
    *(10**400, -(10**25), "inf", "-inf", "nan", 3.141592653589793, 1.5707963267948966),
]
WORDS = [
    *("", " ", "world", "A", "W", "R", "A/turnZ", "\x00", "\ud800", "\u202e", "x" * 300),
    *("fixed", "revolute", "prismatic", "screw", "cylindrical", "universal", "ball", "planar"),
    *("free", "inf", "crank.A", "crank.B", "rocker.C", "ground", "crank"),
]
LISTS = [[], [0.0], [0.0] * 3, [1.0, 2.0, 3.0], [0.0] * 4, [0.0, 0.6, 0.0, 0.8], ["a"], [None]]
ANYTHING = [None, True, False, {}, {"name": "A"}, *NUMBERS, *WORDS, *LISTS]
KINDS = ["fixed", "prismatic", "screw", "cylindrical", "universal", "ball", "planar", "free"]
LIMITS = [[[0.0, 1.0]], [[2.0, 1.0]], [["-inf", "inf"]] * 2, [[-1.0, 1.0]] * 2, [[-4.0, "inf"]]]
JOINT = {
    "kind": KINDS,
    "limits": LIMITS,
    "start": [[0.5], [0.3, 0.1], [0.0, 0.6, 0.0, 0.8], [0.0] * 3, [0.0] * 4],
    "labels": [["turnZ"], ["turnZ", "turnZ"], ["\n"], ["a", "b"]],
    "pitch": NUMBERS,
    "effort": NUMBERS,
    "armature": NUMBERS,
    "stiffness": NUMBERS,
    "swing_limit": NUMBERS,
    "closes_loop": [True, False],
}
"""What may be stated of a joint, whether or not it can be."""
ACTUATOR = {
    "effort": NUMBERS,
    "velocity": NUMBERS,
    "armature": NUMBERS,
    "transmissions": [[], [{"coordinate": "A"}], [{"coordinate": "W", "ratio": 0.0}]],
}
FRAME = {
    "position": [[0.1, 0.0, 0.0], [1e15, 0.0, 0.0], [0.0, 1e29, 0.0], [1e-9, 0.0, 0.0]],
    "rotation": [[0.0] * 4, [0.0, 0.6, 0.0, 0.8], [0.0, 1.0, 0.0, 0.0], [2.0, 0.0, 0.0, 0.0]],
}
TEXTS = ["NaN", "Infinity", "1e999", "9" * 5000, "[" * 100_000, '"', "{", "}", ",", "\ufeff"]


def mutated(text: str, number: int) -> str:
    """The text with one to three things wrong with it."""
    rng = random.Random(number)
    if number % 8 == 0:
        at = rng.randrange(len(text))
        return text[:at] + rng.choice(["", "\x00", *TEXTS]) + text[at + rng.choice([0, 1, 5]) :]
    data = json.loads(text)
    for _ in range(rng.choice([1, 1, 2, 3])):
        rng.choice([state, state, state, change, change, break_up])(data, rng)
    return json.dumps(data)


def places(data: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every value but the root."""
    if at:
        yield at
    items = data.items() if isinstance(data, dict) else enumerate(data)
    for key, value in items:
        if isinstance(value, (dict, list)):
            yield from places(value, (*at, key))
        else:
            yield (*at, key)


def value_at(data: Any, way: tuple[Any, ...]) -> Any:
    for key in way:
        data = data[key]
    return data


def state(data: Any, rng: random.Random) -> None:
    """Say something of a joint, a frame or an actuator."""
    said = [("joints", JOINT), ("joints", JOINT), ("frames", FRAME), ("actuators", ACTUATOR)]
    field, terms = rng.choice(said)
    records = [record for record in data.get(field) or () if isinstance(record, dict)]
    if records:
        term = rng.choice(list(terms))
        rng.choice(records)[term] = copy.deepcopy(rng.choice(terms[term]))


def change(data: Any, rng: random.Random) -> None:
    """Another value of the same type."""
    ways = [way for way in places(data) if not isinstance(value_at(data, way), (dict, list))]
    way = rng.choice(ways)
    number = isinstance(value_at(data, way), (int, float))
    value_at(data, way[:-1])[way[-1]] = rng.choice(NUMBERS if number else WORDS)


def break_up(data: Any, rng: random.Random) -> None:
    """Drop a value, double it, put another in its place."""
    ways = list(places(data))
    way, other = rng.choice(ways), rng.choice(ways)
    inside, what = value_at(data, way[:-1]), rng.randrange(4)
    if what == 0:
        del inside[way[-1]]
    elif what == 1 and isinstance(inside, list):
        inside.append(copy.deepcopy(inside[way[-1]]))
    elif what == 2:
        inside[way[-1]] = copy.deepcopy(value_at(data, other))
    else:
        inside[way[-1]] = copy.deepcopy(rng.choice(ANYTHING))
