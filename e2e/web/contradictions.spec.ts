import { expect, expectAccessibleEverywhere, signIn, test } from './fixtures.ts'
import { sandboxPool } from './people.ts'
import { personWith } from './sandbox.ts'

/** Records that an operator reported SUCCESS for the newest FAILED transaction of an application, and repeated it when queried. */
async function contradict(applicationName: string): Promise<string> {
  const pool = await sandboxPool()
  try {
    const { rows } = await pool.query<{ application_id: string; transaction_id: string; operator: string }>(
      `select t.application_id, t.transaction_id, t.operator from transactions t join applications a using (application_id)
         where a.name = $1 and t.status = 'FAILED' order by t.sequence desc limit 1`,
      [applicationName],
    )
    const [found] = rows
    if (!found) throw new Error('The sandbox has no FAILED transaction')
    const claim = { item_index: 0, ...found, source: 'callback', said: 'succeeded', answer: '{"status":"SUCCESS"}' }
    await pool.query('select store_operator_contradictions($1)', [JSON.stringify([claim])])
    await pool.query(
      `with answered as (delete from contradiction_queries where application_id = $1 and transaction_id = $2)
       insert into operator_contradictions (application_id, transaction_id, number, source, said, stored_status, http_status, answer, at)
         values ($1, $2, 2, 'query', 'succeeded', 'FAILED', 200, '{"status":"SUCCESS"}', clock_timestamp())`,
      [found.application_id, found.transaction_id],
    )
    return found.transaction_id
  } finally {
    await pool.end()
  }
}

/** Records that the two newest SUCCESS transactions of an application have one operator reference. */
async function shareReference(applicationName: string): Promise<void> {
  const pool = await sandboxPool()
  try {
    await pool.query(
      `with pair as (select t.*, row_number() over (order by t.sequence) as place from transactions t join applications a using (application_id)
         where a.name = $1 and t.status = 'SUCCESS' order by t.sequence desc limit 2)
       insert into shared_operator_references
         (application_id, transaction_id, operator, type, operator_reference, other_application_id, other_transaction_id)
         select p.application_id, p.transaction_id, p.operator, p.type, 'MP221207.2051.B56929', o.application_id, o.transaction_id
           from pair p join pair o on o.place <> p.place on conflict do nothing`,
      [applicationName],
    )
  } finally {
    await pool.end()
  }
}

test('finance sees in the overview that an operator contradicts a result and gave one reference twice, and opens what it said', async ({
  page,
}) => {
  const person = personWith(['finance'], 0, 1)
  const transactionId = await contradict(person.application)
  await shareReference(person.application)
  await signIn(page, person)
  const section = page.getByRole('region', { name: /^Contradicted results: \d+$/ })
  await expect(section).toContainText('Contact the operator before you pay or refund anything.')
  const shared = page.getByRole('region', { name: 'Shared operator references: 2' })
  await expect(shared.getByRole('link')).toHaveCount(2)
  await expectAccessibleEverywhere(page)
  await section.locator(`a[href*="${transactionId}"]`).click()
  await expect(page).toHaveURL(new RegExp(transactionId))
  const alert = page.getByRole('alert').filter({ hasText: 'the operator reported a success on' })
  await expect(alert).toContainText('When queried, the operator repeated it. The result does not change')
  await expect(page.getByRole('list').filter({ hasText: 'Callback from the operator' }).first()).toContainText('reported success')
})
