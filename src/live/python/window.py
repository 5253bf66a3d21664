"""What goes out with each request of an agent, by a policy of ctxwin.

    window = Window(api="anthropic", budget=100_000)
    ...
    client.messages.create(messages=window.next(history), ...)

``history`` is your own list of messages, all of it: what has left the window is still in there, and is not sent.
Messages may be taken back; those that stay must not change. What the policy does nothing to goes back as the very
object that came.

The policy is a composition of nine knobs (``KNOBS``): when ``trigger`` says so, by what ``measure`` counts, the units
(``unit``) that nothing protects (``protect``) are taken in an ``order`` until the ``target`` is met; the ``operation``
happens to them, and ``repair`` puts right what that broke. ``ctxwin help compose`` has all words.

Needs Python 3.9 or later and nothing else. It writes no file, and asks no network. A length in characters is one in
UTF-16 code units, as ctxwin counts them, so that a window here is the one that was simulated.
"""

from __future__ import annotations

import json
import math
import re
import time
from collections import deque
from itertools import groupby, takewhile
from typing import Any, Callable, Iterable, Iterator, NamedTuple, Optional, Sequence

__all__ = ["Window"]

# --- the policy ---
KNOBS = {
    "measure": "request",
    "trigger": "over",
    "unit": "message",
    "protect": "last:1",
    "order": "oldest",
    "operation": "drop",
    "target": "watermark",
    "state": "sticky",
    "repair": "pairs",
    "text": "",
    "role": "user",
}
BUDGET = None
MODEL = None
# Coefficients and prices of the prompt cache, for a policy that goes by what messages are worth.
WEIGHTS: dict = {}
CACHE: dict = {}
# --- the policy ---

Message = dict


class Window:
    """The window over one history."""

    def __init__(
        self,
        api: str,
        budget: Optional[int] = BUDGET,
        *,
        model: Optional[str] = MODEL,
        system: Any = None,
        tools: Optional[Sequence[Any]] = None,
        preamble: Optional[int] = None,
        count: Optional[Callable[[Message], int]] = None,
        knobs: dict = KNOBS,
    ) -> None:
        """
        :param api: in whose form the messages are: ``anthropic`` (Messages) or ``chat`` (Chat Completions)
        :param budget: the most tokens that a request should have
        :param model: what the model is called,
        :param system: the system prompt as the API takes it, and
        :param tools: the tools, all three only to be counted
        :param preamble: tokens of system prompt and tools, for who does not give them
        :param count: tokens of a message; default: bytes of the request that the API takes, four to a token
        :raises ValueError: naming what is not as it has to be
        """
        must(isinstance(api, str) and api in FORMS, f"api has to be one of {', '.join(FORMS)}")
        must(is_number(budget) and budget > 0, "budget has to be a number of tokens above 0")
        must(preamble is None or is_number(preamble), "preamble has to be a number of tokens")
        must(model is None or isinstance(model, str), "model has to be a name")
        must(is_plain(system), "system has to be data that JSON could write")
        must(tools is None or (isinstance(tools, (list, tuple)) and is_plain(tools)), "tools has to be a list of data")
        must(count is None or callable(count), "count has to be a function of a message")
        must(isinstance(knobs, dict), "knobs has to be a dict")
        self._form: Form = FORMS[api]()
        self._start: Callable[[], Policy] = lambda: POLICY(
            knobs, Request(self._form, budget, Counter(self._form, model, system, tools, preamble, count))
        )
        #: How many messages the history had at each request, and when that was.
        self._requests: list[tuple[int, float]] = []
        #: The history of the latest request.
        self._known: list[Message] = []
        self._start_anew([])

    def next(self, history: Sequence[Message], at: Optional[float] = None) -> list[Message]:
        """What to send now.

        :param history: all messages of the conversation, as they came
        :param at: when the request goes out, in seconds since the epoch; default: now
        :raises ValueError: naming what is not as it has to be; the window then goes on as if it had not been asked
        """
        must(isinstance(history, (list, tuple)), "history has to be a list of messages")
        must(at is None or isinstance(at, (int, float)), "at has to be a number of seconds")
        pairs = enumerate(zip(history, self._known))
        most = min(len(history), len(self._known))
        same = next((at for at, (new, old) in pairs if new is not old and new != old), most)
        for place in range(same, len(history)):
            check(history[place], f"message {place} of the history", self._form)
        before = list(self._requests)
        try:
            if same < len(self._known):
                self._start_anew([request for request in self._requests if request[0] <= same])
            if not self._requests or self._requests[-1][0] != len(history):
                self._requests.append((len(history), time.time() if at is None else at))
            for length, asked in self._requests[self._made :]:
                self._go_on(history[len(self._read) : length], asked)
            sent = self._sent()
        except Exception:
            # A count of the caller's own failed: nothing was sent, and whoever mends it may ask again.
            self._start_anew(before)
            raise
        self._known = list(history)
        return sent

    @property
    def tokens(self) -> int:
        """Tokens of the latest request, as they are counted here."""
        return self._policy.window.tokens

    def _start_anew(self, requests: list[tuple[int, float]]) -> None:
        self._requests = requests
        self._made = 0
        self._read: list[Message] = []
        self._entries: list[Entry] = []
        self._calls = Calls()
        self._policy = self._start()
        self._exchange = -1
        self._responses = 0
        self._now = self._asked = math.nan
        #: Messages before the request that waits for its response.
        self._waiting = -1
        #: The chat messages in front of everything else, which always stay.
        self._head: Optional[list[Message]] = [] if self._form.has_head else None

    def _go_on(self, messages: Iterable[Message], at: float) -> None:
        """What has come since the request before, and now a request."""
        self._now = at
        for message in messages:
            if self._head is not None and message.get("role") in ("system", "developer"):
                self._head.append(message)
            else:
                self._settle()
                for role, value, is_prompt in self._form.read(message):
                    self._come(Entry(len(self._entries), role, value, is_prompt, len(self._read)))
            self._read.append(message)
        self._settle()
        self._ask()
        self._made += 1

    def _settle(self) -> None:
        if self._head is not None:
            self._policy.window.lead(self._head)
            self._head = None

    def _come(self, entry: Entry) -> None:
        if entry.is_prompt:
            if self._exchange >= 0:
                self._policy.occasion("end", self._idle())
            self._exchange += 1
            self._calls.forget_answered()
        if entry.role == "assistant":
            self._ask()
            self._waiting = -1
            self._responses += 1
        entry.exchange = self._exchange
        self._calls.bind(entry, self._form)
        self._entries.append(entry)
        window = self._policy.window
        window.append(entry)
        if self._policy.refuses(entry):
            window.drop(entry)
        else:
            self._policy.message(entry)

    def _ask(self) -> None:
        """A request goes out; asked again before another message came, the policy does not act a second time."""
        if self._waiting == len(self._entries):
            return
        self._policy.request(self._idle())
        self._waiting = len(self._entries)
        self._asked = self._now

    def _idle(self) -> float:
        seconds = self._now - self._asked
        return 0 if self._responses == 0 or math.isnan(seconds) else max(0, seconds)

    def _sent(self) -> list[Message]:
        """The messages of the request: the history's own objects, but for what the policy changed or put in."""
        first = self._entries[0].element if self._entries else len(self._read)
        sent = list(self._read[:first])
        groups: list[list[Entry]] = []
        for entry in self._policy.window:
            if groups and entry.element is not None and groups[-1][0].element == entry.element:
                groups[-1].append(entry)
            else:
                groups.append([entry])
        for group in groups:
            sent.extend(self._written(group))
        return self._form.joined(sent)

    def _written(self, group: list[Entry]) -> list[Message]:
        element = group[0].element
        if element is None:
            return [] if self._form.is_empty(group[0]) else [self._form.message(group[0], group[0].value)]
        first, last = group[0].index, group[-1].index
        is_whole = (
            all(entry.value is entry.original for entry in group)
            and (first == 0 or self._entries[first - 1].element != element)
            and (last + 1 == len(self._entries) or self._entries[last + 1].element != element)
            and len(group) == last - first + 1
        )
        if is_whole:
            return [self._read[element]]
        left = [entry for entry in group if entry.role == "tool" or not self._form.is_empty(entry)]
        return [self._form.partial(self._read[element], left)] if left else []


# --- messages ---


class Call:
    """A call of a tool, the ``place``-th of its message."""

    def __init__(self, id: str, name: str, input: Any, maker: Entry, place: int) -> None:
        self.id, self.name, self.input, self.maker, self.place = id, name, input, maker, place
        #: Its id in a request, which has one of its own for each.
        self.own_id = id


class Shape(NamedTuple):
    """What tells how a message is joined with those in front of it: its role, and of an answer what it has."""

    role: str
    has_calls: bool = False
    has_text: bool = False


#: What stands in front of the first message.
NOTHING = Shape("")


class Entry:
    """A message of the history, or one that the policy put in: an element of a doubly linked list.

    Results of parallel calls may share one message of the API; each is an entry of its own, with the same ``element``.
    """

    def __init__(
        self, index: int, role: str, value: Any, is_prompt: bool = False, element: Optional[int] = None
    ) -> None:
        #: Place in the history; -1 for what the policy put in.
        self.index = index
        self.role = role
        #: In the API's form: as it goes out, and as it came.
        self.value = self.original = value
        #: It starts an exchange.
        self.is_prompt = is_prompt
        self.element = element
        self.exchange = -1
        self.calls: list[Call] = []
        #: The call that a result answers, its id in a request, and its tool.
        self.answers: Optional[Call] = None
        self.call_id = ""
        self.tool = ""
        self.shape = NOTHING
        self.size = 0
        #: What it adds beyond its size, and what the request ends with behind it; None while it is not inside.
        self.join = 0
        self.end: Optional[Shape] = None
        self.inside = False
        self.previous: Optional[Entry] = None
        self.next: Optional[Entry] = None


class Calls:
    """Finds out which call a result answers, even if ids are missing or are given again."""

    def __init__(self) -> None:
        self._known: dict[str, Call] = {}
        self._answered: dict[str, Call] = {}
        #: Calls of the newest step without a result.
        self._open: list[Call] = []
        self._has_ended = False
        self._made = 0

    def forget_answered(self) -> None:
        """Later exchanges may number their calls anew."""
        self._answered.clear()

    def bind(self, entry: Entry, form: Form) -> None:
        if entry.role == "assistant":
            if self._has_ended:
                self._open = []
            self._has_ended = False
            for place, (id, name, input) in enumerate(form.calls(entry.value)):
                call = Call(id, name, input, entry, place)
                if not id or any(other.own_id == id for other in self._open):
                    call.own_id = f"unnamed:{self._made}"
                self._made += 1
                self._known[call.own_id] = call
                entry.calls.append(call)
                self._open.append(call)
        elif entry.role != "system":
            self._has_ended = True
        if entry.role == "tool":
            id, name = form.answered(entry.value)
            entry.call_id = self._own_id(id, name)
            if entry.call_id in self._known:
                self._answered[entry.call_id] = self._known.pop(entry.call_id)
            entry.answers = self._answered.get(entry.call_id)
            entry.tool = name or (entry.answers.name if entry.answers else "")

    def _own_id(self, id: str, name: Optional[str]) -> str:
        """Of the call that a result answers."""
        if id:
            found = [call for call in self._open if call.id == id]
        else:
            found = [call for call in self._open if call.name == name] or self._open
        if not found:
            return id
        call = found[0]
        self._open.remove(call)
        return call.own_id


class Form:
    """How an API writes messages. The value of an entry is what its API has of it."""

    #: The leading system messages always stay.
    has_head = False
    #: The roles of its messages, and the types of what is read of one, where it is there.
    roles: Any = ("system", "user", "assistant")
    types: dict[str, Any] = {"content": (str, list, type(None))}

    def knows(self, message: Message) -> bool:
        return isinstance(message.get("role"), str) and message["role"] in self.roles

    def text(self, entry: Entry) -> str:
        return "\n".join(texts(self.content(entry.value)))

    def is_empty(self, entry: Entry) -> bool:
        """An API refuses such a message."""
        content = self.content(entry.value)
        if self.calls(entry.value) or self.has_thinking(entry.value) or any(is_media(part) for part in items(content)):
            return False
        return not any(map(bare, texts(content)))


class Anthropic(Form):
    """The Messages API: results of tools are blocks of user messages. A value is the content of a message."""

    #: Of each kind of part what a request has of it.
    fields = {
        "text": ("text", "citations"),
        "thinking": ("thinking", "signature"),
        "redacted_thinking": ("data",),
        "image": ("source",),
        "document": ("source", "title", "context", "citations"),
        "search_result": ("source", "title", "content", "citations"),
        "tool_reference": ("tool_name",),
        "tool_use": ("id", "name", "input", "caller"),
        "tool_result": ("tool_use_id", "content", "is_error"),
        "server_tool_use": ("id", "name", "input", "caller"),
        "web_search_tool_result": ("tool_use_id", "content", "caller"),
        "web_fetch_tool_result": ("tool_use_id", "content", "caller"),
        "code_execution_tool_result": ("tool_use_id", "content"),
        "bash_code_execution_tool_result": ("tool_use_id", "content"),
        "text_editor_code_execution_tool_result": ("tool_use_id", "content"),
        "tool_search_tool_result": ("tool_use_id", "content"),
        "container_upload": ("file_id",),
    }
    server_tools = (
        *("web_search", "web_fetch", "code_execution", "bash_code_execution", "text_editor_code_execution"),
        *("tool_search_tool_regex", "tool_search_tool_bm25"),
    )
    media_types = {
        "image": ("image/jpeg", "image/png", "image/gif", "image/webp"),
        "document": ("application/pdf",),
    }
    tool_fields = (
        *("type", "name", "description", "strict", "allowed_callers", "defer_loading", "eager_input_streaming"),
        "input_examples",
    )

    def knows(self, message: Message) -> bool:
        return super().knows(message) and isinstance(message.get("content"), (str, list))

    def body(
        self, messages: Sequence[Message], system: Any = None, tools: Any = None, model: Optional[str] = None
    ) -> dict:
        """A request as it is counted: what the API publishes of these, and nothing that it refuses."""
        turns = [{"role": one["role"], "content": self._whole(self._sent(one["content"]))} for one in messages]
        beside = {
            "model": model,
            "system": self._sent(system),
            "tools": [one for tool in tools or () for one in self._tool(tool)],
        }
        return {
            # The most that any model answers.
            "max_tokens": 4096,
            **{key: value for key, value in beside.items() if value not in (None, [])},
            "messages": self.joined([turn for turn in turns if turn["content"]]),
        }

    def _sent(self, content: Any) -> list[dict]:
        """What a request has of a content."""
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
        known = parts if isinstance(parts, (list, tuple)) else ()
        return [sent for part in known if is_kind(part, *self.fields) for sent in self._sent_part(part)]

    def _sent_part(self, part: dict) -> Iterator[dict]:
        kind = part["type"]
        sent = pick(part, "type", *self.fields[kind])
        if kind == "text":
            if not isinstance(sent.get("text"), str) or not bare(sent["text"]):
                return
            if isinstance(sent.get("citations"), list):
                # An answer says in which file each stands, and a request may not.
                sent["citations"] = [without(one, "file_id") for one in sent["citations"]]
        elif kind == "thinking":
            if not next(strings(sent, "signature"), ""):
                return
            sent.setdefault("thinking", "")
        elif kind == "server_tool_use":
            if sent.get("name") not in self.server_tools:
                return
        elif kind == "tool_use":
            sent.update(id=plain_id(sent.get("id", "")), input=sent.get("input", {}))
        elif kind == "tool_result":
            content = sent.pop("content", None)
            is_error = sent.pop("is_error", None)
            sent["tool_use_id"] = plain_id(sent.get("tool_use_id", ""))
            if isinstance(content, list):
                content = [one for one in content if not is_kind(one, "tool_result")]
            inner = self._sent(content)
            if inner:
                sent.update({"content": inner, **({"is_error": True} if is_error is True else {})})
        elif kind in self.media_types:
            source = sent.get("source")
            is_whole = next(strings(source, "data"), "") and source.get("media_type") in self.media_types[kind]
            if not isinstance(source, dict) or (is_kind(source, "base64") and not is_whole):
                sent = {"type": "text", "text": f"[{kind}]"}
        yield sent

    @staticmethod
    def _whole(parts: list[dict]) -> list[dict]:
        """Of calls of what the API runs itself, and of their results, those that have the other."""
        made = [part.get("id") for part in parts if is_kind(part, "server_tool_use")]
        answered = [part.get("tool_use_id") for part in parts if part["type"].endswith("_tool_result")]

        def is_whole(part: dict) -> bool:
            if is_kind(part, "server_tool_use"):
                return part.get("id") in answered
            return not part["type"].endswith("_tool_result") or part.get("tool_use_id") in made

        return list(filter(is_whole, parts))

    def _tool(self, tool: Any) -> Iterator[dict]:
        """What a request has of a tool. One of Anthropic's own has a type and no schema."""
        own = tool if isinstance(tool, dict) else {}
        type = next(strings(own, "type"), "")
        is_beta = re.search(r"^(?:advisor|computer)_\d|_20241022\Z", type, re.A) is not None
        if isinstance(own.get("input_schema"), dict):
            yield {**pick(own, *self.tool_fields), "input_schema": {"type": "object", **own["input_schema"]}}
        elif re.search(r"_20\d{6}\Z", type, re.A) and not is_beta:
            yield without(own, "cache_control")
        else:
            for named, schema in functions(tool):
                yield {**named, "input_schema": {"type": "object", **schema}}

    def read(self, message: Message) -> Iterator[tuple[str, Any, bool]]:
        """Role and value of each entry, and whether it is a prompt. Text beside results, typed meanwhile, is none."""
        role, content = message["role"], message["content"]
        if role != "user" or isinstance(content, str) or not any(is_kind(part, "tool_result") for part in content):
            yield role, content, role == "user" and not is_written_result(content)
            return
        for is_result, run in groupby(content, lambda part: is_kind(part, "tool_result")):
            if is_result:
                yield from (("tool", [part], False) for part in run)
            else:
                yield "user", list(run), False

    def shape(self, entry: Entry) -> Shape:
        # Few models take a system message there, so a notice is none.
        is_kept = entry.role == "assistant" or (entry.role == "system" and entry.element is not None)
        return Shape(entry.role if is_kept else "user")

    def sample(self, shape: Shape) -> Message:
        """A short message of that shape."""
        return {"role": shape.role, "content": "x"}

    def message(self, entry: Entry, value: Any) -> Message:
        """As the API has an entry that is a message by itself."""
        return {
            "role": self.shape(entry).role,
            "content": value if value is entry.original else list(self._anew(entry, value)),
        }

    def note(self, role: str, text: str) -> Any:
        """The value of a message of the policy's own."""
        return [{"type": "text", "text": text}]

    def calls(self, value: Any) -> list[tuple[str, str, Any]]:
        """Id, name and input of each call."""
        parts = [part for part in items(value) if is_kind(part, "tool_use")]
        return [(part.get("id", ""), part.get("name", ""), part.get("input", {})) for part in parts]

    def answered(self, value: Any) -> tuple[str, Optional[str]]:
        """Of a result the id of its call, and the name of its tool where it says that."""
        return value[0].get("tool_use_id", ""), None

    def content(self, value: Any) -> Any:
        return value

    def with_text(self, value: Any, text: str) -> Any:
        """A result that reads otherwise."""
        return [{**value[0], "content": [{"type": "text", "text": text}]}]

    def without_inputs(self, value: Any, place: Optional[int] = None) -> Any:
        """``place``: of which call; None: of all."""
        made = [at for at, part in enumerate(value) if is_kind(part, "tool_use")]
        cleared = made if place is None else [made[place]]
        return [{**part, "input": {}} if at in cleared else part for at, part in enumerate(value)]

    def has_thinking(self, value: Any) -> bool:
        return any(is_thought(part) for part in items(value))

    def without_thinking(self, value: Any) -> Any:
        """None where nothing else is in it."""
        return [part for part in value if not is_thought(part)] or None

    def partial(self, element: Message, left: list[Entry]) -> Message:
        """What is left of a message."""
        return {**element, "content": [part for entry in left for part in self._parts(entry.value)]}

    def joined(self, messages: list[Message]) -> list[Message]:
        """Messages that did not stand side by side before, as the API takes them: results come first in one."""
        whole: list[Message] = []
        for message in messages:
            if whole and whole[-1]["role"] == message["role"]:
                parts = [*self._parts(whole[-1]["content"]), *self._parts(message["content"])]
                whole[-1] = {**whole[-1], "content": sorted(parts, key=lambda part: not is_kind(part, "tool_result"))}
            else:
                whole.append(message)
        return whole

    def _anew(self, entry: Entry, value: Any) -> Iterator[dict]:
        """What was changed, as ctxwin writes it."""
        ids = iter([call.own_id for call in entry.calls])
        for part in value:
            kept = without(part, "citations", "caller", "title", "context")
            if is_kind(part, "tool_use"):
                yield {**kept, "id": next(ids)}
            elif is_kind(part, "tool_result"):
                yield {**kept, "tool_use_id": entry.call_id}
            else:
                is_known = is_kind(part, "text", "thinking", "redacted_thinking", *self.media_types)
                yield kept if is_known else {"type": "text", "text": told(part)}

    @staticmethod
    def _parts(content: Any) -> list[dict]:
        return [part if isinstance(part, dict) else {"type": "text", "text": told(part)} for part in items(content)]


class Chat(Form):
    """Chat Completions: a value is the whole message. The methods are those of ``Anthropic``."""

    has_head = True
    others = {"developer": "system", "function": "tool"}
    roles = (*Form.roles, "tool", *others)
    types = {
        **Form.types,
        "tool_call_id": str,
        # Calls as they were before there were tools are not read.
        "function_call": type(None),
        **dict.fromkeys(("name", "reasoning_content", "reasoning"), (str, type(None))),
        **dict.fromkeys(("tool_calls", "reasoning_details", "thinking_blocks"), (list, type(None))),
    }
    thoughts = ("reasoning_content", "reasoning", "reasoning_details", "thinking_blocks")
    media = {"image_url": "image", "input_audio": "audio", "file": "file"}
    #: The kinds of parts that each role may have.
    kinds = {"user": ("text", *media), "assistant": ("text", "refusal")}
    tool_fields = {
        "function": ("name", "description", "parameters", "strict"),
        "custom": ("name", "description", "format"),
    }

    def body(
        self, messages: Sequence[Message], system: Any = None, tools: Any = None, model: Optional[str] = None
    ) -> dict:
        leading = [] if messages or not isinstance(system, str) else [{"role": "system", "content": system}]
        whole: list[Message] = []
        for message in [*leading, *messages]:
            for sent in self._sent(message):
                if whole and whole[-1]["role"] == sent["role"] == "assistant":
                    whole[-1] = self._both(whole[-1], sent)
                else:
                    whole.append(sent)
        given = [one for tool in tools or () for one in self._tool(tool)]
        return {
            **({} if model is None else {"model": model}),
            "messages": whole,
            **({"tools": given} if given else {}),
        }

    def _sent(self, message: Message) -> Iterator[Message]:
        """What a request has of a message. An answer is one text, and needs one or calls."""
        role = message["role"]
        content = self._sent_content(role, message.get("content"))
        sent = {**pick(message, "role", "name"), "content": content}
        if role == "tool":
            yield {"role": role, "tool_call_id": plain_id(message["tool_call_id"]), "content": content}
        elif role != "assistant":
            yield sent
        else:
            parts = [{"text": content}] if isinstance(content, str) else content
            text = "\n".join(part.get("text", part.get("refusal")) for part in parts)
            calls = list(map(self._sent_call, self._made(message)))
            sent.update({**pick(message, "refusal"), **({"tool_calls": calls} if calls else {})})
            if text or calls or "refusal" in sent:
                yield {**sent, "content": text or (None if calls else "")}

    def _sent_content(self, role: str, content: Any) -> Any:
        if not isinstance(content, list):
            return content or ""
        sent = []
        for part in content:
            kind = part.get("type") if isinstance(part, dict) else None
            if isinstance(part, str):
                sent.append({"type": "text", "text": part})
            elif kind in self.kinds.get(role, ("text",)) and kind in part:
                # Of a picture only its type may have been recorded.
                url = next(strings(part[kind], "url"), "") if kind == "image_url" else ""
                is_whole = not url.endswith(";base64,")
                sent.append(pick(part, "type", kind) if is_whole else {"type": "text", "text": "[image]"})
            elif kind in self.media and kind in part:
                sent.append({"type": "text", "text": f"[{self.media[kind]}]"})
        return sent or ""

    @staticmethod
    def _sent_call(call: dict) -> dict:
        id = plain_id(call["id"])
        if isinstance(call.get("custom"), dict):
            return {"id": id, "type": "custom", "custom": pick(call["custom"], "name", "input")}
        made = call["function"]
        arguments = arguments_of(made.get("arguments", {}))
        return {"id": id, "type": "function", "function": {"name": made["name"], "arguments": arguments}}

    @staticmethod
    def _both(one: Message, other: Message) -> Message:
        """Answers side by side are one: results have to follow the message that has all their calls."""
        said = [message["content"] for message in (one, other) if message["content"] is not None]
        calls = [call for message in (one, other) for call in message.get("tool_calls", ())]
        content = "\n".join(said) if said else None
        return {**one, **other, "content": content, **({"tool_calls": calls} if calls else {})}

    def _tool(self, tool: Any) -> Iterator[dict]:
        own = tool if isinstance(tool, dict) else {}
        type = next(strings(own, "type"), "")
        if type in self.tool_fields and isinstance(own.get(type), dict):
            yield {"type": type, type: pick(own[type], *self.tool_fields[type])}
        else:
            for named, schema in functions(tool):
                yield {"type": "function", "function": {**named, "parameters": schema}}

    def read(self, message: Message) -> Iterator[tuple[str, Any, bool]]:
        role = self.others.get(message["role"], message["role"])
        yield role, message, role == "user"

    def shape(self, entry: Entry) -> Shape:
        if entry.role != "assistant":
            return Shape(entry.role)
        return Shape(entry.role, len(entry.calls) > 0, self.text(entry) != "")

    def sample(self, shape: Shape) -> Message:
        call = {"id": "x", "function": {"name": "x"}}
        has_text = shape.has_text or not shape.has_calls
        made = {"tool_calls": [call]} if shape.has_calls else {}
        return {"role": shape.role, "content": "x" if has_text else None, "tool_call_id": "x", **made}

    def message(self, entry: Entry, value: Any) -> Message:
        message, calls = value, self._made(value)
        if value is not entry.original or value["role"] == "function":
            # As ctxwin writes what was changed, or what the API has no more.
            message = {"role": entry.role, "content": self._plain(value)["content"]}
            calls = [{"function": {"name": name, "arguments": given}} for _, name, given in self.calls(value)]
        if entry.role == "tool":
            return {**message, "tool_call_id": entry.call_id}
        if entry.calls:
            return {**message, "tool_calls": [{**call, "id": one.own_id} for call, one in zip(calls, entry.calls)]}
        return message

    def note(self, role: str, text: str) -> Any:
        return {"role": role, "content": text}

    def calls(self, value: Any) -> list[tuple[str, str, Any]]:
        calls = [(call.get("id") or "", call.get("function") or call.get("custom") or {}) for call in self._made(value)]
        return [(id, made.get("name", ""), made.get("arguments", made.get("input", ""))) for id, made in calls]

    def answered(self, value: Any) -> tuple[str, Optional[str]]:
        return value.get("tool_call_id") or "", value.get("name")

    def content(self, value: Any) -> Any:
        """Where programs keep a text under other names, it is the text."""

        def said(part: Any) -> Any:
            found = [part.get(key) for key in ("text", "value", "refusal")] if isinstance(part, dict) else []
            return next((text for text in found if isinstance(text, str)), part)

        return [part if is_media(part) or is_thought(part) else said(part) for part in items(value.get("content"))]

    def with_text(self, value: Any, text: str) -> Any:
        return {**value, "content": text}

    def without_inputs(self, value: Any, place: Optional[int] = None) -> Any:
        calls = list(self._made(value))
        for at in range(len(calls)) if place is None else [place]:
            key, field = ("custom", "input") if calls[at].get("custom") else ("function", "arguments")
            calls[at] = {**calls[at], key: {**calls[at][key], field: "{}"}}
        return {**self._plain(value), "tool_calls": calls}

    def has_thinking(self, value: Any) -> bool:
        parts = items(value.get("content"))
        return any(value.get(key) for key in self.thoughts) or any(is_thought(part) for part in parts)

    def without_thinking(self, value: Any) -> Any:
        left = {key: part for key, part in value.items() if key not in self.thoughts}
        left["content"] = [part for part in items(left.get("content")) if not is_thought(part)]
        return self._plain(left) if left["content"] or self._made(left) else None

    def partial(self, element: Message, left: list[Entry]) -> Message:
        return left[0].value

    def joined(self, messages: list[Message]) -> list[Message]:
        return messages

    @staticmethod
    def _made(value: Any) -> list[Any]:
        return value.get("tool_calls") or []

    def _plain(self, value: Any) -> Any:
        """With its content as one text, null beside calls."""
        text = "\n".join(texts(self.content(value)))
        return {**value, "content": text or (None if self._made(value) else "")}


FORMS = {"anthropic": Anthropic, "chat": Chat}


# --- what is told ---

#: Nothing that goes to an API nests deeper.
DEEPEST = 100
NONE = type(None)
#: The types of what is read of a part, where it is there.
PARTS: dict[str, dict[str, Any]] = {
    "text": {"text": str},
    "refusal": {"refusal": str},
    "tool_use": {"id": str, "name": str, "input": dict},
    "tool_result": {"tool_use_id": str, "content": (str, list, NONE), "is_error": (bool, NONE)},
    "thinking": {"thinking": str, "text": str, "value": str, "signature": str},
    "redacted_thinking": {"data": str},
    "reasoning": {"thinking": str, "text": str, "value": str},
    "image": {"source": dict},
    "document": {"source": dict},
    "image_url": {"image_url": (dict, str)},
    "input_audio": {"input_audio": dict},
    "file": {"file": dict},
}


def must(holds: bool, words: str) -> None:
    if not holds:
        raise ValueError(words)


def is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < math.inf


def is_plain(value: Any, levels: int = DEEPEST) -> bool:
    """Whether JSON could write it."""
    if isinstance(value, (dict, list, tuple)):
        has_names = not isinstance(value, dict) or all(isinstance(key, str) for key in value)
        inner = value.values() if isinstance(value, dict) else value
        return levels > 0 and has_names and all(is_plain(one, levels - 1) for one in inner)
    return value is None or isinstance(value, (str, int, float))


def check(message: Any, place: str, form: Form) -> None:
    """Whatever reads a message on need not ask what it is."""
    parts = items(message.get("content")) if isinstance(message, dict) else [message]
    # Clients of the APIs return objects, which have neither keys nor a length in JSON.
    if any(hasattr(part, "to_dict") for part in parts):
        raise ValueError(f"{place} and the parts of its content are dicts: append what to_dict() gives of a response")
    must(isinstance(message, dict) and is_plain(message), f"{place} is no data that JSON could write")
    must(form.knows(message), f"{place} is none that this API knows")
    check_types(message, form.types, place)
    check_parts(message.get("content"), f"{place}: content")
    for call in items(message.get("tool_calls")):
        is_call = isinstance(call, dict) and call.get("type", "function") in ("function", "custom")
        must(is_call, f"{place}: a call is none that this API knows")
        check_types(call, {"id": str, "function": dict, "custom": dict}, f"{place}: a call")
        made = call.get("function") or call.get("custom") or {}
        must("name" in made, f"{place}: a call has no name")
        check_types(made, {"name": str, "arguments": (str, dict), "input": str}, f"{place}: a call")


def check_types(value: dict, types: dict[str, Any], place: str) -> None:
    for key, expected in types.items():
        must(key not in value or isinstance(value[key], expected), f"{place}: {key} is of another type")


def check_parts(parts: Any, place: str) -> None:
    for part in items(parts):
        if not isinstance(part, dict):
            continue
        known = PARTS.get(part["type"], {}) if isinstance(part.get("type"), str) else {}
        must(not is_kind(part, "text") or "text" in part, f"{place}: a text has no text")
        check_types(part, known, place)
        inner = part["source"] if is_kind(part, "document") and part.get("source") else part
        check_types(inner, {"type": str}, place)
        check_parts(inner.get("content") if is_kind(part, "tool_result", "document") else None, place)


# --- parts ---


def items(content: Any) -> list[Any]:
    return [] if content is None else content if isinstance(content, list) else [content]


def pick(value: dict, *keys: str) -> dict:
    """What it has of these."""
    return {key: value[key] for key in keys if value.get(key) is not None}


def without(value: Any, *keys: str) -> dict:
    return {key: one for key, one in value.items() if key not in keys} if isinstance(value, dict) else {}


def strings(given: Any, *keys: str) -> Iterator[str]:
    """What stands under these keys, if it is a text and not empty."""
    found = (given.get(key) for key in keys) if isinstance(given, dict) else ()
    return (text for text in found if isinstance(text, str) and text)


#: What JavaScript takes for white space.
SPACE = "\t\n\v\f\r \xa0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff" + "".join(map(chr, range(0x2000, 0x200B)))


def bare(text: str) -> str:
    return text.strip(SPACE)


def plain_id(id: Any) -> str:
    """In the characters that an API takes."""
    return re.sub(r"[^\w-]", lambda found: "_" * length(found[0]), told(id), flags=re.A)


def parsed(text: str) -> Any:
    """What a text is as JSON. What is none, or nests too deep, is itself."""
    try:
        # Python alone reads NaN and Infinity, which are no ``int``.
        read = json.loads(text, parse_constant=int)
    except (ValueError, RecursionError):
        return text
    return read if is_plain(read) else text


def arguments_of(given: Any) -> str:
    """The arguments of a call as the JSON of an object, which many servers demand."""
    if isinstance(given, dict):
        return compact(given)
    text = given or "{}"
    read = parsed(text)
    return text if isinstance(read, dict) else compact({"input": read})


def functions(tool: Any) -> Iterator[tuple[dict, dict]]:
    """The functions that a tool in the form of any API declares: name and description, and the schema."""
    if not isinstance(tool, dict):
        return
    if isinstance(tool.get("functionDeclarations"), list):
        for declared in tool["functionDeclarations"]:
            yield from functions(declared)
        return
    spec = tool["function"] if isinstance(tool.get("function"), dict) else tool
    schemas = pick(spec, "parameters", "input_schema", "parametersJsonSchema", "inputSchema")
    schema = next(iter(schemas.values()), None)
    if isinstance(spec.get("name"), str) and isinstance(schema, dict):
        described = next(strings(spec, "description"), "")
        yield {"name": spec["name"], **({"description": described} if described else {})}, schema


def told(part: Any) -> str:
    return part if isinstance(part, str) else compact(part)


def is_kind(part: Any, *kinds: str) -> bool:
    return isinstance(part, dict) and part.get("type") in kinds


def is_thought(part: Any) -> bool:
    return is_kind(part, "thinking", "redacted_thinking", "reasoning")


def is_media(part: Any) -> bool:
    return is_kind(part, "image", "document", "image_url", "input_audio", "file")


def is_written_result(content: Any) -> bool:
    """A tool's result as a text, as agents write it whose calls are XML: ``[read_file for 'a.md'] Result:``."""
    first, text = next(texts(items(content)[:1]), ""), "\n".join(texts(content))
    return re.match(r"\[\w+(?: for [^\n]*)?\] Result:", first) is not None and "<feedback>" not in text


def texts(content: Any) -> Iterator[str]:
    """The texts in a content; of a part without one, which is no call, thought or picture, its JSON."""
    for part in items(content):
        if isinstance(part, str):
            yield part
        elif is_kind(part, "tool_result"):
            yield from texts(part.get("content"))
        elif is_kind(part, "document") and (part.get("source") or {}).get("type") in ("text", "content"):
            yield from texts(part["source"].get("data") or part["source"].get("content"))
        elif not (is_media(part) or is_thought(part) or is_kind(part, "tool_use")):
            yield part["text"] if is_kind(part, "text") else compact(part)


# --- counting ---


def compact(value: Any) -> str:
    """JSON as JavaScript writes it."""
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, dict):
        return "{" + ",".join(f"{quoted(key)}:{compact(member)}" for key, member in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(map(compact, value)) + "]"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return number(value)
    return json.dumps(value)


quoted = json.encoder.encode_basestring


def number(value: float) -> str:
    """To JavaScript 1.0 is 1, and it has doubles only, with an exponent from 1e21 and below 1e-6 on."""
    if isinstance(value, int) and abs(value) <= 2**53:
        return str(value)
    try:
        value = float(value)
    except OverflowError:
        return "null"
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else "null"
    sign = "-" if value < 0 else ""
    digits, _, exponent = repr(abs(value)).partition("e")
    power = int(exponent or 0)
    if exponent == "":
        digits = digits[:-2] if digits.endswith(".0") else digits
    elif not -7 < power < 21:
        digits += f"e{power:+d}"
    elif power > 0:
        digits = digits.replace(".", "").ljust(power + 1, "0")
    else:
        digits = f"0.{'0' * (-power - 1)}{digits.replace('.', '')}"
    return sign + digits


def size_of(value: Any) -> int:
    """Bytes of the JSON in UTF-8; a lone surrogate is written as an escape of six."""
    return len(compact(value).encode("utf-8", "backslashreplace"))


class Counter:
    """Sizes that add up exactly to those of a request: bytes, or tokens of the caller's own count."""

    def __init__(
        self, form: Form, model: Optional[str], system: Any, tools: Any, preamble: Optional[int], count: Any
    ) -> None:
        self._form, self._model, self._system, self._tools, self._count = form, model, system, tools, count
        self._given = preamble
        self.per_token = 4 if count is None else 1
        #: Joins that are known.
        self._joins: dict[tuple[Shape, Shape], int] = {}

    def entry(self, entry: Entry, value: Any) -> int:
        message = self._form.message(entry, value)
        return self._bytes(message) if self._count is None else self._counted(message)

    def preamble(self, head: list[Message]) -> tuple[int, Shape]:
        """What stands in front of the messages: its size, and what it ends with."""
        body = self._form.body(head, self._system, self._tools, self._model)
        end = Shape(body["messages"][-1]["role"]) if body["messages"] else NOTHING
        if self._given is not None:
            return self._given * self.per_token, end
        if self._count is None:
            return size_of(body), end
        beside = [] if self._system is None or head else [{"role": "system", "content": self._system}]
        return sum(self._counted(message) for message in [*beside, *head]), end

    def _counted(self, message: Message) -> int:
        tokens = self._count(message)
        must(is_number(tokens), "count has to return a number of tokens")
        return tokens

    def _bytes(self, *messages: Message) -> int:
        """What they add to a request that has none."""
        return size_of(self._form.body(messages)) - size_of(self._form.body(()))

    def join(self, end: Shape, entry: Entry) -> int:
        """What an entry adds besides its size: a comma, or less than nothing in a message that is there already."""
        if self._count is not None or entry.size == 0 or end == NOTHING:
            return 0
        known = end, entry.shape
        if known not in self._joins:
            one, other = map(self._form.sample, known)
            self._joins[known] = self._bytes(one, other) - self._bytes(one) - self._bytes(other)
        return self._joins[known]

    def tokens(self, size: int) -> int:
        return -(-size // self.per_token)


def end_behind(end: Shape, entry: Entry) -> Shape:
    """What a request ends with behind an entry: of answers, what all of them have together."""
    if entry.size == 0:
        return end
    if end.role == entry.shape.role == "assistant":
        return Shape(end.role, end.has_calls or entry.shape.has_calls, end.has_text or entry.shape.has_text)
    return entry.shape


class Request:
    """The messages inside, a linked list that keeps its size up to date: an edit costs what it touches."""

    def __init__(self, form: Form, budget: int, counter: Counter) -> None:
        self.form, self.budget, self._counter = form, budget, counter
        self.first: Optional[Entry] = None
        self.last: Optional[Entry] = None
        self.count = self.users = 0
        #: Messages of the history that have left.
        self.omitted = 0
        self._history: list[Entry] = []
        self._begin = NOTHING
        self._preamble = self._size = 0
        self.lead([])

    def lead(self, head: list[Message]) -> None:
        """What stands in front of the messages is known, before the first of them has come."""
        self._preamble, self._begin = self._counter.preamble(head)
        self._size = self._preamble

    @property
    def tokens(self) -> int:
        return self._counter.tokens(self._size)

    @property
    def preamble_tokens(self) -> int:
        return self._counter.tokens(self._preamble)

    @property
    def message_tokens(self) -> int:
        return self._counter.tokens(self._size - self._preamble)

    def __iter__(self) -> Iterator[Entry]:
        entry = self.first
        while entry:
            yield entry
            entry = entry.next

    def tokens_of(self, entry: Entry) -> int:
        return self._counter.tokens(entry.size + entry.join)

    def append(self, entry: Entry) -> None:
        self._weigh(entry)
        self._history.append(entry)
        self._link(self.last, entry)

    def insert(self, before: Optional[Entry], role: str, text: str) -> Entry:
        entry = Entry(-1, role, self.form.note(role, text))
        self._weigh(entry)
        self._link(before.previous if before else self.last, entry)
        return entry

    def drop(self, entry: Entry) -> None:
        previous, after = entry.previous, entry.next
        if previous:
            previous.next = after
        else:
            self.first = after
        if after:
            after.previous = previous
        else:
            self.last = previous
        self._size -= entry.size + entry.join
        entry.join, entry.end = 0, None
        self._join(after)
        self._count(entry, -1)

    def replace(self, entry: Entry, value: Any) -> None:
        size, entry.value = entry.size, value
        self._weigh(entry)
        if entry.inside:
            self._size += entry.size - size
            self._join(entry)

    def restore(self, index: int) -> None:
        """Undoes what was done from message ``index`` on, and takes out what was put in."""
        for entry in [one for one in self if one.index < 0]:
            self.drop(entry)
        after: Optional[Entry] = None
        for entry in reversed(self._history[index:]):
            if entry.value is not entry.original:
                self.replace(entry, entry.original)
            if not entry.inside:
                self._link(after.previous if after else self.last, entry)
                self.omitted -= 1
            after = entry

    def _weigh(self, entry: Entry) -> None:
        entry.size = self._counter.entry(entry, entry.value)
        entry.shape = self.form.shape(entry)

    def _join(self, entry: Optional[Entry]) -> None:
        """Joins an entry and those behind it, as far as something else stands in front of them than before."""
        while entry:
            before = entry.previous.end if entry.previous else self._begin
            known = entry.end
            self._size -= entry.join
            entry.join = self._counter.join(before, entry)
            self._size += entry.join
            entry.end = end_behind(before, entry)
            if entry.end == known:
                return
            entry = entry.next

    def _link(self, previous: Optional[Entry], entry: Entry) -> None:
        after = previous.next if previous else self.first
        entry.previous, entry.next = previous, after
        if previous:
            previous.next = entry
        else:
            self.first = entry
        if after:
            after.previous = entry
        else:
            self.last = entry
        self._size += entry.size
        self._join(entry)
        self._count(entry, 1)

    def _count(self, entry: Entry, by: int) -> None:
        entry.inside = by > 0
        self.count += by
        self.users += by * (entry.role == "user")
        if by < 0 and entry.index >= 0:
            self.omitted += 1


def length(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def utf8(text: str) -> bytes:
    """Half a character is written as the sign for none."""
    return re.sub("[\ud800-\udfff]", "\ufffd", text).encode()


def piece(text: str, start: Optional[int], end: Optional[int]) -> str:
    """``text[start:end]``, counted in UTF-16 code units."""
    if text.isascii():
        return text[start:end]
    units = text.encode("utf-16-le", "surrogatepass")
    cut = units[None if start is None else 2 * start : None if end is None else 2 * end]
    return cut.decode("utf-16-le", "surrogatepass")


# --- units, and what protects them ---


class Clock(NamedTuple):
    """How much has come: exchanges, user messages, messages of the assistant, and events."""

    exchange: int = -1
    users: int = 0
    said: int = 0
    events: int = 0


class Unit:
    """What leaves or changes as a whole: of its messages those that the operation concerns."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.tokens = 0
        #: When it last grew.
        self.clock = Clock()
        #: Where it waits; None once it is taken, or protected for good.
        self.queue: Optional[Queue] = None
        #: It has something, and ``protect`` was told of it.
        self.has_begun = False

    @property
    def is_inside(self) -> bool:
        return any(entry.inside for entry in self.entries)

    def grow(self, entries: Iterable[Entry], tokens: int) -> None:
        self.entries.extend(entries)
        self.tokens += tokens
        if self.queue:
            self.queue.tokens += tokens

    def take(self, other: Unit) -> None:
        """What waits becomes part of this one."""
        if other.queue:
            other.queue.remove([other])
            self.grow(other.entries, other.tokens)
            self.entries.sort(key=lambda entry: entry.index)
            other.entries = []


class Queue:
    """Units that wait, oldest first, and their tokens."""

    def __init__(self) -> None:
        self.units: deque[Unit] = deque()
        self.tokens = 0

    def __len__(self) -> int:
        return len(self.units)

    def push(self, unit: Unit) -> None:
        self.units.append(unit)
        self.tokens += unit.tokens
        unit.queue = self

    def shift(self) -> Unit:
        unit = self.units.popleft()
        self.tokens -= unit.tokens
        unit.queue = None
        return unit

    def remove(self, taken: Sequence[Unit]) -> None:
        left = set(map(id, taken))
        while self.units and id(self.units[0]) in left:
            left.remove(id(self.shift()))
        if left:
            self.replace([unit for unit in self.units if id(unit) not in left])

    def replace(self, units: Sequence[Unit]) -> None:
        units = list(units)
        while self.units:
            self.shift()
        for unit in units:
            self.push(unit)


#: The unit that a message belongs to, if it belongs to any.
Grouping = Callable[[Entry], Optional[Unit]]


def grouping(word: str) -> Grouping:
    """The knob ``unit``."""
    last: Optional[Entry] = None
    unit = Unit()
    steps: dict[int, Unit] = {}
    exchanges: list[Unit] = []
    has_prompt = False

    def batch(entry: Entry) -> Unit:
        nonlocal last, unit
        if last is None or entry.role != "tool" or last.role != "tool":
            unit = Unit()
        last = entry
        return unit

    def pair(entry: Entry) -> Unit:
        nonlocal last, unit
        if last is None or entry.role != "tool" or entry.answers is None or entry.answers.maker is not last:
            last, unit = entry, Unit()
        return unit

    def step(entry: Entry) -> Optional[Unit]:
        if entry.role == "tool":
            return steps.get(id(entry.answers))
        if not entry.calls:
            return None
        made = Unit()
        steps.update((id(call), made) for call in entry.calls)
        return made

    def exchange(entry: Entry) -> Unit:
        nonlocal has_prompt
        if not exchanges or (entry.is_prompt and has_prompt):
            exchanges.append(Unit())
        has_prompt = has_prompt or entry.is_prompt
        unit = exchanges[-1]
        steps.update((id(call), unit) for call in entry.calls)
        first = steps.get(id(entry.answers), unit)
        # From a call to its result they are one.
        for earlier in exchanges[exchanges.index(first) : -1] if first is not unit else []:
            unit.take(earlier)
        return unit

    words: dict[str, Grouping] = {
        "result": lambda entry: Unit() if entry.role == "tool" else None,
        "message": lambda entry: Unit(),
        "batch": batch,
        "pair": pair,
        "step": step,
        "exchange": exchange,
    }
    return words[word]


class Gate:
    """A word of ``protect``. Units pass the gates in a row, and none ever goes back.

    ``keeps``: the unit is protected for good (its place among those that came is told). ``holds``: the first of those
    that wait is protected for the time being, and so are those behind it.
    """

    def __init__(
        self,
        keeps: Callable[[Unit, int], bool] = lambda unit, place: False,
        holds: Callable[[Unit, Queue, Clock], bool] = lambda unit, waiting, clock: False,
        is_name: bool = False,
    ) -> None:
        self.keeps, self.holds, self.is_name = keeps, holds, is_name
        self.waiting = Queue()
        self.came = 0


def gates(words: str, form: Form) -> list[Gate]:
    """The knob ``protect``."""

    def has(test: Callable[[Entry], bool]) -> Callable[[Unit, int], bool]:
        return lambda unit, place: any(test(entry) for entry in unit.entries)

    def gate(word: str) -> Gate:
        name, _, rest = word.partition(":")
        args = [] if rest == "" else rest.split(":")
        number = parse_tokens(args[0]) if args and name not in ("tool", "only", "pinned") else 0
        least = parse_tokens(args[1]) if name == "tail" and len(args) > 1 else 0
        names = set(rest.split("/"))
        of_these = has(lambda entry: entry.role == "tool" and entry.tool in names)
        of_user = has(lambda entry: entry.role == "user")
        kinds: dict[str, Callable[[], Gate]] = {
            "nothing": Gate,
            "past": Gate,
            "first": lambda: Gate(keeps=lambda unit, place: place < number),
            "last": lambda: Gate(holds=lambda unit, waiting, clock: len(waiting) <= number),
            "tail": lambda: Gate(holds=lambda unit, waiting, clock: waiting.tokens <= number or len(waiting) <= least),
            "exchanges": lambda: Gate(holds=lambda unit, waiting, clock: unit.clock.exchange > clock.exchange - number),
            "users": lambda: Gate(holds=lambda unit, waiting, clock: unit.clock.users > clock.users - number),
            "events": lambda: Gate(holds=lambda unit, waiting, clock: unit.clock.events > clock.events - number),
            "unseen": lambda: Gate(holds=lambda unit, waiting, clock: unit.clock.said >= clock.said),
            "tool": lambda: Gate(keeps=of_these, is_name=True),
            "only": lambda: Gate(keeps=lambda unit, place: not of_these(unit, place), is_name=True),
            "shorter": lambda: Gate(lambda unit, place: sum(length(form.text(one)) for one in unit.entries) < number),
            "system": lambda: Gate(keeps=has(lambda entry: entry.role == "system")),
            "user": lambda: Gate(keeps=of_user),
            "first-user": lambda: Gate(keeps=lambda unit, place: unit.clock.users == 1 and of_user(unit, place)),
            "pinned": lambda: Gate(keeps=has(lambda entry: rest in form.text(entry))),
        }
        return kinds[name]()

    return [gate(word) for word in words.split("+")]


class Protected:
    """The gates in a row, and behind them what may be touched (``open``)."""

    def __init__(self, words: str, form: Form) -> None:
        self.open = Queue()
        self._gates = gates(words, form)
        self._forgets_past = "past" in words.split("+")
        self._kept: list[Unit] = []

    @property
    def count(self) -> int:
        """Units that are neither taken nor kept out by a name."""
        return sum(len(gate.waiting) for gate in self._gates) + len(self.open) + len(self._kept)

    def add(self, unit: Unit) -> None:
        self._gates[0].waiting.push(unit)

    def start_exchange(self) -> None:
        if not self._forgets_past:
            return
        self.open.replace([])
        for gate in self._gates:
            gate.waiting.replace([])
            gate.came = 0
        self._kept = []

    def let_pass(self, clock: Clock) -> None:
        behind = [*[gate.waiting for gate in self._gates[1:]], self.open]
        for gate, following in zip(self._gates, behind):
            while len(gate.waiting) > 0 and not gate.holds(gate.waiting.units[0], gate.waiting, clock):
                unit = gate.waiting.shift()
                is_kept = gate.keeps(unit, gate.came)
                gate.came += 1
                if not is_kept:
                    following.push(unit)
                elif not gate.is_name:
                    self._kept.append(unit)

    def forget_gone(self) -> None:
        """Units of which nothing is inside any more."""
        for queue in [self.open, *[gate.waiting for gate in self._gates]]:
            queue.replace([unit for unit in queue.units if unit.is_inside])
        self._kept = [unit for unit in self._kept if unit.is_inside]

    def keeps(self, entry: Entry) -> bool:
        return any(entry in unit.entries for unit in self._kept)


# --- words ---

OPERATIONS = ("drop", "mask", "offload", "truncate", "clear-inputs", "strip", "drop-thinking", "dedupe")
REPAIRS = ("none", "pairs", "results", "leading-results", "user", "whole", "missing")


def read(knobs: dict, name: str, parse: Callable[[str], Any]) -> Any:
    try:
        return parse(knobs[name])
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"knobs: {name} has other words than `ctxwin help compose` says") from error


def words_of(*known: str) -> Callable[[str], list[str]]:
    def parse(joined: str) -> list[str]:
        words = joined.split("+")
        must(all(word.partition(":")[0] in known for word in words), joined)
        return words

    return parse


def parse_tokens(word: str) -> int:
    """100000, 100k, 0.2M"""
    number, unit = re.fullmatch(r"(\d+(?:\.\d+)?)([km]?)", word.replace("_", ""), re.I).groups()
    return round(float(number) * {"": 1, "k": 1_000, "m": 1_000_000}[unit.lower()])


def amount_of(word: str, budget: int) -> float:
    """``0.8`` is that share of the budget, ``1-20k`` what it has beside so many tokens, ``40k`` so many tokens."""
    if re.fullmatch(r"\d+(\.\d+)?[km]?", word, re.I) and (word[-1] in "kmKM" or float(word) > 1):
        return parse_tokens(word)
    share, less = re.fullmatch(r"([\d.]+(?:e-\d+)?)(?:-(\w+))?", word).groups()
    return float(share) * budget - (parse_tokens(less) if less else 0)


class Target:
    """The knob ``target``: tokens of a watermark (``goal``), or how many units are taken."""

    def __init__(self, words: str, budget: int) -> None:
        self.goal: Optional[float] = None
        self.keep: Optional[int] = None
        self.fraction: Optional[float] = None
        self.least = 0
        self.multiple = 1
        for word in words.split("+"):
            name, _, rest = word.partition(":")
            if name == "watermark":
                self.goal = amount_of(rest or "1", budget)
            elif name == "keep":
                self.keep = parse_tokens(rest)
            elif name == "fraction":
                self.fraction = float(rest)
            elif name == "least":
                self.least = parse_tokens(rest)
            elif name == "quantise":
                self.multiple = parse_tokens(rest)
            else:
                must(name in ("all", "value", "aged", "stay"), word)


#: Whether it is time, given for how many seconds no request was made.
Condition = Callable[[float], bool]


def conditions(words: str, policy: Policy) -> list[tuple[str, list[Condition]]]:
    """The knob ``trigger``: alternatives, each an occasion and what must be true then."""
    window = policy.window

    def condition(word: str) -> Condition:
        name, _, rest = word.partition(":")
        amount = amount_of(rest or "1", window.budget) if name in ("over", "at") else 0
        number = parse_tokens(rest) if rest and name not in ("over", "at", "pays") else 0
        kinds: dict[str, Condition] = {
            "always": lambda idle: True,
            "never": lambda idle: False,
            "over": lambda idle: policy.measured > amount,
            "at": lambda idle: policy.measured >= amount,
            "messages": lambda idle: window.count > number,
            "users": lambda idle: window.users > number,
            "units": lambda idle: policy.units_left() > number,
            "prunable": lambda idle: policy.protected.open.tokens >= number,
            "every": lambda idle: policy.requests >= number,
            "work": lambda idle: policy.work > number,
            "idle": lambda idle: idle > number,
            "pays": lambda idle: policy.pays(rest, idle),
            "answered": lambda idle: policy.requests > 0,
            "answer": lambda idle: window.last.role == "assistant" and not window.last.calls,
            "end": lambda idle: True,
            "ingest": lambda idle: True,
        }
        return kinds[name]

    occasions = {"answer": "ingest", "end": "end", "ingest": "ingest"}
    clauses = [clause.split("+") for clause in words.split("/")]
    return [
        (next((occasions[word] for word in words if word in occasions), "request"), [condition(word) for word in words])
        for words in clauses
    ]


# --- the policy at work ---


class Policy:
    """The nine knobs on one history."""

    def __init__(self, knobs: dict, window: Request) -> None:
        self.window = window
        self._form = window.form
        self._measure = read(knobs, "measure", words_of("request", "messages", "usage", "latest"))[0]
        self._order = read(knobs, "order", words_of("oldest", "newest", "value", "best-fit", "middle"))[0]
        self._state = read(knobs, "state", words_of("sticky", "view"))[0]
        self._role = read(knobs, "role", words_of("user", "assistant", "system"))[0]
        self._text = read(knobs, "text", "".__add__)
        self._operations = read(knobs, "operation", words_of(*OPERATIONS))
        self._repairs = read(knobs, "repair", words_of(*REPAIRS))
        self._target = read(knobs, "target", lambda words: Target(words, window.budget))
        self._group = read(knobs, "unit", grouping)
        self.protected = read(knobs, "protect", lambda words: Protected(words, self._form))
        self._alternatives = read(knobs, "trigger", lambda words: conditions(words, self))
        self._clock = Clock()
        #: Calls that once had a result.
        self._answered: set[int] = set()
        #: The newest result of each call and input, while only repeated ones are taken.
        self._newest: dict[str, Unit] = {}
        #: What was taken: how many units, their tokens, and themselves where they may come back.
        self._taken, self._taken_tokens = 0, 0
        self._taken_units: list[Unit] = []
        #: In a view: the occasions at which it has acted.
        self._fired: set[str] = set()
        self._omitted = 0
        self._notice: Optional[Entry] = None
        self._newest_left = -1
        #: Tokens of the latest request with its answer, and without; 0 and None where there is none.
        self._usage, self._latest = 0, None
        #: Requests and their tokens since it last acted.
        self.requests = self.work = 0
        self._is_new = False

    @property
    def measured(self) -> int:
        """The knob ``measure``, for the trigger."""
        if self._measure == "usage":
            return self._usage
        if self._measure == "latest" and self._latest is not None:
            return self._latest
        return self._left

    @property
    def _left(self) -> int:
        return self.window.message_tokens if self._measure == "messages" else self.window.tokens

    def refuses(self, entry: Entry) -> bool:
        """A result whose call has left cannot come without it."""
        call = entry.answers
        return self._repairs[-1] == "pairs" and call is not None and not call.maker.inside

    def message(self, entry: Entry) -> None:
        """A message has come."""
        window = self.window
        self._is_new = True
        if entry.role == "assistant":
            self.requests += 1
            self._latest = window.tokens - window.tokens_of(entry)
            self.work += self._latest
            self._usage = window.tokens
        if entry.answers:
            self._answered.add(id(entry.answers))
        if entry.is_prompt:
            self.protected.start_exchange()
        unit = self._unit_begun_by(entry)
        if unit and "dedupe" in self._operations:
            unit = self._repeated(unit, entry)
        if unit:
            self.protected.add(unit)
        self.occasion("ingest", 0)

    def request(self, idle: float) -> None:
        """A request is about to go out."""
        if self._is_new:
            self.occasion("request", idle)

    def occasion(self, when: str, idle: float) -> None:
        if all(occasion != when for occasion, _ in self._alternatives):
            return
        self.protected.let_pass(self._clock)
        is_due = when in self._fired or self._is_time(when, idle)
        if not is_due or not self._act():
            return
        if self._state == "view":
            self._fired.add(when)
        self._usage = self.requests = self.work = 0
        self._is_new = False

    def _is_time(self, when: str, idle: float) -> bool:
        clauses = [clause for occasion, clause in self._alternatives if occasion == when]
        return any(all(holds(idle) for holds in clause) for clause in clauses)

    def pays(self, words: str, idle: float) -> bool:
        """The words of ``trigger=pays``."""
        raise ValueError("this file does not know what messages are worth: print one for such a policy")

    def _by_value(self) -> Iterator[Unit]:
        """The units in ``order=value``."""
        raise ValueError("this file does not know what messages are worth: print one for such a policy")

    def units_left(self) -> int:
        """Units that are not taken."""
        if self.window.omitted != self._omitted and not self._comes_back:
            self.protected.forget_gone()
        self._omitted = self.window.omitted
        return self.protected.count

    @property
    def _comes_back(self) -> bool:
        return self._state == "view" and self._order != "oldest"

    def _unit_begun_by(self, entry: Entry) -> Optional[Unit]:
        clock = self._clock
        self._clock = Clock(
            entry.exchange,
            clock.users + (entry.role == "user"),
            clock.said + (entry.role == "assistant"),
            clock.events + max(1, len(entry.calls)),
        )
        unit = self._group(entry)
        if unit is None:
            return None
        if any(self._concerns(operation, entry) for operation in self._operations):
            unit.grow([entry], self.window.tokens_of(entry))
        unit.clock = self._clock
        if unit.has_begun or not unit.entries:
            return None
        unit.has_begun = True
        return unit

    def _concerns(self, operation: str, entry: Entry) -> bool:
        if operation == "drop-thinking":
            return entry.role == "assistant" and self._form.has_thinking(entry.value)
        if operation == "strip" and entry.calls:
            return True
        return operation == "drop" or entry.role == "tool"

    def _repeated(self, unit: Unit, entry: Entry) -> Optional[Unit]:
        """The earlier result of the same call with the same input: this one takes its place."""
        if entry.answers is None:
            return None
        key = compact([entry.answers.name, entry.answers.input])
        earlier = self._newest.get(key)
        self._newest[key] = unit
        return earlier

    def _act(self) -> bool:
        """:returns: whether it did anything"""
        if self._comes_back:
            self._restore()
        if not self._is_worth_it():
            return False
        taken: list[Unit] = []
        has_notice = self._operations == ["drop"] and self._text != ""
        for unit in self._due(taken):
            if has_notice and self._notice and self._notice.inside:
                self.window.drop(self._notice)
                self._notice = None
            for entry in unit.entries:
                if entry.inside:
                    self._edit(entry)
            taken.append(unit)
            if has_notice:
                self._set_notice(self._taken + len(taken))
        self._take(taken)
        if taken and self._operations == ["drop"]:
            self._repair()
        return len(taken) > 0

    def _due(self, taken: list[Unit]) -> Iterator[Unit]:
        """What is to leave, one after the other, while ``taken`` grows."""
        most = self._most()
        units = self._ordered()
        while not self._is_met(taken, most):
            unit = next(units, None)
            if unit is None:
                return
            yield unit

    def _is_met(self, taken: list[Unit], most: int) -> bool:
        if self._target.goal is None:
            return len(taken) >= most
        return self._left <= self._target.goal and len(taken) % self._target.multiple == 0

    def _is_worth_it(self) -> bool:
        """Whether as many tokens would be freed as ``least`` asks for."""
        goal, least = self._target.goal, self._target.least
        if least == 0:
            return True
        most = self._most()
        freed = self._taken_tokens if self._state == "view" else 0
        for count, unit in enumerate(self._ordered()):
            if freed >= least or (count >= most if goal is None else self._left - freed <= goal):
                break
            freed += unit.tokens
        return freed >= least

    def _most(self) -> int:
        """How many units a target allows that counts them."""
        target, length = self._target, len(self.protected.open)
        before = self._taken if self._state == "view" else 0
        most = length if target.keep is None else min(length, self.units_left() - target.keep)
        if target.fraction is not None:
            most = math.floor(target.fraction * (length + before)) - before
        return most if target.goal is not None else most - most % target.multiple

    def _ordered(self) -> Iterator[Unit]:
        """The knob ``order``."""
        units = self.protected.open.units
        if self._order == "oldest":
            yield from units
        elif self._order == "newest":
            yield from reversed(units)
        elif self._order == "value":
            yield from self._by_value()
        elif self._order == "best-fit":
            left = self._room()
            for unit in reversed(units):
                if unit.tokens <= left:
                    left -= unit.tokens
                else:
                    yield unit
        else:
            inside = [unit for unit in units if unit.is_inside]
            head = tail = len(inside) // 2
            while head > 0 or tail < len(inside):
                # The middle of what is left is at the edge of the hole.
                if (head + len(inside) - tail) // 2 < head:
                    head -= 1
                    yield inside[head]
                else:
                    yield inside[tail]
                    tail += 1

    def _room(self) -> float:
        """Tokens that the units which may be touched may have together."""
        touchable = {id(entry) for unit in self.protected.open.units for entry in unit.entries}
        besides = 0 if self._measure == "messages" else self.window.preamble_tokens
        stays = sum(self.window.tokens_of(entry) for entry in self.window if id(entry) not in touchable)
        return (math.inf if self._target.goal is None else self._target.goal) - besides - stays

    def _restore(self) -> None:
        """In a view: each request is judged by the whole history."""
        if not self._taken_units:
            return
        units = sorted([*self._taken_units, *self.protected.open.units], key=lambda unit: unit.entries[0].index)
        self.window.restore(units[0].entries[0].index)
        self._notice, self._newest_left = None, -1
        self.protected.open.replace(units)
        self._taken, self._taken_tokens, self._taken_units = 0, 0, []

    def _take(self, units: list[Unit]) -> None:
        self.protected.open.remove(units)
        self._taken += len(units)
        self._taken_tokens += sum(unit.tokens for unit in units)
        if self._comes_back:
            self._taken_units.extend(units)
        self._omitted = self.window.omitted

    # --- the knob operation ---

    def _edit(self, entry: Entry) -> None:
        for operation in self._operations:
            if self._concerns(operation, entry):
                name, *args = operation.split(":")
                getattr(self, "_" + name.replace("-", "_"))(entry, *args)

    def _drop(self, entry: Entry) -> None:
        call = entry.answers
        if "missing" in self._repairs and call and call.maker.inside:
            self._reads(entry, "result missing")
            return
        self._newest_left = max(self._newest_left, entry.index)
        self.window.drop(entry)

    def _reads(self, entry: Entry, text: str) -> None:
        self.window.replace(entry, self._form.with_text(entry.value, text))

    def _mask(self, entry: Entry) -> None:
        template = self._text or "[result masked \u2014 ~{tokens} tokens removed]"
        self._reads(entry, self._filled(template, entry))

    _dedupe = _mask

    def _offload(self, entry: Entry) -> None:
        pointer = "[{characters} characters of {tool} in a file]\\n{head:250}\\n\u2026\\n{tail:250}"
        text = self._filled(self._text or pointer, entry)
        if length(text) < length(self._form.text(entry)):
            self._reads(entry, text)

    def _truncate(self, entry: Entry, tokens: str, kept: str = "head") -> None:
        text, most = self._form.text(entry), int(tokens)
        data = utf8(text)
        if len(data) // 4 <= most:
            return
        size = 4 * most // (2 if kept == "both" else 1)
        ends = "first+last" if kept == "both" else "first" if kept == "head" else "last"
        note = f"[truncated: kept {ends} ~{most} of ~{len(data) // 4} tokens ({kept})]"
        # Bytes of half a character at a cut are left out.
        head = data[:size].decode("utf-8", "ignore") if kept != "tail" else None
        tail = data[-size:].decode("utf-8", "ignore") if kept != "head" else None
        self._reads(entry, "\n\n".join(part for part in (head, note, tail) if part is not None))

    def _clear_inputs(self, entry: Entry) -> None:
        call = entry.answers
        if call and call.maker.inside:
            self.window.replace(call.maker, self._form.without_inputs(call.maker.value, call.place))

    def _strip(self, entry: Entry) -> None:
        if entry.role == "tool":
            self._mask(entry)
        else:
            self.window.replace(entry, self._form.without_inputs(entry.value))

    def _drop_thinking(self, entry: Entry) -> None:
        value = self._form.without_thinking(entry.value)
        if value is None:
            self.window.drop(entry)
        else:
            self.window.replace(entry, value)

    def _filled(self, template: str, entry: Entry) -> str:
        """The text that stands for a result."""
        text = self._form.text(entry)

        def word(match: re.Match) -> str:
            name, count = match[1], int(match[2] or 0)
            words: dict[str, Callable[[], Any]] = {
                "tokens": lambda: len(utf8(text)) // 4,
                "characters": lambda: length(text),
                "lines": lambda: text.count("\n") + 1,
                "tool": lambda: entry.tool or "unknown_tool",
                "head": lambda: piece(text, None, count),
                "tail": lambda: piece(text, -count, None) if count > 0 else "",
                "rest": lambda: max(0, length(text) - count),
            }
            return str(words[name]())

        pattern = r"\{(tokens|characters|lines|tool|head|tail|rest)(?::([0-9]+))?\}"
        return re.sub(pattern, word, template.replace("\\n", "\n"))

    def _set_notice(self, units: int) -> None:
        """A message in the place of what left, which says so."""
        words = {"count": self.window.omitted, "units": units, "kept": self.window.count}
        said = re.sub(r"\{(count|units|kept)\}", lambda match: str(words[match[1]]), self._text)
        before = next((entry for entry in self.window if entry.index > self._newest_left), None)
        self._notice = self.window.insert(before, self._role, said)

    # --- the knob repair ---

    def _repair(self) -> None:
        for word in self._repairs:
            if word == "pairs":
                self._drop_all(self._broken_pairs())
            elif word == "results":
                self._drop_all(self._broken_results())
            elif word == "leading-results":
                while self.window.first and self.window.first.role == "tool":
                    self.window.drop(self.window.first)
            elif word == "user" and self.window.users > 0:
                ahead = takewhile(lambda entry: entry.role != "user", self.window)
                self._drop_all([entry for entry in ahead if not self.protected.keeps(entry)])

    def _drop_all(self, entries: list[Entry]) -> None:
        for entry in entries:
            self.window.drop(entry)

    def _broken_pairs(self) -> list[Entry]:
        """Results without their call, and messages with a call whose result has left."""
        results = {id(entry.answers) for entry in self.window}
        made: set[int] = set()
        broken = []
        for entry in self.window:
            calls = {id(call) for call in entry.calls}
            if calls & self._answered - results or (entry.answers and id(entry.answers) not in made):
                broken.append(entry)
            else:
                made |= calls
        return broken

    def _broken_results(self) -> list[Entry]:
        made: set[int] = set()
        broken = []
        for entry in self.window:
            made |= {id(call) for call in entry.calls}
            if entry.answers and id(entry.answers) not in made:
                broken.append(entry)
        return broken


#: What a window runs.
POLICY = Policy

# --- what messages are worth ---


class Known:
    """What is known of a message: the signals that tell whether it will be used later."""

    def __init__(self, entry: Entry, own: int, tokens: int) -> None:
        self.entry, self.tokens = entry, tokens
        #: How many requests had been made when it came.
        self.own = own
        #: What it is: a result of a ``read``, ``search``, ``shell``, ``edit`` or ``other`` call; a ``call``; what was
        #: ``said`` without one; of the ``user``.
        self.kind = "user"
        #: The names that its call is about.
        self.about: set[int] = set()
        #: Of its long lines and names, how many there are, and how many were said again since.
        self.lines = self.repeated_lines = 0
        self.names = self.repeated_names = 0
        #: How many messages of the agent have taken over lines of it, and names.
        self.uses = self.namings = 0
        #: Of its characters those that are arguments of calls, and those that the model thought, as shares.
        self.inputs = self.thoughts = 0.0


class Signals:
    """What is known of each message. A message costs its lines and names when it comes."""

    def __init__(self, form: Form) -> None:
        self._form = form
        #: By place in the history.
        self._known: dict[int, Known] = {}
        #: Which message had a line, or a name, last.
        self._lines: dict[int, Known] = {}
        self._names: dict[int, Known] = {}
        #: By name: how many requests there had been when a call was last about it.
        self._touched: dict[int, int] = {}
        #: What each call does, and the names that it is about.
        self._calls: dict[Call, tuple[str, set[int]]] = {}
        self._requests = 0
        self._exchange = -1

    def of(self, entry: Entry) -> Optional[Known]:
        """None for what the policy wrote."""
        return self._known.get(entry.index)

    def message(self, entry: Entry, tokens: int) -> None:
        is_agent = entry.role == "assistant"
        self._requests += is_agent
        self._exchange = entry.exchange
        known = Known(entry, self._requests, tokens)
        lines, names = self._look_at(known)
        for earlier, count in tally(lines, self._lines).items():
            earlier.repeated_lines += count
            earlier.uses += is_agent
        for earlier, count in tally(names, self._names).items():
            if is_agent:
                earlier.namings += 1
            else:
                earlier.repeated_names += count
        known.lines, known.names = len(lines), len(names)
        self._lines.update(dict.fromkeys(lines, known))
        if not is_agent:
            # What the agent names does not bring in what it names.
            self._names.update(dict.fromkeys(names, known))
        self._known[entry.index] = known

    def age(self, known: Known) -> int:
        """Requests since it came."""
        return self._requests - known.own

    def values(self, known: Known) -> dict[str, float]:
        """In the order in which they are added up; the rest are 0."""
        touched = max((self._touched[name] for name in known.about), default=-1)
        return {
            "age": math.log1p(self._requests - known.own),
            "size": math.log1p(known.tokens),
            known.kind: 1,
            "touched": 1 if touched > known.own else 0,
            "about": 0 if touched < 0 else 1,
            "repeated": known.repeated_lines / known.lines if known.lines else 0,
            "names": math.log1p(known.names - known.repeated_names),
            "lines": math.log1p(known.lines - known.repeated_lines),
            "exchange": 1 if known.entry.exchange == self._exchange else 0,
            "used": math.log1p(known.uses),
            "named": math.log1p(known.namings),
        }

    def _look_at(self, known: Known) -> tuple[set[int], set[int]]:
        """Fills in what the message is. :returns: hashes of its lines and names"""
        entry = known.entry
        lines: set[int] = set()
        names: set[int] = set()
        size = given = thought = 0
        for text in texts(self._form.content(entry.value)):
            lines |= lines_in(text)
            names |= names_in(text)
            size += length(text)
        if entry.role == "assistant":
            known.kind = "call" if entry.calls else "said"
        for call in entry.calls:
            about: set[int] = set()
            for text in texts_in(call.input):
                lines |= lines_in(text)
                found = names_in(text)
                names |= found
                if length(text) <= LONGEST_NAME:
                    about |= found
                given += length(text)
            deed = deed_of(call)
            if deed == "edit":
                known.kind = "edit"
            self._calls[call] = deed, about
            self._touched.update(dict.fromkeys(about, self._requests))
            known.about |= about
        if entry.role == "tool":
            known.kind, known.about = self._calls[entry.answers] if entry.answers else ("other", set())
        for is_thought_of, count in unread(entry.value):
            size += count
            thought += count if is_thought_of else 0
        if size + given > 0:
            known.inputs, known.thoughts = given / (size + given), thought / (size + given)
        return lines, names


def tally(hashes: set[int], newest: dict[int, Known]) -> dict[Known, int]:
    """By message: how many of these stood there last."""
    counts: dict[Known, int] = {}
    for earlier in (newest[one] for one in hashes if one in newest):
        counts[earlier] = counts.get(earlier, 0) + 1
    return counts


#: A line with fewer characters, white space aside, is in many messages and says nothing.
SHORTEST_LINE = 20
#: A log of more lines is told by the first of them.
MOST_LINES = 3000
#: A longer argument is content: a file that is written, a patch.
LONGEST_NAME = 500

BLANKS = {code: None for code in range(33) if code != ord("\n")}
#: What a tool puts in front of a line: its number, with an arrow, colon or bar; or the sign of a diff.
FRONT = re.compile("[0-9][0-9\u2192:|+-]*|[+-]|")


def hash_of(text: str) -> int:
    """FNV-1a (Fowler, Noll and Vo), a UTF-16 code unit at a time."""
    data = text.encode("utf-16-le", "surrogatepass")
    units = data[::2] if text.isascii() else (low | high << 8 for low, high in zip(data[::2], data[1::2]))
    hash = 0x811C9DC5
    for unit in units:
        hash = (hash ^ unit) * 0x01000193 & 0xFFFFFFFF
    return hash


def lines_in(text: str) -> set[int]:
    """Hashes of its long lines, without white space."""
    bare = (line[FRONT.match(line).end() :] for line in text.translate(BLANKS).split("\n"))
    long = [line for line in bare if length(line) >= SHORTEST_LINE]
    return {hash_of(line) for line in long[:MOST_LINES]}


def names_in(text: str) -> set[int]:
    """Hashes of names: a path, or a word with a dot or with digits and letters. Of a path its last part counts."""
    found = set()
    for word in re.findall(r"[A-Za-z0-9_./@~-]+", text):
        # A dot, a slash or a dash at the end is of the sentence.
        word = word.rstrip("./-")
        name = word[word.rfind("/") + 1 :]
        is_name = "/" in word or "." in word[1:] or (len(word) >= 7 and re.search("[0-9]", word))
        if is_name and 3 <= len(name) <= 120 and re.search("[A-Za-z_~]", word):
            found.add(hash_of(name))
    return found


def texts_in(given: Any) -> Iterator[str]:
    """The texts among the arguments of a call, which may be JSON."""
    if isinstance(given, str):
        read = parsed(given) if re.match(r"\s*[{\[]", given) else given
        if isinstance(read, str):
            yield given
        else:
            yield from texts_in(read)
    elif isinstance(given, (dict, list)):
        for value in given.values() if isinstance(given, dict) else given:
            if isinstance(value, str):
                yield value
            else:
                yield from texts_in(value)


def deed_of(call: Call) -> str:
    """What a call does with what it names."""

    def is_like(words: str) -> bool:
        return re.search(words, call.name, re.I | re.A) is not None

    if is_like("edit|write|patch|replace|insert|create_file") and not is_like("stdin|todo"):
        return "edit"
    if is_like("bash|shell|exec|command|terminal|stdin"):
        return deed_of_command(next(texts_in(call.input), ""))
    if is_like("web|fetch|http|browser"):
        return "other"
    if is_like(r"grep|glob|search|find|list|^ls\Z"):
        return "search"
    return "read" if is_like("read|view|cat|open") else "other"


def deed_of_command(command: str) -> str:
    """A shell reads, searches and edits, too: the first word of what it runs behind ``cd`` says so."""
    if re.search(r"apply_patch|\bsed -i|\btee |(^|[^<>])>\s*[\w./~]", command, re.A):
        return "edit"
    first = re.match(r"\s*(?:cd [^&;]+(?:&&|;)\s*)?(\w+)", command, re.A)
    word = first[1] if first else ""
    if word in ("cat", "sed", "head", "tail", "nl", "less", "bat"):
        return "read"
    return "search" if word in ("rg", "grep", "find", "ls", "fd", "tree", "ag") else "shell"


def unread(value: Any) -> Iterator[tuple[bool, int]]:
    """Of what a message has beside texts and calls: whether the model thought it, and how long it is."""
    if isinstance(value, dict) and "role" in value:
        # A message of Chat Completions, with what programs write beside its content.
        blocks = value.get("thinking_blocks")
        plain = next(strings(value, "reasoning_content", "reasoning"), "")
        if value["role"] == "assistant" and blocks:
            yield from unread(blocks)
        elif value["role"] == "assistant":
            yield True, length(plain)
            for detail in items(value.get("reasoning_details")):
                hidden = next(strings(detail, "data"), "")
                yield True, length(hidden or ("" if plain else next(strings(detail, "text", "summary"), "")))
        value = value.get("content")
    for part in items(value):
        source = part.get("source") if is_kind(part, "document") else None
        if is_kind(part, "tool_result"):
            yield from unread(part.get("content"))
        elif isinstance(source, dict) and source.get("type") == "content":
            yield from unread(source.get("content"))
        elif is_thought(part):
            yield True, length(next(strings(part, "thinking", "text", "value", "signature", "data"), ""))
        elif is_media(part) and not (isinstance(source, dict) and source.get("type") == "text"):
            yield False, bytes_of(part)


def bytes_of(part: Any) -> int:
    """Decoded size of a picture or a file; 0 where it is but named."""
    holder = next((part[key] for key in ("source", "image_url", "input_audio", "file") if part.get(key)), {})
    url = holder if isinstance(holder, str) else next(strings(holder, "url", "file_data"), "")
    head, _, encoded = url.partition(",")
    if not (head.startswith("data:") and head.endswith(";base64")):
        encoded = next(strings(holder, "data"), "")
    padding = 2 if encoded.endswith("==") else 1 if encoded.endswith("=") else 0
    return max(0, (len(encoded) - padding) * 3 // 4)


#: The chance that a message is used later.
Chance = Callable[[Signals, Known], float]


def valuing(words: str) -> tuple[Chance, float]:
    """Of the knob ``target`` that chance, and what a lost use is held to cost, in tokens at the price of input."""
    for word in words.split("+"):
        name, *args = word.split(":")
        if name in ("value", "aged"):
            return by_weights(name, float(args[1]) if len(args) > 1 else 1), parse_tokens(args[0])
        if name == "stay":
            edits, shell, rest = map(parse_tokens, args)
            stays = {"read": edits, "edit": edits, "shell": shell, "search": shell}
            return lambda signals, known: 1 if signals.age(known) <= stays.get(known.kind, rest) else 0, 1e12
    return by_weights("value", 1), 1


def by_weights(name: str, odds: float) -> Chance:
    """By a logistic regression. :param odds: so many times as likely as its coefficients say"""
    if name not in WEIGHTS:
        raise ValueError(f"this file has no coefficients for target={name}: print one for such a policy")
    weights = {signal: weight for signal, weight in WEIGHTS[name].items() if signal != "intercept"}
    intercept = WEIGHTS[name]["intercept"] + math.log(odds)

    def chance(signals: Signals, known: Known) -> float:
        total = intercept
        for signal, value in signals.values(known).items():
            total += value * weights.get(signal, 0)
        return 1 / (1 + math.exp(min(-total, 700)))

    return chance


#: What a line in the place of a result has, in tokens.
LINE = 10


class ValuedPolicy(Policy):
    """A policy that asks what messages are worth.

    A token that stays is read from the prompt cache by every request to come; one that leaves may be missed; and what
    stands behind it has to be written to the cache again.
    """

    def __init__(self, knobs: dict, window: Request) -> None:
        super().__init__(knobs, window)
        target = knobs["target"]
        self._has_value = re.search("value:|aged:|stay:", target) is not None
        self._signals = Signals(window.form) if self._has_value or self._order == "value" else None
        if self._signals:
            self._chance_of, self._price = valuing(target)
        #: The latest response: what stands before it has been sent.
        self._answer = -1
        #: What it pays to take now, and whether another reason to act is looked for.
        self._paying: list[Unit] = []
        self._is_pressing = False
        self._now: tuple[str, float] = ("", 0)

    def message(self, entry: Entry) -> None:
        if self._signals:
            self._signals.message(entry, self.window.tokens_of(entry))
        if entry.role == "assistant":
            self._answer = entry.index
        super().message(entry)

    def occasion(self, when: str, idle: float) -> None:
        self._paying, self._now = [], (when, idle)
        super().occasion(when, idle)

    def pays(self, words: str, idle: float) -> bool:
        if self._is_pressing:
            return False
        given = words.split(":") if words else []
        requests, times, *_ = [float(word) for word in given] + [40, 2][len(given) :]
        self._paying = self._worth_taking(idle > CACHE["seconds"], requests, times)
        return len(self._paying) > 0

    def _due(self, taken: list[Unit]) -> Iterator[Unit]:
        yield from self._paying
        if self._has_value and not self._is_pressed():
            return
        # What pays has left before the others are put into their order.
        self.protected.open.remove(taken)
        yield from super()._due(taken)

    def _is_pressed(self) -> bool:
        """Whether a watermark beside is not met, and what pays is not the only reason to act."""
        if self._target.goal is None or self._left <= self._target.goal:
            return False
        self._is_pressing = True
        is_time = self._is_time(*self._now)
        self._is_pressing = False
        return is_time

    def _by_value(self) -> Iterator[Unit]:
        """First what costs least to lose, for each token that this frees."""

        def density(unit: Unit) -> float:
            lost = freed = 0.0
            for entry in unit.entries:
                if entry.inside:
                    lost += self._chance(entry)
                    freed += self._freed(entry)
            return lost / max(1, freed)

        return iter(sorted(self.protected.open.units, key=density))

    def _worth_taking(self, is_cold: bool, requests: float, times: float) -> list[Unit]:
        """The units to take, oldest first: those behind the cut at which the gain most exceeds what the cache costs."""
        read, write = CACHE["read"], CACHE["write"]
        # A cold cache writes in this request what it would read in later ones.
        saved = read * requests + (write - read if is_cold else 0)
        rewritten = 0 if is_cold else write - read
        worth: list[Unit] = []
        gains: list[float] = []
        #: By index: what is left of a message of these.
        left: dict[int, float] = {}
        for unit in self.protected.open.units:
            gain = 0.0
            for entry in unit.entries:
                if entry.inside:
                    gain += self._freed(entry) * saved - self._chance(entry) * self._price
            if gain > 0:
                worth.append(unit)
                gains.append(gain)
                left.update((entry.index, self._tokens_of(entry) - self._freed(entry)) for entry in unit.entries)
        kept, gain, best, start = 0.0, 0.0, 0.0, len(worth)
        at = len(worth) - 1
        entry = self.window.last
        while entry and at >= 0:
            if entry.index < self._answer:
                kept += left[entry.index] if entry.index in left else self._tokens_of(entry)
            if entry is next(one for one in worth[at].entries if one.inside):
                gain += gains[at]
                cost = rewritten * kept
                if gain - cost > best and gain >= times * cost:
                    best, start = gain - cost, at
                at -= 1
            entry = entry.previous
        return worth[start:]

    def _chance(self, entry: Entry) -> float:
        known = self._signals.of(entry)
        return self._chance_of(self._signals, known) if known else 0

    def _freed(self, entry: Entry) -> float:
        """About how many tokens the operation frees of a message."""
        tokens = self._tokens_of(entry)
        known = self._signals.of(entry)
        freed: float = 0
        for operation in self._operations:
            if operation == "drop":
                freed += tokens
            elif operation == "drop-thinking":
                freed += tokens * known.thoughts if known else 0
            elif operation == "strip" and entry.role != "tool":
                freed += tokens * known.inputs if known else 0
            else:
                freed += max(0, tokens - LINE)
        return min(tokens, freed)

    def _tokens_of(self, entry: Entry) -> int:
        """As it came, as long as nothing has changed it."""
        known = self._signals.of(entry)
        return known.tokens if known and entry.value is entry.original else self.window.tokens_of(entry)


POLICY = ValuedPolicy
