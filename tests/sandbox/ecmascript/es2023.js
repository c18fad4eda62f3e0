//# arrays that change by copy
const a = [3, 1, 2]; assert.compareArray(a.toSorted(), [1, 2, 3]); assert.compareArray(a.toReversed(), [2, 1, 3]); assert.compareArray(a.toSpliced(1, 1, 9, 9), [3, 9, 9, 2]); assert.compareArray(a.with(-1, 7), [3, 1, 7]); assert.compareArray(a, [3, 1, 2]); assert.throws(RangeError, () => a.with(3, 0)); assert.compareArray(new Int8Array([2, 1]).toSorted(), [1, 2])
//# findLast
assert.sameValue([1, 2, 3].findLast(v => v < 3), 2); assert.sameValue([1, 2].findLastIndex(v => v > 5), -1)
//# hashbang and symbols as weak keys
assert.sameValue(eval('#!shebang\n5'), 5); const k = Symbol(); assert.sameValue(new WeakMap([[k, 1]]).get(k), 1); assert.throws(TypeError, () => new WeakMap().set(Symbol.for('r'), 1))
//# and some of what came after: groups, sets, iterator helpers, v flag
assert.compareArray(Object.groupBy([1, 2, 3], n => n % 2 ? 'odd' : 'even').odd, [1, 3]); assert.compareArray(Map.groupBy([1, 2], n => n > 1).get(true), [2])
assert.compareArray([...new Set([1, 2, 3]).intersection(new Set([2, 3, 4]))], [2, 3]); assert(new Set([1]).isSubsetOf(new Set([1, 2]))); assert.compareArray([1, 2, 3, 4].values().filter(n => n % 2).map(n => n * 10).toArray(), [10, 30])
assert(/[\p{L}--[a-z]]/v.test('É')); assert(!/[\p{L}--[a-z]]/v.test('e')); const { promise, resolve } = Promise.withResolvers(); resolve(4); assert.sameValue(await promise, 4); assert('ab'.isWellFormed()); assert.sameValue(new ArrayBuffer(8).transfer(4).byteLength, 4)
