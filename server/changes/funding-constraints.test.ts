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

const CONTENT = { operator: 'MOMOCM', amountMinor: '100', reference: 'x', note: '', document: { name: 'x.pdf', sha256: 'a1'.repeat(32) } }
const BALANCES = { collectMinor: '0', depositMinor: '0' }

/** Writes a funding that waits, with these columns and this content in place of its own. Returns the constraint that refuses it. */
async function write({ payload, ...columns }: Record<string, unknown>): Promise<string> {
  const row: Record<string, unknown> = {
    application_id: applicationId,
    change_id: randomUUID(),
    kind: 'funding.pay_in',
    subject: randomUUID(),
    payload: { ...CONTENT, ...Object(payload) },
    before: BALANCES,
    after: { ...BALANCES, currency: 'XAF' },
    proposed_by: proposer,
    expires_at: new Date('2099-01-01'),
    ...columns,
  }
  const names = Object.keys(row)
  const statement = `insert into proposed_changes (${names.join(', ')}) values (${names.map((_, place) => `$${place + 1}`).join(', ')})`
  return database.pool.query(statement, Object.values(row)).then(
    () => 'stored',
    (error: unknown) => (error instanceof Error && 'constraint' in error ? String(error.constraint) : assert.fail(String(error))),
  )
}

const CORRECTION = { account: 'collect' }
const decided = (outcome: string, by: string = decider) => ({ outcome, decided_by: by, decided_at: new Date() })

test('stored: what may wait, and each way in which it may end', async () => {
  for (const columns of [
    {},
    { kind: 'funding.move', payload: { document: null } },
    { kind: 'funding.correction', payload: { ...CORRECTION, amountMinor: '-1' } },
    { kind: 'funding.correction', payload: { account: 'deposit', amountMinor: '1' } },
    decided('confirmed'),
    decided('refused'),
    decided('withdrawn', proposer),
  ])
    assert.equal(await write(columns), 'stored', JSON.stringify(columns))
})

test('23514 by the constraint that each wrong funding breaks', async () => {
  for (const [constraint, columns] of [
    ['funding_has_amount', { payload: { amountMinor: '-1' } }],
    ['funding_has_amount', { kind: 'funding.move', payload: { amountMinor: '-1' } }],
    ['funding_has_amount', { payload: { amountMinor: '0' } }],
    ['funding_has_amount', { payload: { amountMinor: '1.5' } }],
    ['funding_has_amount', { payload: { amountMinor: null } }],
    ['funding_has_amount', { kind: 'funding.correction', payload: { ...CORRECTION, amountMinor: '-0' } }],
    ['only_corrections_choose_the_balance', { payload: { account: 'collect' } }],
    ['only_corrections_choose_the_balance', { kind: 'funding.move', payload: { account: 'deposit' } }],
    ['only_corrections_choose_the_balance', { kind: 'funding.correction' }],
    ['only_corrections_choose_the_balance', { kind: 'funding.correction', payload: { account: 'held' } }],
    ['funding_is_of_a_kind', { kind: 'funding.gift' }],
    ['only_moves_have_no_document', { payload: { document: null } }],
    ['only_moves_have_no_document', { kind: 'funding.correction', payload: { ...CORRECTION, document: null } }],
    ['only_moves_have_no_document', { kind: 'funding.move', payload: { document: { name: 'x.pdf' } } }],
    ['only_moves_have_no_document', { kind: 'funding.move', payload: { document: { sha256: 'a1'.repeat(32) } } }],
    ['only_moves_have_no_document', { payload: { document: { name: 'x.pdf', sha256: 'a1'.repeat(31) } } }],
    ['funding_has_reference', { payload: { reference: '' } }],
    ['funding_has_reference', { payload: { reference: 'x'.repeat(101) } }],
    ['funding_has_reference', { payload: { note: 'x'.repeat(501) } }],
    ['funding_has_reference', { subject: '' }],
    ['funding_has_balances', { before: {} }],
    ['funding_has_balances', { after: BALANCES }],
    ['proposed_changes_outcome_check', decided('lost')],
    ['change_is_decided_by_somebody', { ...decided('refused'), decided_at: null }],
    ['change_is_decided_by_somebody', { decided_at: new Date() }],
    // Of two people one proposes and the other decides; only the first may withdraw.
    ['two_people_make_a_change', decided('confirmed', proposer)],
    ['two_people_make_a_change', decided('refused', proposer)],
    ['two_people_make_a_change', decided('withdrawn')],
  ] as const)
    assert.equal(await write(columns), constraint, JSON.stringify(columns))
})

test('23505 for a second confirmed funding of one kind with one reference; one that waits, ended otherwise or is of another kind is stored', async () => {
  const confirmed = { ...decided('confirmed'), subject: 'one transfer' }
  assert.equal(await write(confirmed), 'stored')
  assert.equal(await write(confirmed), 'fundings_booked_once')
  assert.equal(await write({ ...confirmed, kind: 'funding.correction', payload: CORRECTION }), 'stored')
  assert.equal(await write({ ...decided('refused'), subject: 'one transfer' }), 'stored')
  assert.equal(await write({ subject: 'one transfer' }), 'stored')
})
