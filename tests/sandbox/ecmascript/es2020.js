//# optional chaining and nullish coalescing
const o = { a: { f() { return this === o.a } }, z: 0 }; assert.sameValue(o?.a?.f?.(), true); assert.sameValue(o.b?.c.d.e, undefined); assert.sameValue(o.b?.[x()], undefined); assert.sameValue(o.z ?? 1, 0); assert.sameValue(null ?? undefined ?? 2, 2); assert.sameValue(delete o?.b?.c, true)
assert.throws(SyntaxError, () => new Function('a ?? b || c'))
//# BigInt
assert.sameValue(2n ** 64n, 18446744073709551616n); assert.sameValue(-7n / 2n, -3n); assert.sameValue(typeof 1n, 'bigint'); assert(1n < 2 && 2n == 2 && 0n == false); assert.throws(TypeError, () => 1n + 1); assert.throws(RangeError, () => 1n / 0n); assert.sameValue(BigInt.asIntN(8, 255n), -1n); assert.sameValue(BigInt('0xff'), 255n); assert.sameValue((123n).toString(16), '7b'); assert.sameValue(Number(2n ** 53n), 9007199254740992); assert.sameValue(new BigUint64Array([-1n])[0], 2n ** 64n - 1n)
//# allSettled, matchAll and globalThis
assert.compareArray((await Promise.allSettled([1, Promise.reject(2)])).map(r => r.status), ['fulfilled', 'rejected']); assert.compareArray([...'a1b22'.matchAll(/\d+/g)].map(m => m[0] + m.index), ['11', '223']); assert.sameValue(globalThis.globalThis, globalThis); assert.throws(TypeError, () => 'a'.matchAll(/a/))
//# for-in order
const keys = []; for (const k in { b: 1, 2: 1, a: 1, 1: 1, __proto__: { p: 1, a: 2 } }) keys.push(k); assert.compareArray(keys, ['1', '2', 'b', 'a', 'p'])
