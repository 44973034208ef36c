import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { findSilentCatches } from './silent-catches.ts'

const TESTING = /\.test\.tsx?$|\/testing(\/|\.ts$)/
const files = [...globSync('{app,components,lib,server}/**/*.{ts,tsx,mjs}'), 'proxy.ts', 'instrumentation.ts', 'next.config.ts']
  .filter((path) => !TESTING.test(path))
  .map((path) => ({ path, text: readFileSync(path, 'utf8') }))

const found = (text: string) => findSilentCatches([{ path: 'server/a.ts', text }]).map(({ line }) => line)

test('no file drops an error without a reason', () => {
  assert.ok(files.length > 300, `${files.length} files`)
  assert.deepEqual(findSilentCatches(files), [])
})

for (const [what, text] of [
  ['an empty block', 'try {\n  work()\n} catch {\n}'],
  ['a block that returns something else', 'try {\n  return work()\n} catch (error) {\n  return undefined\n}'],
  ['an ignored rejection', '\n\nvoid work().catch(() => undefined)'],
  ['a rejection handler of then', '\n\nwork().then((value) => use(value), () => undefined)'],
  ['an ignored error event', "\n\nsocket.on('error', () => undefined)"],
  ['nothing but a comment', 'try {\n  work()\n} catch {\n  // No file: the first start.\n}'],
  ['a rejection dropped under any comment', '\n// The client is gone.\nwork().catch(() => undefined)'],
  ['an empty handler under any comment', '\n// The client is gone.\nwork().catch((_error) => {})'],
] as const) {
  test(`line 3 is reported: ${what}`, () => {
    assert.deepEqual(found(text), [3])
  })
}

for (const [what, text] of [
  ['the error is reported', "work().catch((error) => reportUnexpected('a: work', error))"],
  ['the error is passed on', 'try {\n  work()\n} catch (error) {\n  reject(error)\n}'],
  ['something is thrown', "try {\n  work()\n} catch {\n  throw new Error('No file')\n}"],
  ['a comment inside says why it is ignored', 'try {\n  work()\n} catch {\n  // Ignored: no file at the first start.\n}'],
  ['a comment above says why it is ignored', '// Ignored: the client\n// is gone.\nwork().catch(() => undefined)'],
  ['a value takes its place, and a comment says why', 'try {\n  return work()\n} catch {\n  // No file: the first start.\n  return 0\n}'],
  ['the handler is named', 'work().catch(onError)'],
] as const) {
  test(`no place is found: ${what}`, () => {
    assert.deepEqual(found(text), [])
  })
}
