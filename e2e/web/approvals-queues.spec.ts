import type { Pool } from '#server/database/pool.ts'
import { expect, test } from './fixtures.ts'
import { newPerson, sandboxPool } from './people.ts'
import { another, newQueue, openApprovals, rowOf, rowsOf, sendButton } from './waiting.ts'

test.describe.configure({ mode: 'default' })

let pool: Pool
test.beforeAll(async () => {
  pool = await sandboxPool()
})
test.afterAll(() => pool.end())

test('a transaction goes through the queues of two checkers and of who made it, and each list moves without a reload', async ({
  page,
  browser,
}) => {
  const queue = await newQueue(pool)
  const [two, kept] = await queue.wait([{ name: 'Amadou Ngassa' }, { name: 'Kossi Adjovi' }], { steps: [1, 1] })
  await openApprovals(page, queue.checker)
  const other = await another(browser, queue.other)
  const maker = await another(browser, queue.maker, '?queue=made')
  const tabs = page.getByRole('navigation', { name: 'Queues' })
  await expect(tabs.getByRole('link')).toHaveText(['Mine to decide2', 'Waiting for others0', 'Created by me0', 'Decided'])
  await expect(maker.getByRole('navigation', { name: 'Queues' }).getByRole('link')).toHaveText([
    'Waiting for others0',
    'Created by me2',
    'Decided',
  ])
  await expect(rowOf(page, two)).toContainText('0 of 2 · step 1 of 2')
  await expect(rowOf(page, two)).toContainText(/now · 6 d left/)

  await rowOf(page, two).getByRole('button', { name: 'Validate' }).click()
  await page.getByLabel('Payee note').fill('Invoice 2231 seen')
  await page.keyboard.press('Enter')
  await expect(rowOf(page, two)).toHaveCount(0)
  await expect(rowOf(other, two)).toContainText('1 of 2 · step 2 of 2')
  await expect(rowOf(maker, two)).toContainText('1 of 2 · step 2 of 2')
  await tabs.getByRole('link', { name: /Waiting for others/ }).click()
  await expect(rowOf(page, two)).toContainText('You have decided; waiting for others')
  const panel = page.getByRole('complementary', { name: 'Amadou Ngassa: details' })
  await expect(panel).toContainText('Mariam Diallo validated')
  await expect(panel).toContainText('“Invoice 2231 seen”')

  await rowOf(other, two).getByRole('button', { name: 'Validate' }).click()
  await other.getByLabel('Payee note').fill('Also seen')
  await other.keyboard.press('Enter')
  await expect(rowOf(page, two)).toHaveCount(0)
  await expect(page.getByText('Nothing is waiting for other checkers.')).toBeVisible()
  await tabs.getByRole('link', { name: 'Decided' }).click()
  await expect(rowOf(page, two)).toContainText('Validated by Jean Ouattara')
  await expect(rowOf(page, two)).toContainText('Also seen')

  await rowOf(maker, kept).getByRole('button', { name: 'Recall' }).click()
  await expect(maker.getByLabel('Reason')).toBeFocused()
  await maker.keyboard.press('Enter')
  await expect(maker.getByText('Required', { exact: true })).toBeVisible()
  await maker.keyboard.type('Prepared twice')
  await maker.keyboard.press('Enter')
  await expect(maker.getByText('Your transactions that wait for approval appear here. You can recall them.')).toBeVisible()
  await expect(rowsOf(other)).toHaveCount(0)
  await expect(other.getByText('Nothing waiting for your decision.')).toBeVisible()
  await other.context().close()
  await maker.context().close()
})

test('a connection that is away: the list says so, keeps what it has, and catches up without a reload', async ({ page, context }) => {
  const queue = await newQueue(pool)
  const [first] = await queue.wait([{ name: 'Amadou Ngassa' }])
  await openApprovals(page, queue.checker)
  await expect(rowOf(page, first)).toBeVisible()
  await context.setOffline(true)
  await expect(page.getByText('You are offline.', { exact: false })).toBeVisible()
  const [second] = await queue.wait([{ name: 'Came meanwhile' }])
  await queue.decide(queue.other, [first ?? ''], 'rejected', 'Duplicate')
  await expect(rowOf(page, first)).toBeVisible()
  await context.setOffline(false)
  await expect(rowOf(page, second)).toBeVisible()
  await expect(rowOf(page, first)).toHaveCount(0)
  await expect(page.getByText('You are offline.', { exact: false })).toHaveCount(0)
})

test('filters stand in the address, say All, Any or Anyone when nothing is chosen, and offer a way out where nothing fits', async ({
  page,
}) => {
  const queue = await newQueue(pool)
  const second = await newPerson(pool, ['maker'], queue.applicationId, 'Paul Etame')
  await queue.wait([{ name: 'By Awa', amountMinor: 84_500_00n }])
  await queue.wait([{ name: 'By Paul', amountMinor: 300_000_00n, operator: 'SNOM', phone: '221771234567', maker: second }], {
    rule: { name: 'Large payout', parts: [] },
  })
  await openApprovals(page, queue.checker)
  const chip = (name: string) => page.getByRole('button', { name: new RegExp(`^${name}`) })
  for (const words of ['Operator All', 'Amount Any', 'Maker Anyone', 'Rule All', 'Order Oldest first'])
    await expect(chip(words)).toBeVisible()
  await chip('Rule').click()
  await page.getByRole('link', { name: 'Large payout' }).click()
  await expect(page).toHaveURL(/rule=Large(\+|%20)payout/)
  await expect(rowsOf(page)).toHaveText([/By Paul/])
  await chip('Rule Large payout').click()
  await page.getByRole('link', { name: 'All', exact: true }).and(page.locator(':visible')).click()
  await expect(rowsOf(page)).toHaveCount(2)
  await chip('Amount').click()
  await page.getByLabel('Maximum').fill('a lot')
  await page.keyboard.press('Enter')
  await expect(page).not.toHaveURL(/max=/)
  await page.getByLabel('Maximum').fill('84,500')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/max=84500/)
  await expect(rowsOf(page)).toHaveText([/By Awa/])
  await expect(chip('Amount ≤ 84,500')).toBeVisible()
  await chip('Maker').click()
  await page.getByRole('link', { name: 'Paul Etame' }).click()
  await expect(page.getByText('No transactions match these filters.')).toBeVisible()
  await page.getByRole('link', { name: 'Clear filters' }).click()
  await expect(rowsOf(page)).toHaveCount(2)
})

test('when the last of the last page are decided, the way to the first page is offered', async ({ page }) => {
  const queue = await newQueue(pool)
  const ids = await queue.wait(Array.from({ length: 51 }, (_, n) => ({ name: `Beneficiary ${n}` })))
  await openApprovals(page, queue.checker, '?page=1')
  await expect(rowsOf(page)).toHaveCount(1)
  await rowOf(page, ids[50]).getByRole('button', { name: 'Reject' }).click()
  await page.getByRole('button', { name: 'Duplicate' }).click()
  await sendButton(page, 'Reject').click()
  await expect(page.getByText('Everything on this page is decided.')).toBeVisible()
  await page.getByRole('link', { name: 'Go to the first page' }).click()
  await expect(rowsOf(page)).toHaveCount(50)
})
