import { readBatch } from '#server/approvals/batches.ts'
import { decideBatch } from '#server/approvals/decide-batch.ts'
import type { Pool } from '#server/database/pool.ts'
import { makeFileBatch } from '#server/testing/batches/file-batch.ts'
import { aBand, decisionDeps } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { expect, expectAccessibleEverywhere, LOOKS, signIn, test, waitForScripts } from './fixtures.ts'
import { sandboxPool } from './people.ts'
import { sandboxUrl } from './sandbox.ts'
import { newQueue } from './waiting.ts'

let pool: Pool
test.beforeAll(async () => {
  pool = await sandboxPool()
})
test.afterAll(() => pool.end())

/** A batch of twelve rows of 5,000 XAF, the first of 50,000, in an application of its own. */
async function newBatch(change: Parameters<typeof makeFileBatch>[1]['change'] = () => ({})) {
  const queue = await newQueue(pool)
  const { batchId, items } = await makeFileBatch(pool, {
    applicationId: queue.applicationId,
    makerId: queue.maker.id,
    count: 12,
    change: (index) => ({ ...(index === 0 ? { amountMinor: 5_000_000n } : {}), ...change(index) }),
  })
  return { queue, batchId, items, address: `/${queue.slug}/approvals/batches/${batchId}` }
}

test('a checker finds the batch as one item, reads its evidence, excludes two rows with reasons and validates the rest', async ({
  page,
}) => {
  const { queue, items } = await newBatch()
  await signIn(page, queue.checker, `/${queue.slug}/approvals`)
  await expect(page.getByRole('link', { name: 'Mine to decide' }).first()).toContainText('1')
  const batches = page.getByRole('region', { name: 'Batches' })
  await expect(batches).toContainText('12 rows')
  await expect(batches).toContainText(/105,000\sXAF/)
  await batches.getByRole('link', { name: 'Salaries' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Salaries' })).toBeVisible()
  await expect(page.getByText('12 flagged')).toBeVisible()
  await page.getByRole('button', { name: /^Large 1$/ }).click()
  const rows = page.getByRole('region', { name: 'Rows of the batch' })
  await expect(rows.getByRole('listitem').filter({ hasText: 'Payee 0' })).toBeVisible()
  await rows.getByRole('button', { name: 'Evidence Payee 0' }).click()
  await expect(rows).toContainText('First payment to this number')
  await rows.getByRole('button', { name: 'Exclude Payee 0' }).click()
  await page.getByRole('button', { name: 'Exclude row' }).click()
  await expect(rows).toContainText('Required')
  await page.getByLabel('Reason for excluding this row').fill('Not on the list')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: /^All 12$/ }).click()
  await rows.getByRole('button', { name: 'Exclude Payee 1', exact: true }).click()
  await page.getByLabel('Reason for excluding this row').fill('Paid in cash')
  await page.keyboard.press('Enter')
  await page.reload()
  await expect(page.getByText('2 rows are excluded'), 'kept over a reload').toBeVisible()
  await waitForScripts(page)
  await page.getByRole('button', { name: 'Validate', exact: true }).click()
  await page.getByLabel('Payee note').fill('Matches the signed list')
  await page.getByRole('button', { name: /^Validate 10 · 50,000/ }).click()
  await expect(page.getByText('10 rows validated, 2 rows excluded')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Progress' })).toBeVisible()
  await expect(page.getByText('Validated by Mariam Diallo (10 rows)')).toBeVisible()
  await expect.poll(() => queue.statusOf(items[2]?.transactionId ?? ''), { timeout: 60_000 }).toBe('SUCCESS')
  const { rows: stored } = await pool.query('select message from transactions where transaction_id = any ($1) order by sequence', [
    items.slice(0, 2).map((item) => item.transactionId),
  ])
  expect(stored).toEqual([{ message: 'Not on the list' }, { message: 'Paid in cash' }])
  await expect(page.getByText('12 of 12 done')).toBeVisible({ timeout: 60_000 })
})

test('the second of two checkers at once is told who decided, and nothing is decided twice', async ({ page, browser }) => {
  const { queue, address, items } = await newBatch()
  const second = await (await browser.newContext({ baseURL: sandboxUrl(), offline: false })).newPage()
  await signIn(page, queue.checker, address)
  await signIn(second, queue.other, address)
  for (const each of [page, second]) {
    await each.getByRole('button', { name: 'Validate', exact: true }).click()
    await each.getByLabel('Payee note').fill('Seen')
  }
  // Together: the page of one learns of the other's decision only after it has sent its own.
  await Promise.all([page, second].map((each) => each.getByRole('button', { name: /^Validate 12/ }).click()))
  const words = ['12 rows validated', 'Nothing was decided', 'No longer waiting for approval']
  for (const each of [page, second]) await expect(each.getByText(new RegExp(words.join('|'))).first()).toBeVisible()
  const { rows } = await pool.query('select 1 from approval_decisions where transaction_id = any ($1)', [
    items.map((item) => item.transactionId),
  ])
  expect(rows).toHaveLength(items.length)
  await second.context().close()
})

test('what was left out and what was being typed stays to be read when a colleague ends the batch; the sums are those of the other rows', async ({
  page,
}) => {
  const { queue, batchId, address } = await newBatch()
  await signIn(page, queue.checker, address)
  const rows = page.getByRole('region', { name: 'Rows of the batch' })
  await rows.getByRole('button', { name: 'Exclude Payee 0' }).click()
  await page.getByLabel('Reason for excluding this row').fill('Not on the list')
  await page.keyboard.press('Enter')
  await expect(page.getByText('without 1 excluded row')).toBeVisible()
  await expect(page.getByText(/^55,000\sXAF$/).first()).toBeVisible()
  await rows.getByRole('button', { name: 'Exclude Payee 1', exact: true }).click()
  await page.getByLabel('Reason for excluding this row').fill('Paid in')
  const other = { applicationId: queue.applicationId, id: queue.other.id, hasSecondFactor: false }
  const shown = await readBatch(pool, other, batchId)
  if (!shown) throw new Error('The batch is gone')
  const command = { checker: other, batchId, decision: 'rejected', note: 'Wrong month', excluded: [], hash: shown.hash } as const
  must(await decideBatch(decisionDeps(pool), { ...command, shownAt: new Date(shown.shownAt) }))
  await expect(page.getByText('You had excluded these rows before the batch ended')).toBeVisible()
  await expect(page.getByText(/Payee 0 · 50,000\sXAF · Not on the list/)).toBeVisible()
  await expect(page.getByText(/Payee 1 · 5,000\sXAF · Paid in$/)).toBeVisible()
  await page.getByRole('button', { name: 'Dismiss' }).first().click()
  await expect(page.getByText('You had excluded these rows')).toHaveCount(0)
})

test('two approvals: the maker cannot decide, the first checker waits, the second sends', async ({ page, browser }) => {
  const { queue, address, items } = await newBatch(() => ({ bands: [aBand({ steps: [2] })] }))
  await signIn(page, queue.maker, address)
  await expect(page.getByText('You prepared this')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Recall the batch' })).toBeVisible()
  for (const checker of [queue.checker, queue.other]) {
    const screen = await (await browser.newContext({ baseURL: sandboxUrl() })).newPage()
    await signIn(screen, checker, address)
    // By keyboard alone: focus the button, write, press Enter.
    await screen.getByRole('button', { name: 'Validate', exact: true }).focus()
    await screen.keyboard.press('Enter')
    await screen.getByLabel('Payee note').focus()
    await screen.keyboard.type('Seen')
    await screen.keyboard.press('Enter')
    await expect(screen.getByText(checker === queue.checker ? 'Approval recorded: 1 of 2' : '12 rows validated')).toBeVisible()
    await screen.context().close()
  }
  await expect.poll(() => queue.statusOf(items[0]?.transactionId ?? ''), { timeout: 60_000 }).toBe('SUCCESS')
})

/** An approved batch of which no row is due before an hour has passed: what is not sent yet stays where it is. */
async function newRun() {
  const made = await newBatch()
  const { queue, batchId } = made
  const checker = { applicationId: queue.applicationId, id: queue.other.id, hasSecondFactor: false }
  // Rows that are approved while their batch is paused are not sent.
  await pool.query("insert into batch_runs (application_id, batch_id, state, changed_by) values ($1, $2, 'paused', $3)", [
    queue.applicationId,
    batchId,
    queue.other.id,
  ])
  const shown = await readBatch(pool, checker, batchId)
  if (!shown) throw new Error('The batch is gone')
  const { hash, shownAt } = shown
  const command = { checker, batchId, decision: 'validated', note: 'Seen', excluded: [], hash, shownAt: new Date(shownAt) } as const
  must(await decideBatch(decisionDeps(pool), command))
  await pool.query(
    `update operator_work w set state = 'queued', next_at = now() + interval '1 hour' from transactions t
     where t.transaction_id = w.transaction_id and t.batch_id = $1`,
    [batchId],
  )
  await pool.query('delete from batch_runs where batch_id = $1', [batchId])
  return made
}

test('a batch that runs is paused and resumed, and its results are downloaded', async ({ page }) => {
  const { queue, items } = await newRun()
  const batchId = items[0]?.batchId
  await signIn(page, queue.checker, `/${queue.slug}/batches/${batchId}`)
  await expect(page.getByRole('heading', { name: 'Progress' })).toBeVisible()
  await page.getByRole('button', { name: 'Pause', exact: true }).click()
  await page.getByLabel('Reason for pausing').fill('Look again')
  await page.keyboard.press('Enter')
  await expect(page.getByText(/Paused by Mariam Diallo/)).toBeVisible()
  expect(await queue.statusOf(items[0]?.transactionId ?? '')).toBe('PENDING')
  await page.getByRole('button', { name: 'Resume', exact: true }).click()
  await expect(page.getByText('12 of 12 done')).toBeVisible({ timeout: 60_000 })
  const download = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download results' }).click()
  expect((await download).suggestedFilename()).toMatch(/^batch-.*\.csv$/)
})

test('a batch is stopped with a reason, and its maker prepares a retry of the rows', async ({ page, browser }) => {
  const { queue, items, batchId } = await newRun()
  await signIn(page, queue.checker, `/${queue.slug}/batches/${batchId}`)
  await page.getByRole('button', { name: 'Stop', exact: true }).click()
  await page.getByRole('button', { name: 'Stop', exact: true }).click()
  await expect(page.getByText('Required')).toBeVisible()
  await page.getByLabel('Reason for stopping').fill('Wrong month')
  await page.keyboard.press('Enter')
  await expect(page.getByText(/Stopped by Mariam Diallo/)).toBeVisible()
  for (const { transactionId } of items) expect(await queue.statusOf(transactionId)).toBe('FAILED')
  await page.getByRole('link', { name: /^12 · 105,000/ }).click()
  await expect(page.getByRole('link', { name: /Stopped/ })).toBeVisible()
  await expect(page.getByRole('row').filter({ hasText: 'Payee' })).toHaveCount(12)
  await expect(page.getByText(/105,000/).first()).toBeVisible()
  const screen = await (await browser.newContext({ baseURL: sandboxUrl() })).newPage()
  await signIn(screen, queue.maker, `/${queue.slug}/batches/${batchId}`)
  await screen.getByRole('button', { name: 'Retry 12 failed rows' }).click()
  await expect(screen.getByRole('heading', { level: 1, name: 'Salaries (2)' })).toBeVisible()
  await screen.goto(`/${queue.slug}/batches/${batchId}`)
  await expect(screen.getByRole('link', { name: 'Salaries (2)' })).toBeVisible()
  await expect(screen.getByRole('button', { name: /^Retry/ })).toHaveCount(0)
  await screen.context().close()
})

for (const look of LOOKS) {
  test.describe(`${look.locale} ${look.colorScheme}`, () => {
    test.use(look)
    test('accessible and without overflow at every width: the batch, its form and its progress', async ({ page }) => {
      const { queue, address } = await newBatch()
      await signIn(page, queue.checker, address)
      await expect(page.getByRole('heading', { level: 1, name: 'Salaries' })).toBeVisible()
      await expectAccessibleEverywhere(page)
      await page.getByRole('button', { name: /^(Validate|Valider)$/ }).click()
      await expectAccessibleEverywhere(page)
      await page
        .getByLabel(/Payee note|Note/)
        .first()
        .fill('Seen')
      await page.keyboard.press('Enter')
      await expect(page.getByRole('heading', { name: /Progress|Avancement/ })).toBeVisible()
      await expectAccessibleEverywhere(page)
    })
  })
}
