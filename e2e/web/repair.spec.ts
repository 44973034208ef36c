import { randomUUID } from 'node:crypto'
import type { Pool } from '#server/database/pool.ts'
import { expect, expectAccessible, signIn, test } from './fixtures.ts'
import { fillIn, openNewPayment, sendButton as sendPayment } from './new-payment.ts'
import { sandboxPool } from './people.ts'
import { personWith } from './sandbox.ts'
import { newQueue, openApprovals } from './waiting.ts'

let pool: Pool
test.beforeAll(async () => {
  pool = await sandboxPool()
})
test.afterAll(() => pool.end())

test('rows that were not submitted are named with the reason, and a new draft continues with them', async ({ page }) => {
  const person = personWith(['maker'])
  const id = randomUUID()
    .slice(0, 8)
    .replace(/\d/g, (digit) => 'ghijklmnop'[Number(digit)] ?? '')
  await signIn(page, person, `/${person.slug}/batches/new`)
  const text = [
    'Téléphone;Nom;Montant;Opérateur;Motif',
    `237677209341;Awa ${id};5000;MOMOCM;Facture 7`,
    `23767720934;Jean ${id};700;MOMOCM;`,
    `237677209343;Ada ${id};800;MOMOCM;`,
  ].join('\n')
  await expect(async () => {
    await page.locator('input[type=file]').setInputFiles({ name: `paie-${id}.csv`, mimeType: 'text/csv', buffer: Buffer.from(text) })
    await page.locator('main form button[type=submit]').click()
    await expect(page).toHaveURL(/\/batches\/[0-9a-f]{8}-/, { timeout: 5_000 })
  }).toPass()
  // Problems come first.
  const lines = page.getByRole('row')
  await expect(lines.filter({ hasText: `Jean ${id}` })).toBeVisible()
  await expect(lines.filter({ hasText: `Awa ${id}` })).toHaveCount(0)
  await page.locator('a[href*="show=all"]').click()
  await lines
    .filter({ hasText: `Ada ${id}` })
    .getByRole('button', { name: /^Leave out/ })
    .click()
  await page.getByRole('dialog').getByLabel('Reason').fill('On leave')
  await page.keyboard.press('Enter')
  await expect(lines.filter({ hasText: `Ada ${id}` })).toContainText('Left out: On leave')
  await page.getByRole('button', { name: /^Submit/ }).click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Submit/ })
    .click()
    .catch(() => undefined)
  const notice = page.getByText('1 of 3 rows submitted. 2 were not, and nobody is paid by them:')
  await expect(notice).toBeVisible()
  await expect(page.getByText(`Ada ${id}`)).toBeVisible()
  await expect(page.getByText('Left out: On leave')).toBeVisible()
  await page.reload()
  await expect(notice).toBeVisible()
  await expectAccessible(page)
  const before = page.url()
  await page.getByRole('button', { name: 'Continue with the 2 rows not submitted' }).click()
  await expect(page).not.toHaveURL(before)
  await page.locator('a[href*="show=all"]').click()
  await expect(lines.filter({ hasText: `Ada ${id}` })).not.toContainText('Left out')
  // The field that is wrong has the focus, and after it is saved the focus is on what follows.
  await lines
    .filter({ hasText: `Jean ${id}` })
    .getByRole('button', { name: /^Edit/ })
    .click()
  await expect(page.getByRole('dialog').getByLabel('Phone number')).toBeFocused()
  await page.getByRole('dialog').getByLabel('Phone number').fill('237677209342')
  await page.keyboard.press('Enter')
  await expect(lines.filter({ hasText: `Jean ${id}` })).toContainText('237 6 77 20 93 42')
  await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('BUTTON')
})

test('a payment that was started in the tab is offered, and a deleted draft comes back', async ({ page }) => {
  const queue = await newQueue(pool)
  await openNewPayment(page, queue.maker)
  await page.getByLabel('Name').fill('Clarisse Mbarga')
  await page.getByRole('link', { name: 'Transactions' }).first().click()
  await expect(page).toHaveURL(/\/transactions/)
  await page.goto(`/${queue.slug}/new`)
  const begun = page.getByRole('region', { name: 'Started in this tab' })
  await begun.getByRole('link', { name: /Continue/ }).click()
  await expect(page.getByLabel('Name')).toHaveValue('Clarisse Mbarga')
  await page.getByRole('button', { name: 'Save draft' }).click()
  await expect(page.getByText('Draft saved').first()).toBeVisible()
  await page.goto(`/${queue.slug}/new`)
  const drafts = page.getByRole('region', { name: 'Drafts' })
  await drafts.getByRole('button', { name: /Delete/ }).click()
  await expect(drafts).toHaveCount(0)
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(drafts).toContainText('Clarisse Mbarga')
})

test('a payment is recalled where it was sent, and its purpose is beside the decision of the next one', async ({ page, browser }) => {
  const queue = await newQueue(pool)
  await openNewPayment(page, queue.maker)
  await fillIn(page)
  await page.getByLabel('Purpose or invoice').fill('Facture 2026-118')
  await sendPayment(page).click()
  await page.getByRole('button', { name: 'Recall' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Failed' })).toBeVisible()
  await page.getByRole('link', { name: 'Edit and send again' }).click()
  await expect(page.getByLabel('Purpose or invoice')).toHaveValue('Facture 2026-118')
  await sendPayment(page).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Sent for approval' })).toBeVisible()
  const context = await browser.newContext()
  const other = await context.newPage()
  await openApprovals(other, queue.checker)
  await other.locator('tbody tr[id^=row-]').first().click()
  await expect(other.locator('#approval-panel').getByText('Facture 2026-118')).toBeVisible()
  await other.goto(`/${queue.slug}/transactions?name=2026-118`)
  await expect(other.locator('main header p').first()).toContainText('2 transactions.')
  await expectAccessible(other)
  await context.close()
})
