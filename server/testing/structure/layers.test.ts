import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSources, toSource } from './imports.ts'
import { findViolations } from './layers.ts'

test('no file breaks the layers', () => {
  const files = readSources('{app,components,lib,server}/**/*.{ts,tsx}')
  assert.ok(files.length > 500, `${files.length} files`)
  assert.deepEqual(findViolations(files), [])
})

for (const [file, text, rule] of [
  ['lib/a.ts', `import { readFile } from 'node:fs/promises'`, 'lib imports packages and lib only'],
  ['lib/a.ts', `import Link from 'next/link'`, 'lib imports packages and lib only'],
  ['lib/a.ts', `import type { Pool } from '#server/database/pool.ts'`, 'lib imports packages and lib only'],
  ['lib/a.ts', `import { x } from '../components/ui/button.tsx'`, 'lib imports packages and lib only'],
  ['components/table/a.tsx', `import { x } from '../../app/page.tsx'`, 'components import packages, components and lib only'],
  ['components/ui/a.tsx', `import { Badge } from '#components/domain/badge.tsx'`, 'components/ui knows no other components'],
  ['server/http/api/a.ts', `import { B } from '#components/ui/button.tsx'`, 'server imports neither pages nor e2e'],
  ['server/people/testing.ts', `import { b } from '#e2e/web/people.ts'`, 'server imports neither pages nor e2e'],
  ['app/_components/a.tsx', `'use client'\nimport type { R } from '#server/runtime.ts'`, 'code in the browser never imports server'],
  ['server/http/api/a.ts', `import { x } from '../../testing/database.ts'`, 'only tests import helpers of tests'],
  ['app/page.tsx', `import { x } from '#server/people/testing/test-people.ts'`, 'only tests import helpers of tests'],
  [
    'server/approvals/a.ts',
    `export { storeX } from '../transactions/a-store.ts'`,
    'the writes of a store are called only in its own folder',
  ],
  [
    'app/page.tsx',
    `import { type X, findX, updateX } from '#server/people/a-store.ts'`,
    'the writes of a store are called only in its own folder',
  ],
  ['server/ledger/a.ts', `import { x } from '../transactions/intake.ts'`, 'imports go to lower layers only'],
  ['server/ledger/a.ts', `import { x } from '#server/webhooks/a.ts'`, 'imports go to lower layers only'],
  ['server/operators/deep/a.ts', `import type { x } from '../../http/api/a.ts'`, 'imports go to lower layers only'],
  ['server/database/a.ts', `const { x } = await import('../main.ts')`, 'imports go to lower layers only'],
  ['server/newfolder/a.ts', `import { x } from '../config.ts'`, 'imports go to lower layers only'],
  ['server/credentials/testing.ts', `import { x } from '../people/a.ts'`, 'imports go to lower layers only'],
  ['server/http/api/a.ts', `import { x } from '../door/a.ts'`, 'imports go to lower layers only'],
  ['server/http/api/a.ts', `import { x } from '../endpoints/a.ts'`, 'imports go to lower layers only'],
  ['server/http/a.ts', 'const text = `select 1 from applications`', 'SQL is only in …-store.ts and server/database'],
  [
    'server/people/a-store.ts',
    'export function readX() {\n  return `delete from people`\n}',
    'readX is named like a function that only reads',
  ],
] as const) {
  test(`found in ${file}: ${text.split('\n').at(-1)}`, () => {
    const found = findViolations([toSource(file, text)])
    assert.ok(
      found.some((each) => each.endsWith(`: ${rule}`)),
      JSON.stringify(found),
    )
  })
}

test('nothing is found in imports that the layers allow', () => {
  const allowed = [
    toSource('server/approvals/decide.ts', `import { x } from '../transactions/transition.ts'\nimport { y } from './approval-store.ts'`),
    toSource('server/operators/simulator/a.ts', `import { x } from '../operator-work-store.ts'`),
    toSource('server/http/door/a.ts', `import { x } from '../api/endpoint.ts'`),
    toSource('server/people/testing.ts', `import { x } from '#server/testing/database.ts'`),
    toSource('app/sign-in/page.tsx', `import { x } from '#server/back-office/actor.ts'\nexport default function Page() {}`),
  ]
  assert.deepEqual(findViolations(allowed), [])
})
