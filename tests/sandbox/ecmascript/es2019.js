//# flat, flatMap and fromEntries
assert.compareArray([1, [2, [3, [4]]]].flat(Infinity), [1, 2, 3, 4]); assert.compareArray([1, 2].flatMap(x => [x, x * 2]), [1, 2, 2, 4]); assert.sameValue(Object.fromEntries(new Map([['a', 1]])).a, 1)
//# trimming, optional catch and symbol descriptions
assert.sameValue(' a '.trimStart() + '|' + ' a '.trimEnd(), 'a | a'); let hit = false; try { throw 1 } catch { hit = true } assert(hit); assert.sameValue(Symbol('d').description, 'd'); assert.sameValue(Symbol().description, undefined)
//# a stable sort
const sorted = Array.from({ length: 200 }, (_, i) => ({ k: i % 3, i })).sort((a, b) => a.k - b.k); for (let i = 1; i < 200; i++) assert(sorted[i - 1].k < sorted[i].k || sorted[i - 1].i < sorted[i].i)
//# well-formed JSON.stringify and the source of functions
assert.sameValue(JSON.stringify('\ud800'), '"\\ud800"'); assert.sameValue((function  a ( ) { /* c */ }).toString(), 'function  a ( ) { /* c */ }'); assert.sameValue(JSON.parse('"\u2028"'), '\u2028')
