//# rest and spread of objects
const { a, ...rest } = { a: 1, b: 2, [Symbol.iterator]: 3 }; assert.sameValue(rest.b, 2); assert.sameValue(rest[Symbol.iterator], 3); assert(!('a' in rest)); const merged = { ...{ x: 1 }, ...null, ...[7], x: 2 }; assert.sameValue(merged.x, 2); assert.sameValue(merged[0], 7)
let reads = 0; ({ ...{ get g() { return ++reads } } }); assert.sameValue(reads, 1)
//# asynchronous iteration
async function* g() { yield 1; yield Promise.resolve(2); try { yield 3 } finally { await 0 } } const got = []; for await (const v of g()) got.push(v); assert.compareArray(got, [1, 2, 3])
for await (const v of [Promise.resolve(4)]) assert.sameValue(v, 4)
const it = g(); assert.sameValue((await it.next()).value, 1); assert.sameValue((await it.return('r')).value, 'r'); assert((await it.next()).done)
//# finally
let ran = 0; assert.sameValue(await Promise.resolve(1).finally(() => { ran++; return 2 }), 1); await assert.rejects(RangeError, Promise.resolve(1).finally(() => { throw new RangeError() })); assert.sameValue(ran, 1)
//# regular expressions: named groups, lookbehind, s and property escapes
const { groups: { y, m } } = /(?<y>\d{4})-(?<m>\d\d)/.exec('on 2020-05'); assert.compareArray([y, m], ['2020', '05']); assert.sameValue('2020-05'.replace(/(?<y>\d+)-(?<m>\d+)/, '$<m>/$<y>'), '05/2020')
assert.sameValue('$5 €6'.match(/(?<=€)\d/)[0], '6'); assert.sameValue('a1b2'.replace(/(?<!a)\d/, 'x'), 'a1bx'); assert(/a.b/s.test('a\nb')); assert(/^\p{Lu}\p{Script=Greek}$/u.test('Éα')); assert(/(?<k>a)\k<k>/.test('aa'))
//# template literal revision
const tag = s => s[0]; assert.sameValue(tag`\unicode`, undefined); assert.throws(SyntaxError, () => new Function('`\\unicode`'))
