import type { Pool } from '#server/database/pool.ts'
import { expect, test } from './fixtures.ts'
import { sandboxPool } from './people.ts'
import { newQueue, openApprovals, rowOf } from './waiting.ts'

let pool: Pool
test.beforeAll(async () => {
  pool = await sandboxPool()
})
test.afterAll(() => pool.end())

test('Validate and Reject in a row name the transaction', async ({ page }) => {
  const queue = await newQueue(pool)
  const [first, second] = await queue.wait([{ name: 'Amadou Ngassa' }, { name: 'Kossi Adjovi', amountMinor: 1_250_000n }])
  await openApprovals(page, queue.checker)
  await expect(rowOf(page, first).getByRole('button', { name: /^Validate.*Amadou Ngassa/ })).toBeVisible()
  await expect(rowOf(page, second).getByRole('button', { name: /^Reject.*Kossi Adjovi/ })).toBeVisible()
})

test('an Arabic name has its own direction in the list and on the page of its transaction', async ({ page }) => {
  const queue = await newQueue(pool)
  const name = 'محمد العربي 2'
  const [id] = await queue.wait([{ name }])
  await openApprovals(page, queue.checker)
  await page.goto(`/${queue.slug}/transactions`)
  await expect(page.locator('[dir=auto]', { hasText: name }).first()).toBeVisible()
  await page.goto(`/${queue.slug}/transactions/${id}`)
  await expect(page.locator('[dir=auto]', { hasText: name }).first()).toBeVisible()
})
