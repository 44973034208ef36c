import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { SourceFile } from './import-graph.ts'
import { findUnusedExports, findUnusedFiles } from './unused-exports.ts'

const files: SourceFile[] = globSync(['{app,components,lib,server,e2e}/**/*.{ts,tsx,mjs}', '*.{ts,mjs}']).map((path) => ({
  path,
  text: readFileSync(path, 'utf8'),
}))

test('no export without an importer', () => {
  assert.ok(files.length > 500, `${files.length} files`)
  assert.deepEqual(findUnusedExports(files), [])
})

test('no file that nothing imports or names', () => {
  assert.deepEqual(findUnusedFiles(files, readFileSync('package.json', 'utf8')), [])
})

for (const text of [
  'export function f() {}',
  'export async function f() {}',
  'export const f = 1',
  'export type f = string',
  'export class f {}',
  'const g = 1\nexport { g as f }',
]) {
  test(`noticed without an importer: ${text.replaceAll('\n', ' ')}`, () => {
    assert.deepEqual(findUnusedExports([{ path: 'lib/a.ts', text }]), [{ path: 'lib/a.ts', name: 'f' }])
  })
}

for (const text of [
  `import { f } from './a.ts'`,
  `import {\n  f as g,\n} from '#lib/a.ts'`,
  `import { type f } from './a.ts'`,
  `export { f } from './a.ts'`,
  `import * as a from './a.ts'\na.f()`,
  `const { f } = await import('./a.ts')`,
  `run(\`import { f } from '\${MODULE}'\`)`,
]) {
  test(`not noticed with an importer: ${text.replaceAll(/\s+/g, ' ')}`, () => {
    const found = findUnusedExports([
      { path: 'lib/a.ts', text: 'export const f = 1' },
      { path: 'lib/b.test.ts', text },
    ])
    assert.deepEqual(found, [])
  })
}

test('a file is used if it is imported, named in a string, or the target of an npm script', () => {
  const of = (path: string, text = '') => ({ path, text })
  const scene = [of('lib/a.ts', `import './b.ts'\nstart('e2e/c.ts')`), of('lib/b.ts'), of('e2e/c.ts'), of('server/d.ts')]
  assert.deepEqual(findUnusedFiles(scene, '"start": "node server/d.ts"'), ['lib/a.ts'])
})
