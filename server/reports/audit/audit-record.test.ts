import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { ok } from '#lib/result.ts'
import { appendAuditEntries } from '#server/audit/append-audit.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { makeApplication, makePerson } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { readAuditRecord } from './audit-record.ts'

let database: TestDatabase
const folder = mkdtempSync(path.join(tmpdir(), 'countersign-audit-'))
before(async () => {
  database = await createTestDatabase()
})
after(async () => {
  rmSync(folder, { recursive: true })
  await database.drop()
})

/** Runs the program of the README on these lines and returns its answer. */
function verify(lines: readonly string[]): string {
  const program = /```js\n(\/\/ node verify-audit\.mjs FILE\n[\s\S]*?)```/.exec(readFileSync('README.md', 'utf8'))?.[1]
  assert.ok(program)
  const [main, file] = [path.join(folder, 'verify-audit.mjs'), path.join(folder, 'audit.jsonl')]
  writeFileSync(main, program)
  writeFileSync(file, `${lines.join('\n')}\n`)
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, file], { encoding: 'utf8' })
  return status === 0 ? stdout : (/Error: (.+)/.exec(stderr)?.[1] ?? stderr)
}

test('unbroken in the program of the README; an entry that was changed, removed, added or cut off is found', async () => {
  const { pool } = database
  const applicationId = await makeApplication(pool)
  const actor = { kind: 'person' as const, id: await makePerson(pool, applicationId, ['administrator']) }
  const details = { 10: 'ten', 9: ['é\u2028', { b: null, a: 1.5 }], é: 'line\nend', before: { amount: '5000' } }
  const act = { applicationId, actor, action: 'address.allowed' as const, subject: '192.0.2.0/24' }
  const plain = Array.from({ length: 1_003 }, () => act)
  const entries = [...plain, { ...act, details, address: '2001:db8::1' }, { ...act, actor: { kind: 'system' as const, id: null } }]
  must(await withTransaction<void, never>(pool, async (trx) => ok(await appendAuditEntries(trx, entries))))
  const lines = (await Array.fromAsync(readAuditRecord(pool, applicationId))).flat()
  assert.match(verify(lines), /^1005 entries, unbroken\. Digest of the last: [0-9a-f]{64}$/m)

  const [head = '', ...rest] = lines
  const changed = rest.map((line) => line.replace('"5000"', '"50000"'))
  assert.equal(verify([head, ...changed]), 'Entry 1004 is wrong')
  const elsewhere = rest.map((line) => line.replace('2001:db8::1', '2001:db8::2'))
  assert.equal(verify([head, ...elsewhere]), 'Entry 1004 is wrong')
  assert.equal(verify([head, ...rest.toSpliced(500, 1)]), 'Entry 501 is wrong')
  assert.equal(verify([head, ...rest, rest[0] ?? '']), 'Entry 1006 is wrong')
  assert.equal(verify([head, ...rest.slice(0, 1_000)]), 'The end is missing after entry 1000')
})
