import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { processWide, requireProcessWide, setProcessWide } from './process-wide.ts'

declare module '#server/process-wide.ts' {
  interface ProcessWideValues {
    valueOfATest: { count: number }
  }
}

/** Another copy of the same module, as Next bundles one. */
const copy: typeof import('./process-wide.ts') = await import(`${new URL('./process-wide.ts', import.meta.url)}?copy`)
afterEach(() => {
  delete globalThis.countersignProcessWide?.valueOfATest
})

test('the value that was set is returned by another copy of the module', () => {
  const value = { count: 1 }
  setProcessWide('valueOfATest', value)
  assert.notEqual(copy.requireProcessWide, requireProcessWide)
  assert.equal(copy.requireProcessWide('valueOfATest', 'advice'), value)
})

test('one value is created however many copies of the module ask', () => {
  const created = processWide('valueOfATest', () => ({ count: 1 }))
  assert.equal(
    copy.processWide('valueOfATest', () => assert.fail('created twice')),
    created,
  )
})

test('an error that says what to do is thrown when the value was not set', () => {
  assert.throws(() => requireProcessWide('valueOfATest', 'Start the service.'), /^Error: Start the service\.$/)
})
