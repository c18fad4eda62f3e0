//# logical assignment and separators
let a = null; a ??= 1; a &&= a + 1; let b = 0; b ||= 5; assert.compareArray([a, b], [2, 5]); const frozen = Object.freeze({ v: 1 }); assert.sameValue(frozen.v ||= 2, 1); assert.sameValue(1_000_000.5_5, 1000000.55); assert.throws(SyntaxError, () => new Function('1__0'))
//# replaceAll and Promise.any
assert.sameValue('a.a.a'.replaceAll('.', '$&$&'), 'a..a..a'); assert.throws(TypeError, () => 'a'.replaceAll(/a/, '')); assert.sameValue(await Promise.any([Promise.reject(1), 2]), 2)
try { await Promise.any([Promise.reject(1)]); assert(false) } catch (e) { assert(e instanceof AggregateError); assert.compareArray(e.errors, [1]) }
//# weak references
const target = {}; assert.sameValue(new WeakRef(target).deref(), target); assert.throws(TypeError, () => new WeakRef(1)); new FinalizationRegistry(() => {}).register(target, 1)
