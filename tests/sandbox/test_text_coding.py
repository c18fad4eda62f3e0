"""``TextEncoder``, ``TextDecoder`` and base64 are those of the standards (spec 2.7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.sandbox.driver import RunProgram

DECODED = {
    "ASCII": ([72, 105], "Hi"),
    "four lengths": ([0x41, 0xC3, 0xA9, 0xE2, 0x82, 0xAC, 0xF0, 0x9F, 0x98, 0x80], "Aé€😀"),
    "a mark at the start": ([0xEF, 0xBB, 0xBF, 0x41], "A"),
    "a mark elsewhere": ([0x41, 0xEF, 0xBB, 0xBF], "A\ufeff"),
    "a stray byte": ([0x41, 0x80, 0x42], "A\ufffdB"),
    "an overlong form": ([0xC0, 0xAF], "\ufffd\ufffd"),
    "a surrogate": ([0xED, 0xA0, 0x80], "\ufffd\ufffd\ufffd"),
    "beyond Unicode": ([0xF4, 0x90, 0x80, 0x80], "\ufffd" * 4),
    "an unfinished sequence": ([0x41, 0xE2, 0x82], "A\ufffd"),
    "a broken sequence": ([0xE2, 0x82, 0x41], "\ufffdA"),
}


@pytest.mark.parametrize("name", DECODED)
def test_utf_8_is_decoded_with_replacement(run: RunProgram, name: str) -> None:
    data, expected = DECODED[name]
    assert run(f"new TextDecoder().decode(new Uint8Array({data}))").value == expected


@pytest.mark.parametrize("name", DECODED)
def test_a_fatal_decoder_takes_valid_text_only(run: RunProgram, name: str) -> None:
    data, expected = DECODED[name]
    result = run(f"new TextDecoder('utf-8', {{ fatal: true }}).decode(new Uint8Array({data}))")
    if "\ufffd" in expected:
        assert result.failure.message == "TypeError: The encoded data was not valid for encoding utf-8"
    else:
        assert result.value == expected


@pytest.mark.parametrize("name", DECODED)
def test_a_stream_decodes_byte_by_byte_to_the_same_text(run: RunProgram, name: str) -> None:
    data, expected = DECODED[name]
    source = (
        "const d = new TextDecoder(); let s = ''\n"
        f"for (const b of {data}) s += d.decode(new Uint8Array([b]), {{ stream: true }})\n"
        "s + d.decode()"
    )
    assert run(source).value == expected


def test_other_encodings_go_by_their_labels(run: RunProgram) -> None:
    result = run(
        """
        const d = (label, bytes) => new TextDecoder(label).decode(new Uint8Array(bytes))
        return [d('utf-16le', [0x3D, 0xD8, 0x00, 0xDE]), d('utf-16be', [0x00, 0x41]), d('latin1', [0xE9, 0x80]),
         d('utf-16le', [0x41, 0x00, 0x41]), ['UTF8', ' ascii\\n', 'unicode',
          'iso-8859-1'].map((l) => new TextDecoder(l).encoding)]
        """
    )
    assert result.value == ["😀", "A", "é€", "A\ufffd", ["utf-8", "windows-1252", "utf-16le", "windows-1252"]]


def test_an_unknown_encoding_names_those_there_are(run: RunProgram) -> None:
    assert run("new TextDecoder('shift_jis')").failure.message == (
        'RangeError: The "shift_jis" encoding is not supported: use utf-8, utf-16le, utf-16be or latin1'
    )


def test_text_is_encoded_whole_and_into_a_place(run: RunProgram) -> None:
    result = run(
        """
        const e = new TextEncoder(), into = new Uint8Array(5)
        return [[...e.encode('aé€😀\\ud800')], e.encode().length, e.encodeInto('é€x', into), [...into],
          e.encodeInto('😀', new Uint8Array(3))]
        """
    )
    assert result.value == [
        [97, 195, 169, 226, 130, 172, 240, 159, 152, 128, 239, 191, 189],
        0,
        {"read": 2, "written": 5},
        [195, 169, 226, 130, 172],
        {"read": 0, "written": 0},
    ]


def test_base64_goes_both_ways(run: RunProgram) -> None:
    assert run("[btoa('héllo'), atob('aOlsbG8='), atob(' YQ = = ')]").value == ["aOlsbG8=", "héllo", "a"]
    assert run("btoa('€')").failure.message.startswith("InvalidCharacterError: ")
