"""What JSON cannot carry, told to the window in test/live/python.slow.test.ts: each is one ``ValueError`` of one line."""

import importlib.util
import math
import re
import sys
from types import SimpleNamespace

spec = importlib.util.spec_from_file_location("window", sys.argv[1])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)

round_trip = {"role": "user"}
round_trip["content"] = [round_trip]
deep = 1
for _ in range(500):
    deep = [deep]
odd = [None, {1}, b"bytes", object(), 1 + 2j, SimpleNamespace(role="user"), len, math.nan, 5, "text", True, [], {}]


def says(pattern, ask):
    try:
        ask()
    except ValueError as error:
        assert re.fullmatch(pattern, str(error)), (pattern, str(error))
        return
    raise AssertionError(f"nothing is said: {pattern}")


def words(count):
    return {"role": "user", "content": "word " * count}


for api in ("anthropic", "chat"):
    whole = [words(300), {"role": "assistant", "content": "word"}, words(300), words(9)]
    window, plain = (module.Window(api, 200) for _ in range(2))
    for value in odd:
        says(r"message 1 of the history .*", lambda: window.next([whole[0], value]))
        if not isinstance(value, (list, tuple)):
            says(r"history has to be .*", lambda: window.next(value))
        if value is not None and not isinstance(value, (int, float)):
            says(r"at has to be .*", lambda: window.next(whole, value))
        if not isinstance(value, (str, list, type(None))):
            says(r"message 0 of the history.*", lambda: window.next([{"role": "user", "content": value}]))
    for value in (round_trip, {"role": "user", "content": deep}, {"role": "user", "content": [{1: 2}]}):
        says(r"message 0 of the history is no data that JSON could write", lambda: window.next([value]))
    # As if nothing of that had been told.
    assert window.next(whole, 1) == plain.next(whole, 1) and window.tokens == plain.tokens

    right = {"budget": [5], "preamble": [None, 5], "count": [None, len], "model": [None, "text"], "knobs": []}
    for value in odd:
        for name in right:
            if name == "knobs" and value == {}:
                says(r"knobs: measure has other words .*", lambda: module.Window(api, 9, knobs={}))
            elif not any(value is one for one in right[name]):
                says(rf"{name} has to be .*", lambda: module.Window(api, **{"budget": 9, name: value}))
        says(r"api has to be .*", lambda: module.Window(value, 9))
    says(r"tools has to be .*", lambda: module.Window(api, 9, tools={"a": 1}))
    says(r"system has to be .*", lambda: module.Window(api, 9, system={1}))
    for count in (lambda message: -1, lambda message: "9", lambda message: math.nan, lambda message: None):
        says(r"count has to return .*", lambda: module.Window(api, 9, count=count).next(whole))
    for name in module.KNOBS:
        for value in ("telepathy", "over:much", None, 5, ["drop"]):
            if name == "text" and isinstance(value, str):
                continue
            says(rf"knobs: {name} has other words .*", lambda: module.Window(api, 9, knobs={**module.KNOBS, name: value}))
