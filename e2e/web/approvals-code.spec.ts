import { createHash } from 'node:crypto'
import type { Pool } from '#server/database/pool.ts'
import { expect, moveToFirstRow, test } from './fixtures.ts'
import { deviceOf, sandboxPool } from './people.ts'
import { askByKey, bulkBar, giveDevice, newQueue, openApprovals, panelOf, rowOf, rowsOf, sendButton } from './waiting.ts'

test.describe.configure({ mode: 'default' })

let pool: Pool
test.beforeAll(async () => {
  pool = await sandboxPool()
})
test.afterAll(() => pool.end())

const WRONG = 'Incorrect or already used code. Nothing was decided. Wait for the next code.'
const ASKS = { needsCode: true, rule: { name: 'Very large payout', parts: [] } }

test('a rule asks for a fresh code: a wrong one and a used one decide nothing and say what to do, a right one decides', async ({
  page,
}) => {
  const queue = await newQueue(pool)
  const ids = await queue.wait([{ name: 'Amadou Ngassa' }, { name: 'Kossi Adjovi' }], ASKS)
  await openApprovals(page, queue.checker)
  const code = deviceOf(await giveDevice(pool, queue.checker))
  await page.reload()
  await expect(rowOf(page, ids[0])).toContainText('0 of 1 · code')
  await moveToFirstRow(page)
  await askByKey(page, 'v')
  const panel = panelOf(page)
  const field = panel.getByLabel('One-time code')
  await expect(panel).toContainText('The code is valid for this transaction only.')
  await page.keyboard.type('Contract seen')
  await page.keyboard.press('Enter')
  await expect(panel.getByText('Required', { exact: true })).toBeVisible()
  await field.fill('000000')
  await page.keyboard.press('Enter')
  await expect(panel.getByRole('alert')).toHaveText(WRONG)
  await expect(field).toBeFocused()
  await expect(field).toHaveValue('')
  await expect(panel.getByLabel('Payee note')).toHaveValue('Contract seen')
  expect(await queue.statusOf(ids[0] ?? '')).toBe('PENDING_APPROVAL')
  const first = await code()
  await field.fill(first)
  await page.keyboard.press('Enter')
  await expect(rowOf(page, ids[0])).toHaveCount(0)
  await expect(rowOf(page, ids[1])).toBeFocused()

  await askByKey(page, 'v')
  await page.keyboard.type('Contract seen')
  await field.fill(first)
  await page.keyboard.press('Enter')
  await expect(panel.getByRole('alert')).toHaveText(WRONG)
  expect(await queue.statusOf(ids[1] ?? '')).toBe('PENDING_APPROVAL')
  await field.fill(await code())
  await page.keyboard.press('Enter')
  await expect(rowOf(page, ids[1])).toHaveCount(0)
  const { rows } = await pool.query('select used_code from approval_decisions where application_id = $1', [queue.applicationId])
  expect(rows).toEqual([{ used_code: true }, { used_code: true }])
})

test('one code for a list counts for exactly that list, and a rejection asks for none', async ({ page }) => {
  const queue = await newQueue(pool)
  const plain = await queue.wait([{ name: 'Awa Traoré' }, { name: 'Yao Kouamé' }])
  const asking = await queue.wait([{ name: 'Solange Tchoua' }, { name: 'Okello Stephen' }], ASKS)
  await openApprovals(page, queue.checker)
  const code = deviceOf(await giveDevice(pool, queue.checker))
  await page.reload()
  const list = [...plain, asking[0] ?? '']
  for (const id of list) await rowOf(page, id).getByRole('checkbox').check()
  await bulkBar(page).getByRole('button', { name: 'Validate 3' }).click()
  const panel = panelOf(page)
  await expect(panel).toContainText('The code is valid for these 3 transactions only.')
  const shown = await queue.rowsFor(queue.checker, list)
  const used = await code()
  await panel.getByLabel('Payee note').fill('Run of the week')
  await panel.getByLabel('One-time code').fill(used)
  await panel.getByRole('button', { name: /^Validate 3/ }).click()
  await expect(panel).toContainText('3 validated')
  const { rows } = await pool.query<{ details: unknown }>(
    "select details from audit_entries where application_id = $1 and action = 'approvals.code_used'",
    [queue.applicationId],
  )
  const hashOf = (id: string) => shown.find((row) => row.transactionId === id)?.contentHash
  const digest = createHash('sha256').update(JSON.stringify(list.map((id) => [id, hashOf(id)])))
  expect(rows.map((row) => row.details)).toEqual([{ list: digest.digest('hex'), count: 3 }])
  await page.keyboard.press('Escape')

  await rowOf(page, asking[1]).getByRole('button', { name: 'Validate' }).click()
  await panel.getByLabel('Payee note').fill('Run of the week')
  await panel.getByLabel('One-time code').fill(used)
  await sendButton(page).click()
  await expect(panel.getByRole('alert')).toHaveText(WRONG)
  await page.keyboard.press('Escape')
  await rowOf(page, asking[1]).getByRole('button', { name: 'Reject' }).click()
  await expect(panel.getByLabel('One-time code')).toHaveCount(0)
  await panel.getByRole('button', { name: 'Document missing' }).click()
  await sendButton(page, 'Reject').click()
  await expect(rowOf(page, asking[1])).toHaveCount(0)
  expect(await queue.statusOf(asking[1] ?? '')).toBe('FAILED')
})

test('after five wrong codes the words say to wait', async ({ page }) => {
  const queue = await newQueue(pool)
  await queue.wait([{}], ASKS)
  await openApprovals(page, queue.checker)
  await giveDevice(pool, queue.checker)
  await page.reload()
  await rowsOf(page).first().getByRole('button', { name: 'Validate' }).click()
  const panel = panelOf(page)
  await panel.getByLabel('Payee note').fill('Seen')
  for (let n = 0; n < 5; n++) {
    await panel.getByLabel('One-time code').fill('000000')
    await page.keyboard.press('Enter')
    await expect(panel.getByLabel('One-time code')).toHaveValue('')
    await expect(panel.getByRole('alert')).toHaveText(WRONG)
  }
  await panel.getByLabel('One-time code').fill('000000')
  await page.keyboard.press('Enter')
  await expect(panel.getByRole('alert')).toHaveText('Too many incorrect codes. Nothing was decided. Wait 30 seconds.')
})

test('somebody without a second factor is told where to set one up, may reject, and can go on without what asks for a code', async ({
  page,
}) => {
  const queue = await newQueue(pool)
  const plain = await queue.wait([{ name: 'Awa Traoré' }, { name: 'Yao Kouamé' }])
  const asking = await queue.wait([{ name: 'Solange Tchoua' }], ASKS)
  await openApprovals(page, queue.checker)
  const row = rowOf(page, asking[0])
  await expect(row.getByRole('button', { name: 'Validate' })).toHaveCount(0)
  await expect(row.getByRole('button', { name: 'Reject' })).toBeEnabled()
  const link = `/sign-in/enrol?next=${encodeURIComponent(`/${queue.slug}/approvals`)}`
  await expect(row.getByRole('link', { name: 'Set up codes' })).toHaveAttribute('href', link)
  for (const key of ['j', 'j', 'j', 'v']) await page.keyboard.press(key)
  await expect(page.getByRole('status').filter({ hasText: 'One-time code required: set up a second factor' })).toHaveCount(1)

  await page.getByRole('checkbox', { name: 'Select all rows on this page' }).check()
  await bulkBar(page).getByRole('button', { name: 'Validate 3' }).click()
  const panel = panelOf(page)
  await expect(panel).toContainText('One transaction requires a one-time code, and you have no second factor.')
  await expect(panel.getByRole('link', { name: 'Set up a second factor' })).toHaveAttribute('href', link)
  await panel.getByLabel('Payee note').fill('Seen')
  await panel.getByRole('button', { name: /^Validate 3/ }).click()
  await expect(panel.getByRole('alert')).toHaveText('A rule requires a one-time code and you have no second factor. Nothing was decided.')
  await panel.getByRole('button', { name: 'Leave it out' }).click()
  await panel.getByRole('button', { name: /^Validate 2 · 10,000\sXAF$/ }).click()
  await expect(panel).toContainText('2 validated')
  await page.keyboard.press('Escape')
  await expect(rowsOf(page)).toHaveCount(1)
  await expect(row).toBeVisible()
  for (const id of plain) expect(await queue.statusOf(id)).not.toBe('PENDING_APPROVAL')
})
