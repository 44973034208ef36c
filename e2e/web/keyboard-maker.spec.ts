import { randomUUID } from 'node:crypto'
import type { Pool } from '#server/database/pool.ts'
import { expect, test, waitForScripts } from './fixtures.ts'
import { goByKeys, openChooser, pressOn, signInByKeys, typeInto } from './keyboard.ts'
import { expectSent, storedIn } from './new-payment.ts'
import { sandboxPool } from './people.ts'
import { newQueue } from './waiting.ts'

let pool: Pool
test.beforeAll(async () => {
  pool = await sandboxPool()
})
test.afterAll(() => pool.end())

test("a maker's day by keyboard alone: signs in, sends a payment, prepares a file, repairs a row of it and submits it", async ({
  page,
}) => {
  test.setTimeout(240_000)
  const queue = await newQueue(pool)
  await signInByKeys(page, queue.maker)

  await goByKeys(page, 'New payment', /\/new\?payment=/)
  await typeInto(page, page.getByLabel('Type'), 'Deposit')
  await typeInto(page, page.getByLabel('Country'), 'Cameroon')
  await typeInto(page, page.getByLabel('Operator'), 'MTN')
  await typeInto(page, page.getByLabel('Phone number'), '+237 677 20 93 41')
  await typeInto(page, page.getByLabel('Name'), 'Clarisse Mbarga')
  await typeInto(page, page.getByLabel('Amount'), '5000')
  await page.keyboard.press('ControlOrMeta+Enter')
  await expectSent(page)
  expect(await storedIn(pool, queue.applicationId)).toMatchObject([{ status: 'PENDING_APPROVAL', amountMinor: 500_000n }])

  await goByKeys(page, 'Batches', /\/batches$/)
  await pressOn(page, page.getByRole('link', { name: 'New batch' }))
  await expect(page).toHaveURL(/\/batches\/new/)
  await waitForScripts(page)
  const name = `Paie ${randomUUID().slice(0, 8)}`
  const content = 'Téléphone;Nom;Montant;Opérateur\n2.37E+11;Jean Fotso;5000;MOMOCM\n237677209342;Awa Traoré;700;MOMOCM\n'
  const chooser = await openChooser(page, page.locator('input[type=file]'))
  await chooser.setFiles({ name: `${name}.csv`, mimeType: 'text/csv', buffer: Buffer.from(content) })
  await pressOn(page, page.locator('main form button[type=submit]'))
  await expect(page.getByRole('heading', { level: 1, name })).toBeVisible({ timeout: 20_000 })
  await waitForScripts(page)
  const row = page.getByRole('row').filter({ hasText: 'Jean Fotso' })
  await pressOn(page, row.getByRole('button', { name: /^Edit/ }))
  await typeInto(page, page.getByRole('dialog').getByLabel('Phone number'), '+237 6 77 20 93 43')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await pressOn(page, page.getByRole('button', { name: 'Submit for approval' }))
  await expect(page.getByText('Waiting for approval', { exact: true }).first()).toBeVisible({ timeout: 20_000 })
})
