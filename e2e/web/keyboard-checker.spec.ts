import type { Pool } from '#server/database/pool.ts'
import { expect, moveToFirstRow, test } from './fixtures.ts'
import { goByKeys, pressOn, signInByKeys, tabTo } from './keyboard.ts'
import { sandboxPool } from './people.ts'
import { askByKey, newQueue, panelOf, rowOf, sendButton } from './waiting.ts'

let pool: Pool
test.beforeAll(async () => {
  pool = await sandboxPool()
})
test.afterAll(() => pool.end())

test("a checker's day by keyboard alone: signs in, validates one payment by its keys and rejects one by Tab, with a note each", async ({
  page,
}) => {
  test.setTimeout(240_000)
  const queue = await newQueue(pool)
  const [first = '', second = ''] = await queue.wait([{ name: 'Amadou Ngassa' }, { name: 'Kossi Adjovi' }])
  await signInByKeys(page, queue.checker)
  await goByKeys(page, 'Approvals', /\/approvals/)
  await moveToFirstRow(page)
  await page.keyboard.press('Enter')
  await expect(panelOf(page)).toContainText('Amadou Ngassa')
  await askByKey(page, 'v')
  await page.keyboard.type('Invoice seen')
  await page.keyboard.press('Enter')
  await expect.poll(() => queue.statusOf(first)).not.toBe('PENDING_APPROVAL')

  // The next one, without a key of its own: Tab reaches every control of the panel.
  await expect(rowOf(page, second)).toBeVisible()
  if ((await panelOf(page).count()) === 0) {
    await moveToFirstRow(page)
    await page.keyboard.press('Enter')
  }
  await expect(panelOf(page)).toContainText('Kossi Adjovi')
  await pressOn(page, sendButton(page, 'Reject'))
  await tabTo(page, page.locator('#field-note'))
  await page.keyboard.type('The invoice has another amount')
  await pressOn(page, sendButton(page, 'Reject'))
  await expect.poll(() => queue.statusOf(second)).toBe('FAILED')
  const { rows } = await pool.query<{ decision: string; note: string }>(
    'select decision, note from approval_decisions where transaction_id = any ($1::uuid[]) order by note',
    [[first, second]],
  )
  expect(rows).toEqual([
    { decision: 'validated', note: 'Invoice seen' },
    { decision: 'rejected', note: 'The invoice has another amount' },
  ])
})
