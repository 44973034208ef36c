import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { findCycles, type SourceFile } from './import-graph.ts'
import { findViolations } from './layers.ts'

const files: SourceFile[] = globSync('{app,components,lib,server,e2e}/**/*.{ts,tsx}').map((path) => ({
  path,
  text: readFileSync(path, 'utf8'),
}))

function rulesOf(path: string, text: string): string[] {
  return findViolations([{ path, text }]).map((violation) => violation.rule.replace(/ \(.*/, ''))
}

test('no file breaks the layers', () => {
  assert.ok(files.length > 100, `${files.length} files`)
  assert.deepEqual(findViolations(files), [])
})

for (const [path, text, rule] of [
  ['lib/money.ts', `import { readFile } from 'node:fs/promises'`, 'lib imports npm packages and lib only'],
  ['lib/money.ts', `import Link from 'next/link'`, 'lib imports npm packages and lib only'],
  ['lib/money.ts', `import type { Pool } from '#server/database/pool.ts'`, 'lib imports npm packages and lib only'],
  ['lib/money.ts', `import { x } from '../components/ui/button.tsx'`, 'lib imports npm packages and lib only'],
  ['components/table/list.tsx', `import { x } from '../../app/page.tsx'`, 'components import components and lib only'],
  ['components/ui/button.tsx', `import { Badge } from '#components/domain/badge.tsx'`, 'components/ui knows nothing of the others'],
  ['server/http/a.ts', `import { B } from '#components/ui/button.tsx'`, 'server never imports app or components'],
  ['server/ledger/a.ts', `import { x } from '../transactions/intake.ts'`, 'A folder imports only from layers below its own'],
  ['server/ledger/a.ts', `import { x } from '#server/transactions/intake.ts'`, 'A folder imports only from layers below its own'],
  ['server/operators/deep/a.ts', `import { x } from '../../http/routes.ts'`, 'A folder imports only from layers below its own'],
  ['server/database/a.ts', `const { x } = await import('../main.ts')`, 'A folder imports only from layers below its own'],
  [
    'server/approvals/a.ts',
    `export { x } from '../transactions/transaction-store.ts'\nexport const y = 1`,
    'A store is imported only inside its own folder',
  ],
  ['server/newfolder/a.ts', `import { x } from '../config.ts'`, 'server/newfolder is in no layer'],
  ['server/http/a.ts', 'const text = `select 1 from applications`', 'SQL is only in …-store.ts, …-queries.ts and server/database'],
  ['server/people/a-queries.ts', 'const text = `delete from people`', 'Queries only read'],
  ['server/http/a.ts', `export * from './b.ts'\nexport { c } from './c.ts'`, 'No barrel files'],
  ['server/http/a.ts', `const port = process.env['PORT']`, 'Only server/config.ts reads the environment'],
  ['server/http/a.ts', 'export default function a() {}', 'No default exports'],
  ['server/http/a.ts', `import { createTestDatabase } from '../testing/database.ts'`, 'Only tests import what is made for tests'],
  [
    'app/page/_components/a.tsx',
    `'use client'\nimport type { Runtime } from '#server/runtime.ts'`,
    'What runs in the browser never imports server',
  ],
] as const) {
  test(`noticed: ${rule} — ${path}: ${text.split('\n')[0]}`, () => {
    assert.ok(rulesOf(path, text).includes(rule), JSON.stringify(rulesOf(path, text)))
  })
}

test('nothing is found in imports that the layers allow', () => {
  assert.deepEqual(
    rulesOf('server/approvals/decide.ts', `import { x } from '../transactions/transition.ts'\nimport { y } from './approval-store.ts'`),
    [],
  )
  assert.deepEqual(rulesOf('server/operators/simulator/a.ts', `import { x } from '../operator-work-store.ts'`), [])
  assert.deepEqual(
    rulesOf('app/sign-in/page.tsx', `import { x } from '#server/back-office/actor.ts'\nexport default function Page() {}`),
    [],
  )
})

test('no circle of imports, types included', () => {
  assert.deepEqual(findCycles(files), [])
})
