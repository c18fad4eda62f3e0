//# async functions
const trace = []; async function f() { trace.push(1); await null; trace.push(3); return 4 } const p = f(); trace.push(2)
assert(p instanceof Promise); assert.sameValue(await p, 4); assert.compareArray(trace, [1, 2, 3]); await assert.rejects(TypeError, (async () => { null.x })())
class C { async m() { return this.v } v = 5; static async s() { return super.toString !== undefined } } assert.sameValue(await new C().m(), 5); assert.sameValue(await C.s(), true)
try { await (async () => { try { await Promise.reject(1) } finally { trace.push('f') } })() } catch (e) { assert.sameValue(e, 1) } assert.sameValue(trace.at(-1), 'f')
//# Object.values, entries and descriptors
assert.compareArray(Object.values({ a: 1, b: 2 }), [1, 2]); assert.compareArray(Object.entries('ab').flat(), ['0', 'a', '1', 'b'])
assert.sameValue(typeof Object.getOwnPropertyDescriptors({ get x() { return 1 } }).x.get, 'function')
//# padding and trailing commas
assert.sameValue('5'.padStart(3, '0'), '005'); assert.sameValue('ab'.padEnd(5, 'xy'), 'abxyx'); assert.sameValue(((a, b,) => a + b)(1, 2,), 3)
