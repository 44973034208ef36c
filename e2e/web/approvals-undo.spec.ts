import type { Page } from 'playwright/test'
import type { Pool } from '#server/database/pool.ts'
import { expect, expectAccessible, expectAccessibleEverywhere, moveToFirstRow, signIn, test } from './fixtures.ts'
import { sandboxPool } from './people.ts'
import { sandboxUrl } from './sandbox.ts'
import { askByKey, newQueue, openApprovals, rowOf } from './waiting.ts'

test.describe.configure({ mode: 'default' })

let pool: Pool
test.beforeAll(async () => {
  pool = await sandboxPool()
})
test.afterAll(() => pool.end())

/** A queue in an application whose people can undo for this many seconds. */
async function queueWithUndo(undoSeconds: number) {
  const queue = await newQueue(pool)
  await pool.query('update applications set undo_seconds = $2 where application_id = $1', [queue.applicationId, undoSeconds])
  return queue
}

const notices = (page: Page) => page.getByRole('region', { name: 'Notifications' })

async function validateFirst(page: Page): Promise<void> {
  await moveToFirstRow(page)
  await askByKey(page, 'v')
  await page.keyboard.type('Seen')
  await page.keyboard.press('Enter')
}

test('undone with the key U: nothing was sent, and the row is as before for both checkers', async ({ page }) => {
  const queue = await queueWithUndo(60)
  const [first, second] = await queue.wait([{ name: 'Amadou Ngassa' }, { name: 'Kossi Adjovi' }])
  await openApprovals(page, queue.checker)
  await validateFirst(page)
  const row = rowOf(page, first)
  await expect(row.getByRole('timer')).toHaveText(/^Takes effect in \d+ s$/)
  // The next payment is the current one; what can be undone stays where it was.
  await expect(rowOf(page, second)).toBeFocused()
  await expect(page.getByText(/^Validated: 5,000\sXAF to Amadou Ngassa$/)).toBeVisible()
  await expect(page.locator('.sr-only[role=status]')).toHaveText(/Takes effect in \d+ s\. Press U to undo\.$/)
  expect(await queue.statusOf(first ?? '')).toBe('PENDING_APPROVAL')
  await expectAccessibleEverywhere(page)
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.keyboard.press('u')
  await expect(page.getByText('Undone: nothing was sent').first()).toBeVisible()
  await expect(row.getByRole('timer')).toHaveCount(0)
  await expect(row.getByRole('button', { name: /^Validate: 5,000/ })).toBeVisible()
  expect(await queue.statusOf(first ?? '')).toBe('PENDING_APPROVAL')
})

test('carried out after the ten seconds that are the default, with the tab closed; shown with the rest of its time after a reload', async ({
  page,
}) => {
  const queue = await queueWithUndo(10)
  const [first] = await queue.wait([{ name: 'Amadou Ngassa' }])
  await openApprovals(page, queue.checker)
  await validateFirst(page)
  const timer = page.getByRole('timer')
  await expect(timer.first()).toHaveText(/^Takes effect in (10|9|8) s$/)
  await page.reload()
  await expect(timer.first()).toHaveText(/^Takes effect in [1-9] s$/)
  expect(await queue.statusOf(first ?? '')).toBe('PENDING_APPROVAL')
  await page.goto('about:blank')
  await expect.poll(() => queue.statusOf(first ?? ''), { timeout: 20_000 }).not.toBe('PENDING_APPROVAL')
})

test('named with the colleague who was quicker: a validation that was refused when it was due, until it is dismissed', async ({ page }) => {
  const queue = await queueWithUndo(60)
  const [first] = await queue.wait([{ name: 'Amadou Ngassa' }])
  await openApprovals(page, queue.checker)
  await validateFirst(page)
  await expect(page.getByRole('timer').first()).toBeVisible()
  await queue.decide(queue.other, [first ?? ''], 'rejected', 'Duplicate')
  await pool.query('update intended_decisions set due_at = clock_timestamp() where application_id = $1', [queue.applicationId])
  await page.reload()
  const told = page.getByText(/^Not sent: 5,000\sXAF to Amadou Ngassa\. Already rejected by Jean Ouattara/)
  await expect(told).toBeVisible()
  await expectAccessible(page)
  // On every page of this person, until they have read it.
  await signIn(page, queue.checker, `/${queue.checker.slug}/transactions`)
  await expect(told).toBeVisible()
  await notices(page).getByRole('button', { name: 'Dismiss' }).click()
  await expect(told).toHaveCount(0)
  await expect
    .poll(
      async () =>
        (await pool.query('select told_at from intended_decisions where application_id = $1', [queue.applicationId])).rows[0]?.told_at,
    )
    .not.toBeNull()
  await page.reload()
  await expect(page.getByText(/^(Printed on)/)).toHaveCount(1)
  await expect(told).toHaveCount(0)
})

test('undone in another window, on the page of the transaction, by the button beside the rest of the time', async ({ page, browser }) => {
  const queue = await queueWithUndo(60)
  const [first] = await queue.wait([{ name: 'Amadou Ngassa' }])
  await openApprovals(page, queue.checker)
  await validateFirst(page)
  const state = await page.context().storageState()
  const context = await browser.newContext({ storageState: state, baseURL: sandboxUrl() })
  const second = await context.newPage()
  await second.goto(`/${queue.slug}/transactions/${first}`)
  const decision = second.getByRole('region', { name: 'Decision' })
  await expect(decision.getByRole('timer')).toBeVisible()
  await expect(notices(second).getByRole('button', { name: /^Undo/ })).toBeVisible()
  await decision.getByRole('button', { name: 'Undo' }).click()
  await expect(second.getByText('Undone: nothing was sent').first()).toBeVisible()
  await expect(decision.getByRole('button', { name: 'Validate' })).toBeVisible()
  await expect(page.getByRole('timer')).toHaveCount(0)
  await context.close()
})

test('never called sent: the first of two approvals, while it can be undone and once it has taken effect', async ({ page }) => {
  const queue = await queueWithUndo(60)
  const [first] = await queue.wait([{ name: 'Amadou Ngassa' }], { steps: [2] })
  await openApprovals(page, queue.checker)
  await validateFirst(page)
  await expect(page.getByText(/^Approved, needs another approval: 5,000\sXAF to Amadou Ngassa$/)).toBeVisible()
  await expect(page.getByText(/^Validated:/)).toHaveCount(0)
  await pool.query('update intended_decisions set due_at = clock_timestamp() where application_id = $1', [queue.applicationId])
  await expect(notices(page).getByText(/^Approval recorded, waits for another one: 5,000\sXAF to Amadou Ngassa$/)).toBeVisible()
  await expect(page.getByText(/^Took effect:/)).toHaveCount(0)
  expect(await queue.statusOf(first ?? '')).toBe('PENDING_APPROVAL')
})
