#!/usr/bin/env python3
"""A sample with much of the syntax of Python. é"""
from __future__ import annotations

import os, sys as system
from .sibling import (
    one,
    two as deux,
)


@decorator(1, key="value")
class Sample(Base, metaclass=Meta):
    """A class."""

    limit: int = 0x1F

    def __init__(self, first, *rest, key=None, **others) -> None:
        super().__init__()
        self.names = {name: [i for i in range(10) if i % 2] for name in rest}
        self.first, self.second = first, 1_000.5e3
        # A comment on its own.

        if key is not None and first not in rest:
            self.key = key
        elif not rest:
            pass
        else:
            raise ValueError(f"no {key!r}: {others['a']}" 'and more') from None

    async def run(self):
        async with self.open() as file, other:
            await file.read()
        try:
            yield 1
        except (OSError, ValueError) as error:
            del error
        except Exception:
            return
        else:
            global counter
        finally:
            print("""several
    lines""")


def outer(a, /, b=2, *, c):
    def inner():
        nonlocal a
        return lambda x, y=1: x ** y // 2
    while a < b <= c:
        a += 1; b -= 1
        if a: continue
        break
    for i, (j, k) in enumerate(zip(a, b)): print(i, j, k)
    assert (n := len(a)) > 3, "message"
    return a[1:2, ::3] if a else {**b, 'c': {1, 2}, "d": (1,)}


match command.split():
    case ["go", ("north" | "south") as direction]:
        outer(direction)
    case {"x": 0, **rest} | Sample(key=1):
        pass
    case _:
        x = a \
            + b
result = (yield_ or True) if None else ...
