import type { Pool } from '#server/database/pool.ts'
import { expect, expectAccessibleEverywhere, test } from './fixtures.ts'
import { newPerson, sandboxPool } from './people.ts'
import { newQueue, openApprovals, panelOf, rowOf, rowsOf } from './waiting.ts'

test.describe.configure({ mode: 'default' })

let pool: Pool
test.beforeAll(async () => {
  pool = await sandboxPool()
})
test.afterAll(() => pool.end())

test('a decided item names who decided in full, when, and how it ended, and says nothing of a balance after it', async ({ page }) => {
  const queue = await newQueue(pool)
  const long = await newPerson(pool, ['checker'], queue.applicationId, 'Marie-Thérèse Emmanuelle Nkoulou Abessolo')
  const [rejected] = await queue.wait([{ name: 'Amadou Ngassa' }])
  await queue.decide(long, [rejected ?? ''], 'rejected', 'Duplicate of an earlier payment')
  await openApprovals(page, queue.checker, '?queue=decided')
  const row = rowOf(page, rejected)
  const name = row.getByText('Rejected by Marie-Thérèse Emmanuelle Nkoulou Abessolo')
  await expect(name).toBeVisible()
  expect(await name.evaluate((element) => element.scrollWidth <= element.clientWidth + 1)).toBe(true)
  await expect(row).toContainText('Failed')
  await expect(row).toContainText(/\d{2}:\d{2}/)
  await expect(row).toContainText('Duplicate of an earlier payment')
  const panel = panelOf(page)
  await expect(panel.getByRole('region', { name: 'Evidence' })).toContainText('First payment to this number')
  await expect(panel).not.toContainText('after this')
  await expect(panel.getByRole('button', { name: /^(Validate|Reject)/ })).toHaveCount(0)
  await expectAccessibleEverywhere(page)
})

test('decisions are narrowed to a checker and to days, and the way out is offered where nothing fits', async ({ page }) => {
  const queue = await newQueue(pool)
  const [byOther, byChecker] = await queue.wait([{ name: 'Amadou Ngassa' }, { name: 'Kossi Adjovi' }])
  await queue.decide(queue.other, [byOther ?? ''], 'rejected', 'Duplicate')
  await queue.decide(queue.checker, [byChecker ?? ''], 'rejected', 'Duplicate')
  await openApprovals(page, queue.checker, '?queue=decided')
  await expect(rowsOf(page)).toHaveCount(2)
  await page.getByRole('button', { name: /^Decided by/ }).click()
  await page.getByRole('link', { name: 'Jean Ouattara' }).click()
  await expect(rowsOf(page)).toHaveText([/Amadou Ngassa/])
  await page.getByRole('button', { name: /^Date/ }).click()
  await page.getByRole('button', { name: 'Today' }).click()
  await expect(page).toHaveURL(/from=\d{4}-\d{2}-\d{2}&to=/)
  await expect(rowsOf(page)).toHaveCount(1)
  await page.getByRole('button', { name: 'Date Today' }).click()
  await page.getByRole('button', { name: 'Yesterday' }).click()
  await expect(page.getByText('No transactions match these filters.')).toBeVisible()
  await page.getByRole('link', { name: 'Clear filters' }).click()
  await expect(rowsOf(page)).toHaveCount(2)
})

test('who cannot decide starts with what they made, or with what waits for others', async ({ page }) => {
  const queue = await newQueue(pool)
  const [made] = await queue.wait([{ name: 'Amadou Ngassa' }])
  await openApprovals(page, queue.maker)
  await expect(rowOf(page, made)).toBeVisible()
  await expect(page.getByRole('link', { name: /^Mine to decide/ })).toHaveCount(0)
  await expect(page.getByRole('link', { name: /^Created by me/ })).toHaveAttribute('aria-current', 'page')
})
