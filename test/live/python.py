"""Answers test/live/python.ts: each line is a case; for each of its requests the tokens, and what goes out. Of an ``odd``
case what the window refuses is said, in place of that.

A case may be a ``call`` instead: what it does, and hashes of the lines and names in its arguments.
"""

import functools
import importlib.util
import json
import math
import sys
import traceback


@functools.cache
def loaded(file):
    spec = importlib.util.spec_from_file_location("window", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def seen(module, name, given):
    call = module.Call("", name, given, None, 0)
    texts = list(module.texts_in(given))
    lines, names = ([one for text in texts for one in find(text)] for find in (module.lines_in, module.names_in))
    return [module.deed_of(call), sorted(set(lines)), sorted(set(names))]


def answer(case):
    module = loaded(case.get("file", sys.argv[1]))
    if "call" in case:
        yield from seen(module, *case["call"])
        return
    history = case["history"]
    places = {id(message): place for place, message in enumerate(history)}
    given = {key: case[key] for key in ("budget", "knobs", "model", "system", "tools") if key in case}
    for name in ("weights", "cache"):
        if name in case:
            setattr(module, name.upper(), case[name])
    window = module.Window(case["api"], **given)
    for request in case["requests"]:
        at = math.nan if request["at"] is None else request["at"]
        try:
            sent = window.next(history[: request["length"]], at)
        except ValueError as error:
            if "odd" not in case:
                raise
            yield str(error)
            continue
        yield [window.tokens, [places.get(id(message), message) for message in sent]]


for line in sys.stdin:
    try:
        said = list(answer(json.loads(line)))
    except Exception:
        said = traceback.format_exc()
    print(json.dumps(said), flush=True)
