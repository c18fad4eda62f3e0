//# let and const have block scope and a dead zone
let x = 1; { let x = 2; assert.sameValue(x, 2) } assert.sameValue(x, 1)
assert.throws(ReferenceError, () => { dead; let dead })
assert.throws(TypeError, () => { const c = 1; c = 2 })
const fs = []; for (let i = 0; i < 3; i++) fs.push(() => i)
assert.compareArray(fs.map(f => f()), [0, 1, 2])
//# arrow functions take this and arguments from around them
function outer() { return (() => [this.v, arguments[0]])() }
assert.compareArray(outer.call({ v: 1 }, 2), [1, 2])
assert.throws(TypeError, () => new (() => {})())
assert.sameValue((() => {}).hasOwnProperty('prototype'), false)
//# classes
class A { constructor(v) { this.v = v } get double() { return this.v * 2 } static make() { return new this(3) } m() { return 'A' } }
class B extends A { constructor(v) { super(v + 1) } m() { return super.m() + 'B' } ['n' + 1]() { return 1 } }
assert.sameValue(new B(1).double, 4); assert.sameValue(B.make().v, 4); assert.sameValue(new B(0).m(), 'AB'); assert.sameValue(new B(0).n1(), 1)
assert.throws(TypeError, () => A()); assert.throws(ReferenceError, () => new (class extends A { constructor() {} })())
assert.sameValue(new (class { f() { return new.target } })().f(), undefined)
//# builtins can be extended
class List extends Array { last() { return this.at(-1) } }
assert.sameValue(List.of(1, 2).map(x => x * 2).last(), 4); assert(List.from([1]) instanceof List); assert(Array.isArray(new List()))
class Fault extends TypeError {} assert(new Fault('m') instanceof Error); assert.sameValue(new Fault('m').message, 'm')
//# destructuring
const { a, b: [c, , d = 4, ...rest], ...others } = { a: 1, b: [2, 3, undefined, 5, 6], e: 7, f: 8 }
assert.compareArray([a, c, d, ...rest, others.e, others.f], [1, 2, 4, 5, 6, 7, 8])
let p = 1, q = 2; [p, q] = [q, p]; assert.compareArray([p, q], [2, 1])
assert.throws(TypeError, () => { const { z } = null })
assert.sameValue((({ n = 5 } = {}) => n)(), 5)
//# default and rest parameters
function f(a, b = a + 1, ...c) { return [a, b, c.length] }
assert.compareArray(f(1), [1, 2, 0]); assert.compareArray(f(1, undefined, 3, 4), [1, 2, 2]); assert.sameValue(f.length, 1)
assert.throws(ReferenceError, () => ((a = b, b) => a)())
//# spread
assert.compareArray([...'ab', ...new Set([1, 1, 2])], ['a', 'b', 1, 2]); assert.sameValue(Math.max(...[1, 5], 3), 5)
assert.sameValue(new Date(...[2020, 1]).getMonth(), 1)
//# template literals and tags
const tag = (s, ...v) => s.raw.join('|') + v.join(','); assert.sameValue(tag`a${1}\n${2}`, 'a|\\n|1,2')
assert.sameValue(`x${1 + 1}y`, 'x2y'); assert.sameValue(String.raw`\u00zz${0}`, '\\u00zz0')
const id = s => s; const twice = () => id`k`; assert.sameValue(twice(), twice()); assert(Object.isFrozen(twice()))
//# iterators and generators
function* g() { const got = yield 1; try { yield got } finally { yield 'f' } return 9 }
const it = g(); assert.sameValue(it.next().value, 1); assert.sameValue(it.next('in').value, 'in'); assert.sameValue(it.return(5).value, 'f'); assert.sameValue(it.next().value, 5); assert.sameValue(it.next().done, true)
function* both() { const r = yield* g2(); yield r } function* g2() { yield 1; return 2 } assert.compareArray([...both()], [1, 2])
let closed = false; for (const v of { [Symbol.iterator]: () => ({ next: () => ({ value: 1 }), return() { closed = true; return {} } }) }) break
assert(closed)
//# Map, Set and their weak kin
const m = new Map([[NaN, 1], [-0, 2]]); assert.sameValue(m.get(NaN), 1); assert.sameValue([...m.keys()][1], 0); assert.sameValue(m.delete(0), true); assert.sameValue(m.size, 1)
const order = new Map([['a', 1]]); const seen = []; order.forEach((v, k) => { seen.push(k); if (v < 3) order.set(k + v, v + 1) }); assert.compareArray(seen, ['a', 'a1', 'a12'])
const key = {}; const w = new WeakMap([[key, 1]]); assert.sameValue(w.get(key), 1); assert.throws(TypeError, () => w.set(1, 1)); assert(new WeakSet([key]).has(key))
//# Symbol
const s = Symbol('d'); assert.sameValue(typeof s, 'symbol'); assert.sameValue(Symbol.for('k'), Symbol.for('k')); assert.sameValue(Symbol.keyFor(Symbol.for('k')), 'k'); assert.throws(TypeError, () => s + '')
assert.sameValue(`${{ [Symbol.toPrimitive]: hint => hint }}`, 'string'); assert([] instanceof class { static [Symbol.hasInstance](x) { return Array.isArray(x) } })
//# Proxy and Reflect
const log = []; const proxy = new Proxy({ a: 1 }, { get: (t, k, r) => { log.push(k); return Reflect.get(t, k, r) }, has: () => true, deleteProperty: () => false })
assert.sameValue(proxy.a, 1); assert('anything' in proxy); assert.throws(TypeError, () => { 'use strict'; delete proxy.a }); assert.compareArray(log, ['a'])
assert.compareArray(Reflect.ownKeys({ b: 1, 1: 1, a: 1, 0: 1 }), ['0', '1', 'b', 'a']); assert.sameValue(Reflect.construct(Date, [0]).getTime(), 0)
assert.throws(TypeError, () => new Proxy(Object.freeze({ a: 1 }), { get: () => 2 }).a)
//# promises settle in order
const ticks = []; Promise.resolve().then(() => ticks.push(2)).then(() => ticks.push(4)); Promise.resolve().then(() => ticks.push(3)); ticks.push(1)
await 0; await 0; await 0; assert.compareArray(ticks, [1, 2, 3, 4])
assert.compareArray(await Promise.all([1, Promise.resolve(2), { then: r => r(3) }]), [1, 2, 3]); assert.sameValue(await Promise.race([new Promise(() => {}), 5]), 5)
//# typed arrays
const buffer = new ArrayBuffer(8); new DataView(buffer).setFloat32(0, 1.5); assert.sameValue(new DataView(buffer).getUint8(0), 0x3f)
assert.compareArray(new Uint8ClampedArray([300, -5, 1.5]), [255, 0, 2]); assert.compareArray(Int16Array.of(1, 2, 3).subarray(1), [2, 3]); assert.sameValue(new Uint8Array([257])[0], 1)
//# regular expressions with y and u
const re = /a/y; re.lastIndex = 1; assert(re.test('ba')); assert(!re.test('ba')); assert.sameValue('😀'.match(/./u)[0].length, 2); assert.throws(SyntaxError, () => new RegExp('\\-', 'u')); assert.sameValue(/\u{1F600}/u.test('😀'), true)
//# strings and numbers
assert('abc'.includes('b') && 'abc'.startsWith('a') && 'abc'.endsWith('c')); assert.sameValue('ab'.repeat(2), 'abab'); assert.sameValue('😀'.codePointAt(0), 0x1f600); assert.sameValue('e\u0301'.normalize('NFC'), 'é')
assert.sameValue(0b101 + 0o17, 20); assert(Number.isSafeInteger(2 ** 53 - 1)); assert.sameValue(Math.sign(-0), -0); assert.sameValue(Math.hypot(3, 4), 5); assert.sameValue(Math.clz32(1), 31); assert(Math.abs(Math.cbrt(27) - 3) < 1e-12)
//# arrays and objects
assert.compareArray(Array.from({ length: 2 }, (_, i) => i * 2), [0, 2]); assert.sameValue([1, 2, 3].find(v => v > 1), 2); assert.compareArray([1, 2, 3, 4].copyWithin(0, 2), [3, 4, 3, 4]); assert.compareArray([...['a', 'b'].entries()].flat(), [0, 'a', 1, 'b'])
assert.sameValue(Object.assign({ a: 1 }, null, { b: 2 }).b, 2); assert(Object.is(NaN, NaN)); const o = { __proto__: Array.prototype, ['k' + 1]: 1, m() {} }; assert.sameValue(o.k1, 1); assert.sameValue(Object.getPrototypeOf(o), Array.prototype)
