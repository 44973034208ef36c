import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright/test'
import type { Pool } from '#server/database/pool.ts'
import { releaseTimedBatches } from '#server/operators/batch-run/control-batch.ts'
import { NO_LOOPS } from '#server/transactions/transition.ts'
import { expect, expectAccessibleEverywhere, LOOKS, signIn, test, waitForScripts } from './fixtures.ts'
import { sandboxPool } from './people.ts'
import { newQueue } from './waiting.ts'

test.describe.configure({ mode: 'default' })

let pool: Pool
test.beforeAll(async () => {
  pool = await sandboxPool()
})
test.afterAll(() => pool.end())

/** Tomorrow at 16:00 UTC, as the form of an application in UTC writes it. */
function tomorrow(): string {
  return `${new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)}T16:00`
}

/** A file of two rows in the dry run of its maker. */
async function openDraft(page: Page) {
  const queue = await newQueue(pool)
  await signIn(page, queue.maker, `/${queue.slug}/batches/new`)
  const name = `Paie ${randomUUID().slice(0, 8)}`
  const lines = ['Téléphone;Nom;Montant;Opérateur', '237677209341;Awa Diop;700;MOMOCM', '237677209342;Jean Mba;800;MOMOCM']
  await expect(async () => {
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: `${name}.csv`, mimeType: 'text/csv', buffer: Buffer.from(lines.join('\n')) })
    await page.locator('main form button[type=submit]').click()
    await expect(page).toHaveURL(/\/batches\/[0-9a-f]{8}-/, { timeout: 5_000 })
  }).toPass()
  await waitForScripts(page)
  return { queue, batchId: page.url().split('/').at(-1) ?? '' }
}

test('the maker chooses a time, the checker approves it, and the batch is held until then; the checker sends it earlier', async ({
  page,
  browser,
}) => {
  const { queue, batchId } = await openDraft(page)
  await page.getByLabel('Send at (UTC)').fill('2020-01-01T10:00')
  await page.getByRole('button', { name: 'Submit for approval' }).click()
  await expect(page.getByText('Choose a time from now to 30 days ahead.')).toBeVisible()
  await page.getByLabel('Send at (UTC)').fill(tomorrow())
  await page.getByRole('button', { name: 'Submit for approval' }).click()
  await expect(page.getByText(/^Sent on .*16:00.* if it is approved by then/)).toBeVisible({ timeout: 30_000 })
  await expect(page.getByRole('button', { name: 'Recall' })).toBeVisible()

  const context = await browser.newContext({ baseURL: new URL(page.url()).origin })
  const checker = await context.newPage()
  await signIn(checker, queue.checker, `/${queue.slug}/approvals/batches/${batchId}`)
  await expect(checker.getByText(/^Sent on .*16:00.* Your approval holds the money from now on\.$/)).toBeVisible()
  await checker.getByRole('button', { name: 'Validate', exact: true }).click()
  await checker.getByLabel('Payee note').fill('Matches the list')
  await checker.keyboard.press('Enter')
  await expect(checker.getByText(/^Approved, sent on .*16:00.* The money is held until then\.$/)).toBeVisible()
  expect(await releaseTimedBatches({ pool, wake: NO_LOOPS })).toBe(0)

  // Its maker cannot send today a batch that was approved for tomorrow.
  await page.reload()
  await expect(page.getByRole('button', { name: 'Change the time' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Send now' })).toHaveCount(0)
  for (const look of LOOKS) {
    await page.emulateMedia({ colorScheme: look.colorScheme })
    await expectAccessibleEverywhere(page)
  }
  await checker.getByRole('button', { name: 'Send now' }).click()
  await expect(checker.getByText(/^Approved, sent on/)).toHaveCount(0)
  await expect
    .poll(
      async () =>
        (
          await pool.query(
            'select count(*)::integer as sent from operator_work w join transactions t using (application_id, transaction_id) where t.batch_id = $1 and w.state = $2',
            [batchId, 'paused'],
          )
        ).rows[0]?.sent,
    )
    .toBe(0)
  await context.close()
})

test('recalled on its own page and found to be recalled from the list of what its maker made', async ({ page }) => {
  const { queue } = await openDraft(page)
  await page.getByRole('button', { name: 'Submit for approval' }).click()
  await expect(page.getByRole('button', { name: 'Recall' })).toBeVisible({ timeout: 30_000 })
  const address = page.url()
  await page.goto(`/${queue.slug}/approvals?queue=made`)
  await expect(page.getByRole('region', { name: 'Batches' }).getByRole('link', { name: 'Recall' })).toBeVisible()
  await page.goto(address)
  await waitForScripts(page)
  await page.getByRole('button', { name: 'Recall' }).click()
  await page.getByLabel('Reason for recalling').fill('Wrong month')
  await page.keyboard.press('Enter')
  await expect(page.getByText('2 rows recalled').first()).toBeVisible()
  await expect(page.getByRole('button', { name: 'Recall' })).toHaveCount(0)
})
