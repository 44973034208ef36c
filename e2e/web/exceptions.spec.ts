import type { Page } from 'playwright/test'
import { csv, MTN_HEADER, mtnRow } from '#server/reconciliation/testing/statements.ts'
import { expect, expectAccessibleEverywhere, signIn, test, waitForScripts } from './fixtures.ts'
import { sandboxPool, storeContradiction } from './people.ts'
import { personWith } from './sandbox.ts'
import { importStatement, uploadStatement } from './statements.ts'
import { startCollect } from './transaction-list.ts'

/** Makes an operator report SUCCESS for a FAILED collect without a reference, which lists name by its id. */
async function contradict(applicationName: string): Promise<string> {
  const pool = await sandboxPool()
  try {
    const { rows } = await pool.query<{ transaction_id: string }>(
      `select t.transaction_id from transactions t join applications a using (application_id)
         where a.name = $1 and t.status = 'FAILED' and t.type = 'COLLECT' and t.operator_reference is null
           and not exists (select 1 from operator_contradictions c where c.transaction_id = t.transaction_id)
         order by t.sequence limit 1`,
      [applicationName],
    )
    const [found] = rows
    if (!found) throw new Error('The sandbox has no FAILED collect')
    await storeContradiction(pool, found.transaction_id)
    return found.transaction_id
  } finally {
    await pool.end()
  }
}

/** Has changed days examined now, and not at the next minute, and reads the page again until it shows what is expected. */
async function untilExamined(page: Page, isShown: () => Promise<void>): Promise<void> {
  const pool = await sandboxPool()
  await expect(async () => {
    await pool.query(`update scheduled_tasks set due_at = now() where task = 'examine_days'`)
    await page.reload()
    await isShown()
  }).toPass({ timeout: 90_000 })
  await pool.end()
}

/** The page of the exception about a transaction of an application that runs no installation. */
async function openException(page: Page, transactionId: string): Promise<void> {
  const row = page.getByRole('row').filter({ hasText: transactionId })
  await row.getByRole('link', { name: 'Contradicted by the operator' }).click()
  await expect(page.getByRole('heading', { name: 'Contradicted by the operator' })).toBeVisible()
  await waitForScripts(page)
}

/** Selects the exceptions about these transactions in the list, and proposes the same adjustment for all. */
async function proposeTogether(page: Page, transactionIds: readonly string[]): Promise<void> {
  for (const id of transactionIds) await page.getByRole('row').filter({ hasText: id }).getByRole('checkbox').check()
  await page.getByRole('button', { name: 'Adjust 2 exceptions' }).click()
  const dialog = page.getByRole('dialog')
  for (const id of transactionIds) await expect(dialog.getByText(id)).toBeVisible()
  await dialog.getByLabel('Evidence').fill('List of the operator')
  await dialog.getByRole('button', { name: 'Propose the adjustment' }).click()
  await expect(dialog).toHaveCount(0)
}

test('a late success is taken, noted on and proposed by one person and confirmed by another, which closes it and ends the alert of the partner', async ({
  page,
}) => {
  const [fatou, serge, partner] = [personWith(['finance']), personWith(['administrator']), personWith(['finance'], 0, 1)]
  const transactionId = await contradict(partner.application)
  const together = [await contradict(partner.application), await contradict(partner.application)]
  await signIn(page, fatou, `/${fatou.slug}/close/exceptions`)
  await waitForScripts(page)
  await proposeTogether(page, together)
  await expectAccessibleEverywhere(page)
  await openException(page, transactionId)
  await expect(page.getByText('It was executed')).toBeVisible()
  await page.getByRole('button', { name: 'Take' }).click()
  await expect(page.getByText('In progress')).toBeVisible()
  await page.keyboard.press('n')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Note').fill('The operator says that it was paid')
  await dialog.getByRole('button', { name: 'Add note' }).click()
  await expect(page.getByRole('region', { name: 'History' })).toContainText('The operator says that it was paid')
  await page.getByRole('button', { name: 'Adjust' }).click()
  await dialog.getByLabel('Evidence').fill('Callback of the operator')
  await dialog.getByRole('button', { name: 'Propose' }).click()
  await expect(page.getByText('Callback of the operator')).toBeVisible()
  await expect(page.getByText('In progress')).toBeVisible()
  await expectAccessibleEverywhere(page)
  const address = page.url()
  await page.context().clearCookies()
  await signIn(page, serge, new URL(address).pathname)
  await page.getByRole('button', { name: 'Confirm' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Confirm' }).click()
  await expect(page.getByRole('region', { name: 'History' })).toContainText('Closed: Adjusted')
  await expect(page.getByRole('button', { name: 'Hand over' })).toBeHidden()
  await page.goto(`/${serge.slug}/close/adjustments`)
  await waitForScripts(page)
  await page.getByRole('button', { name: 'Confirm all 2' }).click()
  const all = page.getByRole('dialog')
  for (const each of together) await expect(all.getByText(each)).toBeVisible()
  await all.getByRole('button', { name: 'Confirm all 2' }).click()
  await expect(page.getByRole('region', { name: 'Notifications' })).toContainText('2 changes are confirmed.')
  await expect(page.getByRole('button', { name: 'Confirm all 2' })).toHaveCount(0)
  await page.context().clearCookies()
  await signIn(page, partner, `/${partner.slug}`)
  await expect(page.getByRole('heading', { name: 'Today' })).toBeVisible()
  for (const each of [transactionId, ...together]) await expect(page.locator(`a[href*="${each}"]`)).toHaveCount(0)
})

test('a line that nothing explains is found by keyboard, and closed with a reason by the person who took it', async ({ page }) => {
  const [fatou, partner] = [personWith(['finance']), personWith(['finance'], 0, 1)]
  const transactionId = await contradict(partner.application)
  await signIn(page, fatou, `/${fatou.slug}/close/exceptions?owner=nobody`)
  const row = page.getByRole('row').filter({ hasText: transactionId })
  await expect(row).toContainText('Nobody’s')
  await waitForScripts(page)
  const rows = page.getByRole('row').filter({ has: page.getByRole('link') })
  const place = (await rows.allTextContents()).findIndex((text) => text.includes(transactionId))
  for (let moved = 0; moved <= place; moved++) await page.keyboard.press('j')
  await expect(row).toHaveAttribute('aria-current', 'true')
  await page.keyboard.press('o')
  // The list is of those that nobody has.
  await expect(row).toBeHidden()
  await page.getByLabel('Owner').selectOption('me')
  await page.getByRole('button', { name: 'Apply' }).click()
  await openException(page, transactionId)
  await page.keyboard.press('c')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Close', exact: true }).last().click()
  await expect(dialog.getByText('Enter a text.')).toBeVisible()
  await dialog.getByLabel('Reason').fill('The customer was paid back in cash')
  await dialog.getByRole('button', { name: 'Close', exact: true }).last().click()
  await expect(page.getByRole('region', { name: 'History' })).toContainText('Closed: Explained')
  await expect(page.getByRole('button', { name: 'Take' })).toBeHidden()
  await page.getByRole('link', { name: 'All exceptions' }).click()
  await page.getByLabel('State').selectOption('closed')
  await page.getByRole('button', { name: 'Apply' }).click()
  await expect(row).toContainText('Explained')
})

test('the payment of a line is chosen by keyboard among the likely ones, with what differs, and the match is taken back', async ({
  page,
}, testInfo) => {
  const fatou = personWith(['finance'])
  const [mark, phone] = [`CANDIDATE-${testInfo.retry}`, `22901970${testInfo.retry}0341`]
  const day = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
  const paid = { Status: 'Successful', Type: 'Debit', From: `FRI:${phone}/MSISDN`, Amount: '1,250', Currency: 'XOF' }
  const content = csv([MTN_HEADER, mtnRow({ Id: mark, Date: `${day} 12:00:00`, ...paid })])
  await signIn(page, fatou, `/${fatou.slug}/close`)
  await uploadStatement(page, fatou.slug, { wallet: 'BJMTN-collect', content })
  await importStatement(page, 1)
  const transactionId = await startCollect(phone, { transferMethod: 'BJMTN', countryName: 'BENIN', amount: 1_200 })
  await page.goto(`/${fatou.slug}/close/exceptions?wallet=BJMTN-collect`)
  const row = page.getByRole('row').filter({ hasText: mark })
  // The list is read again without a reload, also where its day was examined before the page was connected.
  await expect(row).toBeVisible({ timeout: 90_000 })
  await row.getByRole('link').click()
  const list = page.getByRole('table', { name: 'Transactions without a line that may be this payment' })
  const candidate = list.getByRole('row').filter({ hasText: transactionId })
  // The amount, and the operator's reference once it has ended.
  await expect(candidate.getByText('differs')).toHaveCount(2)
  await expectAccessibleEverywhere(page)
  await page.keyboard.press('j')
  await expect(candidate).toHaveAttribute('aria-current', 'true')
  await page.keyboard.press('m')
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByText(transactionId)).toBeVisible()
  await dialog.getByLabel('Note').fill('The operator rounded it')
  await dialog.getByRole('button', { name: 'Match', exact: true }).click()
  await expect(dialog).toHaveCount(0)
  await expect(list).toHaveCount(0)
  await untilExamined(page, () => expect(page.getByRole('heading', { name: 'Amount differs' })).toBeVisible({ timeout: 4_000 }))
  await waitForScripts(page)
  await page.keyboard.press('u')
  await dialog.getByLabel('Note').fill('It was another customer')
  await dialog.getByRole('button', { name: 'Undo match' }).click()
  await expect(dialog).toHaveCount(0)
  await untilExamined(page, () => expect(candidate).toBeVisible({ timeout: 4_000 }))
})
