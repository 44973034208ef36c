import type { Pool } from '#server/database/pool.ts'
import { expect, expectAccessible, moveToFirstRow, test } from './fixtures.ts'
import { sandboxPool } from './people.ts'
import { askByKey, bulkBar, newQueue, openApprovals, panelOf, rowOf, rowsOf } from './waiting.ts'

test.describe.configure({ mode: 'default' })

let pool: Pool
test.beforeAll(async () => {
  pool = await sandboxPool()
})
test.afterAll(() => pool.end())

test('every key is heard by screen readers and leaves the focus in a sensible place', async ({ page }) => {
  const queue = await newQueue(pool)
  const [first, second, third] = await queue.wait([{ name: 'Amadou Ngassa' }, { name: 'Kossi Adjovi' }, { name: 'Awa Traoré' }])
  await openApprovals(page, queue.checker)
  const heard = page.locator('.sr-only[role=status]')
  await moveToFirstRow(page)
  await expect(heard).toHaveText(/^1 of 3: 5,000\sXAF, Amadou Ngassa, Created by a person$/)
  await expect(rowOf(page, first)).toBeFocused()
  await page.keyboard.press('j')
  await expect(heard).toHaveText(/^2 of 3: 5,000\sXAF, Kossi Adjovi/)
  await page.keyboard.press('k')
  await expect(rowOf(page, first)).toBeFocused()

  await page.keyboard.press('x')
  await expect(heard).toHaveText('Amadou Ngassa selected')
  await expect(rowOf(page, first)).toHaveAttribute('aria-selected', 'true')
  await page.keyboard.press('x')
  await expect(heard).toHaveText('Amadou Ngassa not selected')
  await page.keyboard.press('x')
  await page.keyboard.press('Escape')
  await expect(bulkBar(page)).toHaveCount(0)

  await page.keyboard.press('Enter')
  const panel = page.getByRole('complementary', { name: 'Amadou Ngassa: details' })
  await expect(panel).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(panel.locator(':focus')).toHaveCount(1)
  await page.keyboard.press('r')
  await expect(panel.getByLabel('Reason')).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(panel.getByLabel('Reason')).toHaveCount(0)
  await expect(panel).toBeFocused()
  await askByKey(page, 'v')
  await page.keyboard.type('Seen')
  await page.keyboard.press('Enter')
  await expect(heard).toHaveText(/^Validated: 5,000\sXAF to Amadou Ngassa$/)
  await expect(rowOf(page, second)).toBeFocused()

  await page.keyboard.press('?')
  const help = page.getByRole('dialog')
  for (const words of ['Next row', 'Previous row', 'Validate', 'Reject']) await expect(help.getByText(words, { exact: true })).toBeVisible()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expect(help).toHaveCount(0)
  await expect(rowOf(page, second)).toBeFocused()

  await page.keyboard.press('k')
  await page.keyboard.press('j')
  await expect(rowOf(page, third)).toBeFocused()
  for (const name of ['third', 'second']) {
    await askByKey(page, 'r')
    await page.keyboard.type(`Duplicate, ${name}`)
    await page.keyboard.press('Enter')
    await expect(heard).toHaveText(/^Rejected: /)
    await expect(page.locator('#field-note[name=note]:focus')).toHaveCount(0)
  }
  await expect(rowsOf(page)).toHaveCount(0)
  await expect(page.locator('main#content')).toBeFocused()
  await expect(heard).toHaveText(/^Rejected: 5,000\sXAF to Kossi Adjovi$/)
})

test('several are chosen and decided by keys alone, and a key pressed without any right to it says why', async ({ page }) => {
  const queue = await newQueue(pool)
  await queue.wait([{ name: 'Amadou Ngassa' }, { name: 'Kossi Adjovi' }, { name: 'Awa Traoré' }])
  await openApprovals(page, queue.checker)
  for (const key of ['j', 'x', 'j', 'x', 'v']) await page.keyboard.press(key)
  const panel = panelOf(page)
  await expect(panel.getByRole('button', { name: /^Validate 2 · 10,000\sXAF$/ })).toBeVisible()
  await page.keyboard.type('Seen both')
  await page.keyboard.press('Enter')
  await expect(panel).toContainText('2 validated')
  await page.keyboard.press('Escape')
  await expect(rowsOf(page)).toHaveCount(1)
  await expect(rowsOf(page).first()).toBeFocused()

  const [two] = await queue.wait([{ name: 'Okello Stephen' }], { steps: [2] })
  await queue.decide(queue.checker, [two ?? ''], 'validated', 'Seen')
  await page.getByRole('link', { name: /Waiting for others/ }).click()
  // Not the list of before, where it may stand for a moment beside the third.
  await expect(rowsOf(page)).toHaveCount(1)
  await expect(rowOf(page, two)).toBeVisible()
  await page.keyboard.press('j')
  await page.keyboard.press('v')
  await expect(page.locator('.sr-only[role=status]')).toHaveText('You have decided; waiting for others')
  await expect(page.locator('#field-note')).toHaveCount(0)
})
