import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { createDirectory } from '#server/applications/directory.ts'
import { type AdminHarness, createAdminHarness, fact } from './testing.ts'

let harness: AdminHarness
let folder: string
before(async () => {
  harness = await createAdminHarness()
  folder = await mkdtemp(path.join(tmpdir(), 'countersign-rules-'))
})
after(async () => {
  await harness.close()
  await rm(folder, { recursive: true, force: true })
})

test('active after two commands: rules about files, batch totals and first payments, and a sentence for invalid rules', async () => {
  const { admin, facts, database } = harness
  const applicationId = fact(await facts('create-application', '--name', 'Rules'), 'applicationId')
  const file = path.join(folder, 'rules.json')
  const rules = [
    { name: 'Large file', sources: ['file'], limits: { UGX: '500000000', XAF: '100000050' }, approvals: [2] },
    { name: 'First payment of a file', sources: ['file'], firstTimeOnly: true, approvals: [1, 1] },
  ]
  await writeFile(file, JSON.stringify(rules))
  const { version = '' } = await facts('propose-rules', '--application', 'rules', '--file', file)
  assert.match((await admin(['list-rules', '--application', 'rules'])).out, new RegExp(`${version}`))
  await facts('activate-rules', '--application', 'rules', '--version', version)
  const listed = (await admin(['list-rules', '--application', 'rules'])).out
  assert.match(listed, /Large file .* 1000000\.5 XAF, 5000000 UGX /)
  assert.match(listed, /First payment of a file .* any /)
  const directory = await createDirectory({ pool: database.pool })
  assert.deepEqual(
    directory.find(applicationId)?.policy?.rules.map((rule) => [rule.name, rule.sources, rule.firstTimeOnly]),
    [
      ['Large file', ['file'], false],
      ['First payment of a file', ['file'], true],
    ],
  )
  await directory.close()
  const twice = await admin(['activate-rules', '--application', 'rules', '--version', version])
  assert.match(twice.problem, /This version is active already/)
  await writeFile(file, JSON.stringify([{ ...rules[0], sources: ['fax'] }]))
  assert.match((await admin(['propose-rules', '--application', 'rules', '--file', file])).problem, /The rules are not valid\. 0\.sources/)
  await writeFile(file, JSON.stringify([{ ...rules[0], limit: { XAF: '100000000' } }]))
  assert.match((await admin(['propose-rules', '--application', 'rules', '--file', file])).problem, /The rules are not valid\. 0: .*"limit"/)
  await writeFile(file, JSON.stringify([{ ...rules[0], countries: ['MALI'] }]))
  assert.match(
    (await admin(['propose-rules', '--application', 'rules', '--file', file])).problem,
    /0\.limits\.XAF: No operator of this rule uses this currency\./,
  )
  await writeFile(file, 'none')
  assert.match((await admin(['propose-rules', '--application', 'rules', '--file', file])).problem, /could not be read as JSON/)
  assert.match((await admin(['activate-rules', '--application', 'rules', '--version', 'one'])).problem, /--version takes a number/)
})
