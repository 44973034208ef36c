import type { Pool } from '#server/database/pool.ts'
import { expect, expectAccessibleEverywhere, signIn, test } from './fixtures.ts'
import { expectSent, fillIn, openNewPayment, send, sendButton, storedIn } from './new-payment.ts'
import { sandboxPool } from './people.ts'
import { newQueue } from './waiting.ts'

let pool: Pool
test.beforeAll(async () => {
  pool = await sandboxPool()
})
test.afterAll(() => pool.end())

test('the account at the operator below a complete number, without anything that moves; another name is a warning to maker and checker', async ({
  page,
  browser,
}) => {
  const queue = await newQueue(pool)
  await openNewPayment(page, queue.maker)
  await fillIn(page, { phone: '237677209916', name: 'Zacharie Wouters' })
  const placeOf = async () => (await page.getByLabel('Amount').boundingBox())?.y
  const before = await placeOf()
  const warning = page.getByText(/^Registered at MTN under another name: [A-Z]+ [A-Z]\.$/)
  await expect(warning).toBeVisible()
  expect(await placeOf()).toBe(before)
  await page.getByLabel('Phone number').fill('237677209905')
  await expect(page.getByText('MTN has no account with this number')).toBeVisible()
  await page.getByLabel('Phone number').fill('237677209916')
  await expect(warning).toBeVisible()
  await expectAccessibleEverywhere(page)
  await send(page)
  const [stored] = await storedIn(pool, queue.applicationId)
  const checking = await (await browser.newContext()).newPage()
  await signIn(checking, queue.checker, `/${queue.maker.slug}/transactions/${stored?.transactionId}`)
  await expect(checking.getByText(/MTN Cameroon: registered under another name, [A-Z]+ [A-Z]\./)).toBeVisible()
})

test('sent while the operator has not answered yet', async ({ page }) => {
  const queue = await newQueue(pool)
  await page.route('**/account-checks?*', () => undefined)
  await openNewPayment(page, queue.maker)
  await fillIn(page)
  await expect(page.getByText('Checking the account at MTN…')).toBeVisible()
  await sendButton(page).click()
  await expectSent(page)
})

test('used up: the form says when the next check is possible, and sends as before', async ({ page }) => {
  const queue = await newQueue(pool)
  await pool.query('update applications set account_checks_max = 1 where application_id = $1', [queue.applicationId])
  await openNewPayment(page, queue.maker)
  await fillIn(page)
  await expect(page.getByText(/^Active at MTN, registered as [A-Z]+ [A-Z]\.$/)).toBeVisible()
  await page.getByLabel('Phone number').fill('237677209342')
  await expect(page.getByText(/^You have used your account checks\. The next one is possible on \d+ \w+, \d\d:\d\d\.$/)).toBeVisible()
  await send(page)
})
