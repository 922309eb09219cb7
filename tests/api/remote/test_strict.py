"""Strict JSON: RFC 8259 is read as it says, what is doubtful is refused before it costs much."""

import json
import random

import pytest

from baohuang.api.remote.strict import NotStrictJson, loads

REFUSED = {
    "empty": b"",
    "blank": b" \n",
    "depth 21": b"[" * 21 + b"]" * 21,
    "depth 21 of objects": b'{"a":' * 21 + b"1" + b"}" * 21,
    "depth 100,000": b"[" * 100_000,
    "depth 21 after brackets in a string": b'["[[[]]]",' + b"[" * 20 + b"]" * 21,
    "21 digits": b"1" * 21,
    "5,000 digits": b"-" + b"9" * 5000,
    "too large": b"1e400",
    "NaN": b"NaN",
    "Infinity": b"[Infinity]",
    "-Infinity": b"-Infinity",
    "twice": b'{"a":1,"a":1}',
    "twice by an escape": b'{"a":1,"\\u0061":2}',
    "twice inside": b'[{"b":{"a":1,"a":1}}]',
    "NUL": b'"\\u0000"',
    "raw NUL": b'"\0"',
    "NUL in a name": b'{"\\u0000":1}',
    "high half": b'"\\ud83d"',
    "low half": b'["\\uDE00"]',
    "halves in the wrong order": b'"\\ude00\\ud83d"',
    "half in a name": b'{"\\ud83d":1}',
    "UTF-8 of a half": b'"\xed\xa0\xbd"',
    "not UTF-8": b'"\xff"',
    "byte order mark": b"\xef\xbb\xbf{}",
    "UTF-16": '{"a":1}'.encode("utf-16"),
    "UTF-16 without mark": '{"a":1}'.encode("utf-16-le"),
    "trailing data": b"{} {}",
    "trailing comma": b"[1,]",
    "comment": b"{}//",
    "single quotes": b"{'a':1}",
    "control character": b'"\t"',
    "leading zero": b"01",
    "plus": b"+1",
    "bare word": b"none",
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str) -> None:
    with pytest.raises(NotStrictJson):
        loads(REFUSED[case])


@pytest.mark.parametrize(
    "text",
    [
        b"[" * 20 + b"]" * 20,
        b'["' + b"[" * 100 + b'"]',
        b'["\\"[[[[[[[[[[[[[[[[[[[[[[[[[","\\\\"]',
        b"12345678901234567890",
        b"-12345678901234567890",
        b"1e308",
        b' {"a" : [1, 2.5, true, false, null, "\\ud83d\\ude00", "\xe7\x9a\x87"]}\r\n',
        b'"\\\\u0000"',
        b'{"a":{"b":1},"b":{"a":1}}',
    ],
)
def test_accepted_as_the_standard_parser_reads_it(text: bytes) -> None:
    assert loads(text) == json.loads(text)


def test_an_error_quotes_nothing_of_the_text() -> None:
    for text in (b'{"secret":1,"secret":2}', b'["secret', b"secret", b'"\xffsecret"'):
        with pytest.raises(NotStrictJson) as caught:
            loads(text)
        assert "secret" not in str(caught.value)


def test_an_endless_string_of_quotes_costs_no_more_than_its_length() -> None:
    """64 KiB of escaped quotes and brackets: quadratic scanning would take minutes."""
    for text in (b'"' + b'\\"' * 32_000, b'"' + b'\\"[' * 21_000, b'["' * 32_000):
        with pytest.raises(NotStrictJson):
            loads(text)


def test_random_bytes_and_mutations_raise_nothing_else() -> None:
    draw = random.Random("strict")
    seed = b'{"request":"01J","answer":"77","note":"\\u00e9","n":[1,{"a":null}]}'
    for _ in range(3000):
        text = bytearray(seed)
        for _ in range(draw.randint(1, 4)):
            text[draw.randrange(len(text))] = draw.randrange(256)
        try:
            loads(bytes(text))
        except NotStrictJson:
            continue


@pytest.mark.parametrize(
    ("text", "parts"),
    [(b"[]", 1), (b"[1,2,[3]]", 4), (b'{"a":{},"b":[]}', 4), (b'"[{,"', 3), (b"7", 0)],
)
def test_parts_are_counted_on_the_bytes(text: bytes, parts: int) -> None:
    assert loads(text, parts) == json.loads(text)
    if parts:
        with pytest.raises(NotStrictJson, match=f"more than {parts - 1} lists"):
            loads(text, parts - 1)
