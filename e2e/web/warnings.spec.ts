import { readBatch } from '#server/approvals/batches.ts'
import { decide } from '#server/approvals/decide.ts'
import { decideBatch } from '#server/approvals/decide-batch.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import type { Pool } from '#server/database/pool.ts'
import { createApiUser } from '#server/partner-auth/api-users.ts'
import { makeFileBatch } from '#server/testing/batches/file-batch.ts'
import { contradict } from '#server/testing/contradiction.ts'
import { decisionDeps } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { transition } from '#server/transactions/transition.ts'
import { expect, signIn, test } from './fixtures.ts'
import { confirmProposal, newApplication, newPerson, sandboxPool } from './people.ts'
import { newQueue, openApprovals, rowOf } from './waiting.ts'

// Facts that people need before they decide, and find out nowhere else.

let pool: Pool
test.beforeAll(async () => {
  pool = await sandboxPool()
})
test.afterAll(() => pool.end())

test('the program through which a checker decided is named beside the checker: in the queue, on the timeline and in the batch', async ({
  page,
}) => {
  const queue = await newQueue(pool)
  const { applicationId, checker, maker } = queue
  const username = `payroll-${queue.slug.slice(-8)}`
  const { apiUserId } = must(await createApiUser(pool, { applicationId, username, actor: SYSTEM_ACTOR }))
  const byProgram = async (transactionId: string) => {
    const command = { applicationId, transactionId, checkerId: checker.id, decision: 'rejected', note: 'Duplicate' } as const
    const decided = await decide(decisionDeps(pool), { ...command, through: 'api', actor: { kind: 'api', id: apiUserId } })
    if (!decided.ok) throw new Error(`Not decided: ${decided.error.kind}`)
  }
  const [single] = await queue.wait([{ name: 'Amadou Ngassa' }])
  const { batchId, items } = await makeFileBatch(pool, { applicationId, makerId: maker.id, count: 2 })
  for (const id of [single, ...items.map((item) => item.transactionId)]) await byProgram(id ?? '')
  const named = new RegExp(`Mariam Diallo.*by program ${username}`)
  await signIn(page, queue.other, `/${queue.slug}/approvals?queue=decided`)
  await expect(rowOf(page, single)).toContainText(named)
  await page.goto(`/${queue.slug}/transactions/${single}`)
  await expect(page.getByText(named).first()).toBeVisible()
  await expect(page.getByRole('region', { name: 'Timeline' }).getByText(named)).toBeVisible()
  await page.goto(`/${queue.slug}/approvals/batches/${batchId}`)
  await expect(page.getByText(named).first()).toBeVisible()
})

test('a payment to somebody who may have been paid already is flagged in the queue, and its evidence links to the earlier one', async ({
  page,
}) => {
  const queue = await newQueue(pool)
  const { applicationId } = queue
  const payment = { name: 'Awa Diop', phone: '237677000321', amountMinor: 700_000n }
  const [earlier] = await queue.wait([payment])
  await queue.decide(queue.other, [earlier ?? ''], 'validated', 'Seen')
  await pool.query('delete from operator_work where transaction_id = $1', [earlier])
  const actor = { kind: 'operator', id: null } as const
  await transition(pool, [{ applicationId, transactionId: earlier ?? '', event: 'failed', message: 'Timeout opérateur', actor }])
  await contradict(pool, { applicationId, transactionId: earlier ?? '' })
  const [again] = await queue.wait([payment])
  await openApprovals(page, queue.checker)
  await expect(rowOf(page, again)).toContainText('Earlier payment may have been paid')
  await rowOf(page, again).click()
  const evidence = page.getByText(/^7,000\sXAF to this number failed .*, but the operator reports a success/)
  await expect(evidence).toBeVisible()
  await expect(page.locator(`a[href*="${earlier}"]`).first()).toBeVisible()
})

test('a person who prepares, approves and administers is marked: in the list, on their own page, and before two people give them the roles', async ({
  page,
  browser,
  baseURL,
}) => {
  const { applicationId } = await newApplication(pool)
  const anna = await newPerson(pool, ['administrator'], applicationId, 'Anna Ngo')
  const ben = await newPerson(pool, ['administrator'], applicationId, 'Ben Fouda')
  const both = await newPerson(pool, ['maker', 'checker'], applicationId, 'Solange Mballa')
  const warning = /^Maker, checker and administrator in one person/
  await signIn(page, anna, `/${anna.slug}/people`)
  await page.getByRole('button', { name: 'Change roles of Solange Mballa' }).click()
  await page.getByRole('checkbox', { name: 'Administrator' }).check()
  await page.getByRole('button', { name: 'Propose change' }).click()
  await expect(page.getByText('Waiting for another person with the role Administrator.')).toBeVisible()
  const second = await (await browser.newContext({ baseURL: baseURL ?? '' })).newPage()
  await signIn(second, ben, `/${anna.slug}/people`)
  const proposal = second.getByRole('listitem').filter({ hasText: 'Solange Mballa' })
  await expect(proposal.getByText(warning)).toBeVisible()
  await confirmProposal(second, proposal)
  await expect(second.getByRole('row', { name: /Solange Mballa/ })).toContainText('Prepares, approves and administers')
  await expect(second.getByText('Prepares, approves and administers')).toHaveCount(1)
  await second.goto(`/${anna.slug}/people/${both.id}`)
  await expect(second.getByRole('main').getByText(warning).first()).toBeVisible()
  await second.context().close()
})

test('a failed row that may have been paid is named, with the reason, and the retry is of the others', async ({ page }) => {
  const queue = await newQueue(pool)
  const { applicationId, maker, other } = queue
  const { batchId, items } = await makeFileBatch(pool, { applicationId, makerId: maker.id, count: 3 })
  const ids = items.map((item) => item.transactionId)
  const checker = { applicationId, id: other.id, hasSecondFactor: false }
  const shown = await readBatch(pool, checker, batchId)
  if (!shown) throw new Error('The batch is gone')
  const command = { checker, batchId, decision: 'validated', note: 'Seen', excluded: [], hash: shown.hash } as const
  // Nothing is sent of a paused batch.
  await pool.query("insert into batch_runs (application_id, batch_id, state, changed_by) values ($1, $2, 'paused', $3)", [
    applicationId,
    batchId,
    other.id,
  ])
  must(await decideBatch(decisionDeps(pool), { ...command, shownAt: new Date(shown.shownAt) }))
  const actor = { kind: 'operator', id: null } as const
  await transition(
    pool,
    ids.map((transactionId) => ({ applicationId, transactionId, event: 'failed', message: 'Compte non inscrit', actor }) as const),
  )
  await contradict(pool, { applicationId, transactionId: ids[0] ?? '' })
  await signIn(page, maker, `/${queue.slug}/batches/${batchId}`)
  await expect(page.getByText('1 failed payment is left out of the retry, because it may have been paid')).toBeVisible()
  const row = page.getByRole('listitem').filter({ hasText: 'the operator reports a different result' })
  await expect(row.locator(`a[href*="${ids[0]}"]`)).toBeVisible()
  await expect(page.getByRole('button', { name: 'Retry 2 failed rows' })).toBeVisible()
})
