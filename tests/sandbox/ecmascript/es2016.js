//# exponentiation
assert.sameValue(2 ** 10, 1024); assert.sameValue(2 ** 3 ** 2, 512); assert.sameValue((-2) ** 2, 4); let n = 3; n **= 2; assert.sameValue(n, 9); assert.throws(SyntaxError, () => new Function('-2 ** 2'))
//# Array.prototype.includes
assert([1, NaN].includes(NaN)); assert(![1].includes(1, 1)); assert([, 1].includes(undefined)); assert(new Float32Array([1]).includes(1))
