// What the samples assert with, in the shape of the conformance suite's harness.
class TestError extends Error { name = 'TestError' }

function assert(holds, message = 'assertion failed') {
  if (holds !== true) throw new TestError(message)
}

assert.sameValue = (actual, expected, message = '') => {
  if (!Object.is(actual, expected)) throw new TestError(`${String(actual)} is not ${String(expected)} ${message}`)
}

assert.notSameValue = (actual, other, message = '') => {
  if (Object.is(actual, other)) throw new TestError(`${String(actual)} is the same ${message}`)
}

assert.throws = (kind, action, message = '') => {
  try { action() } catch (error) {
    assert.sameValue(error?.constructor, kind, `thrown: ${String(error)} ${message}`)
    return
  }
  throw new TestError(`nothing was thrown, ${kind.name} was expected ${message}`)
}

assert.compareArray = (actual, expected, message = '') => {
  assert.sameValue(actual.length, expected.length, `lengths ${message}`)
  for (let i = 0; i < expected.length; i++) assert.sameValue(actual[i], expected[i], `at ${i} ${message}`)
}

assert.rejects = async (kind, promise) => {
  try { await promise } catch (error) { assert.sameValue(error?.constructor, kind); return }
  throw new TestError(`nothing was rejected, ${kind.name} was expected`)
}
