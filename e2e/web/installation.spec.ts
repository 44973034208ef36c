import type { Pool } from '#server/database/pool.ts'
import { expect, expectAccessibleEverywhere, signIn, test } from './fixtures.ts'
import { sandboxPool } from './people.ts'
import { personWith } from './sandbox.ts'

// One after the other: what the end of this file removes would be missing in a test that another worker runs.
test.describe.configure({ mode: 'default' })

const LOST = '019aaf00-0000-7000-8000-00000000dead'

let pool: Pool
test.beforeAll(async () => {
  pool = await sandboxPool()
})
test.afterAll(async () => {
  await pool.query('delete from processes where process_id = $1', [LOST])
  await pool.query("delete from backup_notes where note like 'page test%'")
  await pool.end()
})

test('what runs, and without a reload a process that reports no more, a backup that was noted and a task that fails', async ({ page }) => {
  const serge = personWith(['administrator'])
  await signIn(page, serge)
  await page.getByRole('link', { name: /^Installation/ }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Installation' })).toBeVisible()
  await expect(page.getByRole('row', { name: /Web and worker .* Running/ })).toBeVisible()
  await expect(page.getByText('No standby is connected.')).toBeVisible()
  await expect(page.getByText(/Off\. If all servers are lost/)).toBeVisible()
  await page.evaluate(() => Object.assign(globalThis, { isSamePage: true }))

  await pool.query(
    `insert into processes (process_id, role, host, pid, release, started_at, seen_at)
       values ($1, 'worker', 'worker-9.example', 4711, 1, now() - interval '1 hour', now() - interval '2 minutes')`,
    [LOST],
  )
  await pool.query("insert into backup_notes (kind, happened_at, note) values ('backup', '2026-11-22T02:00:00Z', 'page test: weekly')")
  await pool.query("update scheduled_tasks set failed_since = now(), last_error = 'page test' where task = 'forget_operator_history'")
  const lost = page.getByRole('row', { name: /worker-9\.example 4711 Worker .* No report/ })
  await expect(lost).toBeVisible({ timeout: 25_000 })
  await expect(page.getByText('page test: weekly')).toBeVisible()
  await expect(page.getByRole('row', { name: /forget_operator_history page test/ })).toBeVisible()
  expect(await page.evaluate(() => 'isSamePage' in globalThis)).toBe(true)
  await expectAccessibleEverywhere(page)
  await pool.query("update scheduled_tasks set failed_since = null, last_error = null where task = 'forget_operator_history'")
})

test('no page and no link for an administrator of another application', async ({ page }) => {
  const other = personWith(['administrator'], 0, 1)
  await signIn(page, other)
  await expect(page.getByRole('link', { name: 'Operators', exact: true })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Installation', exact: true })).toHaveCount(0)
  const answer = await page.request.get(`/${other.slug}/installation`)
  expect(answer.status()).toBe(404)
  expect((await page.request.get(`/api/back-office/${other.slug}/installation`)).status()).toBe(404)
})
