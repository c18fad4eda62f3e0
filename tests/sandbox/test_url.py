"""``URL`` and ``URLSearchParams`` are those of the WHATWG standard (spec 2.7)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.sandbox.driver import RunProgram

URLS = {
    "HTTP://EXAMPLE.com:80/a/../b/./c?x=1#h": "http://example.com/b/c?x=1#h",
    "https://user:pa%20ss@host:8080/p": "https://user:pa%20ss@host:8080/p",
    "http://192.168.0.1.": "http://192.168.0.1/",
    "http://0x7f.1/": "http://127.0.0.1/",
    "http://[::1]:80/": "http://[::1]/",
    "https://münchen.de/ä?ö=ü#ß": "https://xn--mnchen-3ya.de/%C3%A4?%C3%B6=%C3%BC#%C3%9F",
    "http://日本語。\uff2a\uff30": "http://xn--wgv71a119e.jp/",
    "file:///C:/x/../y": "file:///C:/y",
    "data:text/plain,hello world#frag ": "data:text/plain,hello world#frag",
    "http:\\\\x.y\\a\\b": "http://x.y/a/b",
    "http://a\tb\nc/": "http://abc/",
    "http://x/?q=a'b\"c<d>": "http://x/?q=a%27b%22c%3Cd%3E",
    "mailto:a@b.c?x=y": "mailto:a@b.c?x=y",
}


def test_a_url_is_read_as_the_standard_says(run: RunProgram) -> None:
    assert run(f"{json.dumps(list(URLS))}.map((u) => new URL(u).href)").value == list(URLS.values())


def test_a_url_that_is_none_is_refused_everywhere(run: RunProgram) -> None:
    bad = ["foo", "", "//x", "http://a b/", "http://256.1.1.1/", "http://ex.com:99999/", "http://[::1", "http://%00/"]
    result = run(
        f"{json.dumps(bad)}.map((u) => {{\n"
        "  let thrown; try { new URL(u) } catch (e) { thrown = e.name }\n"
        "  return [thrown, URL.canParse(u), URL.parse(u)]\n"
        "})"
    )
    assert result.value == [["TypeError", False, None]] * len(bad)


def test_a_relative_url_error_says_how_to_give_a_base(run: RunProgram) -> None:
    assert run("new URL('/users/1')").failure.message == (
        "TypeError: Invalid URL '/users/1': it is relative, so pass a base, as in new URL(path, 'https://host')"
    )


def test_a_base_is_applied(run: RunProgram) -> None:
    result = run("['../up', '?q', '#f', '/abs', '//other'].map((u) => new URL(u, 'http://base.org/d/e/f?q#h').href)")
    assert result.value == [
        "http://base.org/d/up",
        "http://base.org/d/e/f?q",
        "http://base.org/d/e/f?q#f",
        "http://base.org/abs",
        "http://other/",
    ]


def test_each_part_of_a_url_can_be_read_and_set(run: RunProgram) -> None:
    result = run(
        """
        const u = new URL('https://u:p@h.com:8080/a/b?q=1#f')
        const read = () => [u.origin, u.protocol, u.username, u.password, u.host, u.hostname, u.port,
          u.pathname, u.search, u.hash]
        const before = read()
        u.protocol = 'http'; u.username = 'me'; u.password = ''; u.hostname = 'x.org'; u.port = '80'
        u.pathname = '/ü p'; u.search = 'a=b c'; u.hash = 'z'
        let refused; try { u.href = 'nope' } catch (e) { refused = e.name }
        return [before, u.href, refused, String(u), JSON.stringify({ u })]
        """
    )
    href = "http://me@x.org/%C3%BC%20p?a=b%20c#z"
    assert result.value == [
        ["https://h.com:8080", "https:", "u", "p", "h.com:8080", "h.com", "8080", "/a/b", "?q=1", "#f"],
        href,
        "TypeError",
        href,
        '{"u":"' + href + '"}',
    ]


def test_search_params_and_their_url_stay_in_step(run: RunProgram) -> None:
    result = run(
        """
        const u = new URL('http://x/?a=1'), p = u.searchParams, seen = []
        p.append('b', '2 3'); seen.push(u.href)
        u.search = '?z=9'; seen.push(p.toString())
        p.set('q', 'é'); p.delete('z'); seen.push(u.href)
        u.href = 'http://y/?n=2&m=1'; p.sort(); seen.push(u.href, u.searchParams === p)
        for (const k of [...p.keys()]) p.delete(k); seen.push(u.href)
        seen
        """
    )
    assert result.value == [
        "http://x/?a=1&b=2+3",
        "z=9",
        "http://x/?q=%C3%A9",
        "http://y/?m=1&n=2",
        True,
        "http://y/",
    ]


PARAMS = {
    "a string": ("'?a=1&b=2&a=3'", "a=1&b=2&a=3"),
    "pairs": ("[['a', 'b'], ['c', 1]]", "a=b&c=1"),
    "an object": ("{ a: 1, b: [1, 2], c: undefined }", "a=1&b=1%2C2&c=undefined"),
    "a map": ("new Map([['k', 'v w']])", "k=v+w"),
    "a generator": ("(function* () { yield ['g', '1'] })()", "g=1"),
    "another list": ("new URLSearchParams('z=1&z=2')", "z=1&z=2"),
    "odd escapes": ("'a=%zz&b=%F0%9F%98%80&c=a+b'", "a=%25zz&b=%F0%9F%98%80&c=a+b"),
    "a lone surrogate": ("'a=\\ud800'", "a=%EF%BF%BD"),
    "nothing": ("", ""),
}


@pytest.mark.parametrize("name", PARAMS)
def test_search_params_are_made_from(run: RunProgram, name: str) -> None:
    source, expected = PARAMS[name]
    assert run(f"new URLSearchParams({source}).toString()").value == expected


def test_search_params_answer_every_question(run: RunProgram) -> None:
    result = run(
        """
        const p = new URLSearchParams('a=1&b=2&a=3'), each = []
        p.forEach(function (v, k, o) { each.push(k + v + (o === p) + this.t) }, { t: 't' })
        return [p.size, p.get('a'), p.get('x'), p.getAll('a'), p.has('a'), p.has('a', '3'), p.has('a', '4'),
         [...p], [...p.keys()], [...p.values()], each, p[Symbol.iterator] === p.entries,
         (p.delete('a', '1'), p.toString())]
        """
    )
    assert result.value == [
        *(3, "1", None, ["1", "3"], True, True, False),
        [["a", "1"], ["b", "2"], ["a", "3"]],
        ["a", "b", "a"],
        ["1", "2", "3"],
        ["a1truet", "b2truet", "a3truet"],
        True,
        "b=2&a=3",
    ]


@pytest.mark.parametrize("source", ["[['a']]", "[1]", "[['a', 'b', 'c']]", "{ [Symbol('x')]: 1 }", "{ a: Symbol() }"])
def test_search_params_refuse_what_is_no_list_of_pairs(run: RunProgram, source: str) -> None:
    assert run(f"new URLSearchParams({source})").failure.message.startswith("TypeError: ")


def test_a_list_that_changes_while_it_is_walked_is_followed(run: RunProgram) -> None:
    result = run(
        """
        const p = new URLSearchParams('a=1'), seen = []
        for (const [k, v] of p) { seen.push(k + v); if (seen.length < 4) p.append('x', seen.length) }
        const q = new URLSearchParams('a=1&b=2&c=3'), kept = []
        for (const [k] of q) { kept.push(k); q.delete(k) }
        return [seen, kept]
        """
    )
    assert result.value == [["a1", "x1", "x2", "x3"], ["a", "c"]]


def test_a_subclass_of_url_is_one(run: RunProgram) -> None:
    assert run(
        "class U extends URL { get h() { return this.host } }; const u = new U('http://h/'); [u.h, u instanceof URL]"
    ).value == [
        "h",
        True,
    ]


@pytest.mark.parametrize(
    "source",
    [
        "URL.prototype.href",
        "Object.getOwnPropertyDescriptor(URL.prototype, 'href').get.call({})",
        "Object.getOwnPropertyDescriptor(URL.prototype, 'hash').set.call(new Map(), 'x')",
        "URLSearchParams.prototype.get.call({}, 'a')",
        "new URLSearchParams().keys().next.call({})",
        "TextDecoder.prototype.decode.call({})",
        "TextEncoder.prototype.encode.call({}, 'a')",
    ],
)
def test_a_method_on_the_wrong_object_is_a_type_error(run: RunProgram, source: str) -> None:
    assert run(source).failure.message.startswith("TypeError: ")


def test_many_urls_leave_no_garbage_behind(run: RunProgram) -> None:
    few = run("for (let i = 0; i < 500; i++) new URL('http://x/?i=' + i).searchParams.append('k', 'v'.repeat(2000)); 1")
    many = run(
        "for (let i = 0; i < 8000; i++) new URL('http://x/?i=' + i).searchParams.append('k', 'v'.repeat(2000)); 1"
    )
    assert many.value == 1
    assert many.peak <= few.peak + (8 << 20)
