import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { makeApplication, makePerson } from '#server/testing/factories.ts'

let database: TestDatabase
let applicationId = ''
let proposer = ''
let decider = ''
before(async () => {
  database = await createTestDatabase()
  applicationId = await makeApplication(database.pool)
  proposer = await makePerson(database.pool, applicationId, ['finance'])
  decider = await makePerson(database.pool, applicationId, ['finance'])
})
after(() => database.drop())

/** Writes a funding that waits, with these columns in place of its own. Returns the constraint that refuses it. */
async function write(columns: Record<string, unknown>): Promise<string> {
  const row: Record<string, unknown> = {
    application_id: applicationId,
    funding_id: randomUUID(),
    kind: 'pay_in',
    operator: 'MOMOCM',
    currency: 'XAF',
    account: 'deposit',
    amount_minor: 100,
    reference: 'x',
    reference_key: randomUUID(),
    attachment_name: 'x.pdf',
    attachment_sha256: Buffer.alloc(32),
    proposed_by: proposer,
    expires_at: new Date('2099-01-01'),
    ...columns,
  }
  const names = Object.keys(row)
  const statement = `insert into fundings (${names.join(', ')}) values (${names.map((_, place) => `$${place + 1}`).join(', ')})`
  return database.pool.query(statement, Object.values(row)).then(
    () => 'stored',
    (error: unknown) => (error instanceof Error && 'constraint' in error ? String(error.constraint) : assert.fail(String(error))),
  )
}

const NO_FILE = { attachment_name: null, attachment_sha256: null }
const BALANCES = { collect_before_minor: 0, collect_after_minor: 0, deposit_before_minor: 0, deposit_after_minor: 100 }
const decided = (outcome: string, by: string = decider) => ({ outcome, decided_by: by, decided_at: new Date() })

test('stored: what may wait, and each way in which it may end', async () => {
  for (const columns of [
    {},
    { kind: 'move', ...NO_FILE },
    { kind: 'correction', account: 'collect', amount_minor: -1 },
    { kind: 'correction', account: 'deposit', amount_minor: 1 },
    { ...decided('confirmed'), ...BALANCES },
    decided('refused'),
    decided('withdrawn', proposer),
  ])
    assert.equal(await write(columns), 'stored', JSON.stringify(columns))
})

test('23514 by the constraint that each wrong funding breaks', async () => {
  for (const [constraint, columns] of [
    ['only_corrections_take_away', { amount_minor: -1 }],
    ['only_corrections_take_away', { kind: 'move', amount_minor: -1 }],
    ['fundings_amount_minor_check', { amount_minor: 0 }],
    ['only_corrections_choose_the_balance', { account: 'collect' }],
    ['only_corrections_choose_the_balance', { kind: 'move', account: 'collect' }],
    ['fundings_account_check', { kind: 'correction', account: 'held' }],
    ['fundings_kind_check', { kind: 'gift' }],
    ['file_has_name_and_digest', { kind: 'move', attachment_name: null }],
    ['file_has_name_and_digest', { kind: 'move', attachment_sha256: null }],
    ['only_moves_have_no_file', NO_FILE],
    ['only_moves_have_no_file', { kind: 'correction', ...NO_FILE }],
    ['fundings_attachment_sha256_check', { attachment_sha256: Buffer.alloc(31) }],
    ['fundings_reference_check', { reference: '' }],
    ['fundings_reference_key_check', { reference_key: '' }],
    ['fundings_outcome_check', decided('lost')],
    ['funding_is_decided_by_somebody', { ...decided('refused'), decided_at: null }],
    ['funding_is_decided_by_somebody', { decided_at: new Date() }],
    // Of two people one proposes and the other decides; only the first may withdraw.
    ['two_people_move_money', { ...decided('confirmed', proposer), ...BALANCES }],
    ['two_people_move_money', decided('refused', proposer)],
    ['two_people_move_money', decided('withdrawn')],
    ['confirmed_has_balances', decided('confirmed')],
    ['confirmed_has_balances', { ...decided('confirmed'), ...BALANCES, collect_after_minor: null }],
  ] as const)
    assert.equal(await write(columns), constraint, JSON.stringify(columns))
})

test('23505 for a second confirmed funding of one kind with one reference; one that waits, ended otherwise or is of another kind is stored', async () => {
  const confirmed = { ...decided('confirmed'), ...BALANCES, reference_key: 'one transfer' }
  assert.equal(await write(confirmed), 'stored')
  assert.equal(await write(confirmed), 'fundings_booked_once')
  assert.equal(await write({ ...confirmed, kind: 'correction' }), 'stored')
  assert.equal(await write({ ...decided('refused'), reference_key: 'one transfer' }), 'stored')
  assert.equal(await write({ reference_key: 'one transfer' }), 'stored')
})
