//# class fields and private members
class A { x = 1; static y = 2; #p = 3; static #q = 4; #m() { return this.#p } get #g() { return 5 } sum() { return this.x + this.#m() + this.#g + A.#q } static has(o) { return #p in o } ['c' + 1] = 6; static { this.block = this.#q } }
assert.sameValue(new A().sum(), 13); assert.sameValue(A.y, 2); assert(A.has(new A())); assert(!A.has({})); assert.sameValue(new A().c1, 6); assert.sameValue(A.block, 4); assert.throws(TypeError, () => A.prototype.sum.call({})); assert.throws(SyntaxError, () => new Function('class B { m() { this.#nope } }'))
class D extends A { x = super.constructor === A ? 'super' : 'no'; z = this.x } assert.sameValue(new D().z, 'super')
//# at, hasOwn and cause
assert.sameValue([1, 2].at(-1), 2); assert.sameValue('ab'.at(-2), 'a'); assert.sameValue(new Uint8Array([7]).at(0), 7); assert(Object.hasOwn({ a: 1 }, 'a')); assert(!Object.hasOwn({}, 'toString')); assert.sameValue(new Error('m', { cause: 5 }).cause, 5); assert(!('cause' in new Error('m')))
//# top-level await and match indices
const v = await Promise.resolve(3); assert.sameValue(v, 3); const m = /a(?<Z>b)?/d.exec('xab'); assert.compareArray(m.indices[0], [1, 3]); assert.compareArray(m.indices.groups.Z, [2, 3])
//# the d flag and lastIndex
const re = /b/dg; re.exec('abb'); assert.sameValue(re.lastIndex, 2); assert(re.hasIndices); assert.sameValue(re.flags, 'dg')
