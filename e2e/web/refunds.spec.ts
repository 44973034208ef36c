import type { Page } from 'playwright/test'
import { expect, signIn, test, waitForScripts } from './fixtures.ts'
import { sandboxPool } from './people.ts'
import { personWith, type SandboxPerson } from './sandbox.ts'

type Subject = { transactionId: string; amount: number }

/** Successful collects of an application that nothing was refunded of, the newest first. */
async function findCollects(name: string, count: number): Promise<Subject[]> {
  const pool = await sandboxPool()
  try {
    const { rows } = await pool.query<Subject>(
      `select t.transaction_id as "transactionId", (t.amount_minor / 100)::integer as amount from transactions t join applications a using (application_id)
        where a.name = $1 and t.operator = 'MOMOCM' and t.type = 'COLLECT' and t.status = 'SUCCESS' and t.amount_minor >= 500000
          and refund_obstacle(t.application_id, t.transaction_id) is null and refunded_minor(t.application_id, t.transaction_id) = 0
        order by t.sequence desc limit $2`,
      [name, count],
    )
    if (rows.length < count) throw new Error('The sandbox has too few collects at MTN Cameroon')
    return rows
  } finally {
    await pool.end()
  }
}

async function openAs(page: Page, person: SandboxPerson, address: string): Promise<void> {
  await page.context().clearCookies()
  await signIn(page, person, address)
  await waitForScripts(page)
}

test('a maker proposes a refund of a part; it is listed, links both ways, and what is left falls', async ({ page }) => {
  const maker = personWith(['maker'])
  const [collect] = await findCollects(maker.application, 1)
  if (!collect) throw new Error('no collect')
  const part = 1_000
  await openAs(page, maker, `/${maker.slug}/transactions/${collect.transactionId}`)
  await page.getByRole('button', { name: 'Refund', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByLabel('Amount in XAF')).toHaveValue(/\d/)
  await dialog.getByLabel('Amount in XAF').fill(String(collect.amount + 1))
  await dialog.getByRole('button', { name: 'Send for approval' }).click()
  await expect(dialog.getByText('The amount is more than what is left of the collect.')).toBeVisible()
  await expect(dialog.getByLabel('Reason')).toHaveAttribute('aria-invalid', 'true')
  await dialog.getByLabel('Amount in XAF').fill(String(part))
  await dialog.getByLabel('Reason').fill('Item returned')
  await dialog.getByRole('button', { name: 'Send for approval' }).click()
  await expect(dialog).toHaveCount(0)
  const section = page.getByRole('region', { name: 'Refunds' })
  await expect(section.getByText('1,000 XAF of', { exact: false })).toBeVisible()
  await expect(section.getByRole('listitem')).toHaveCount(1)
  await section.getByRole('listitem').getByRole('link').click()
  await expect(page.getByText('Refund of a collect of', { exact: false })).toBeVisible()
  await expect(page.getByText('Item returned').first()).toBeVisible()
  await expect(page.getByRole('button', { name: 'Recall' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Edit', exact: true })).toHaveCount(0)
  const refundId = page.url().match(/transactions\/([0-9a-f-]{36})/)?.[1]
  await page.getByRole('link', { name: 'Open it' }).first().click()
  await expect(page).toHaveURL(new RegExp(collect.transactionId))
  // An ordinary deposit in its place would not count against the collect.
  await page.goto(`/${maker.slug}/new?from=${refundId}`)
  await expect(page).toHaveURL(new RegExp(`/transactions/${collect.transactionId}`))
  await page.goto(`/${maker.slug}/transactions`)
  await waitForScripts(page)
  await page.getByRole('button', { name: '+ Filter' }).click()
  await page.getByLabel('Refunds').selectOption('Refunded collects')
  await page.getByRole('button', { name: 'Apply' }).click()
  await expect(page).toHaveURL(/refund=refunded/)
  await expect(page.getByRole('row').filter({ hasText: 'Partly refunded' }).first()).toBeVisible()
  await page.getByRole('link', { name: /^Refunded collects/ }).click()
  await expect(page).not.toHaveURL(/refund=/)
})

test('a checker sees what is refunded before the decision, and the maker cannot decide', async ({ page }) => {
  const [maker, checker] = [personWith(['maker']), personWith(['checker'])]
  const pool = await sandboxPool()
  const { rows } = await pool.query<{ id: string }>(
    `select r.transaction_id as id from transaction_refunds r join transactions t using (application_id, transaction_id) join applications a using (application_id)
      where a.name = $1 and t.status = 'PENDING_APPROVAL' order by t.sequence limit 1`,
    [maker.application],
  )
  await pool.end()
  const address = `/${maker.slug}/transactions/${rows[0]?.id}`
  await openAs(page, maker, address)
  await expect(page.getByText('Refund of a collect of', { exact: false })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Validate' })).toHaveCount(0)
  await openAs(page, checker, address)
  await expect(page.getByText(/^Refund of .*, collected on/)).toBeVisible()
  await expect(page.getByRole('button', { name: /Validate/ }).first()).toBeVisible()
})

test('no button for who cannot create payments, and none on a collect that failed', async ({ page }) => {
  const [finance, maker] = [personWith(['finance']), personWith(['maker'])]
  const [collect] = await findCollects(finance.application, 1)
  await openAs(page, finance, `/${finance.slug}/transactions/${collect?.transactionId}`)
  await expect(page.getByRole('region', { name: 'Ledger entries' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Refund', exact: true })).toHaveCount(0)
  await openAs(page, maker, `/${maker.slug}/transactions/${await findFailedCollect(maker.application)}`)
  await expect(page.getByRole('region', { name: 'Ledger entries' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Refund', exact: true })).toHaveCount(0)
})

async function findFailedCollect(name: string): Promise<string | undefined> {
  const pool = await sandboxPool()
  try {
    const { rows } = await pool.query<{ id: string }>(
      `select t.transaction_id as id from transactions t join applications a using (application_id)
        where a.name = $1 and t.type = 'COLLECT' and t.status = 'FAILED' order by t.sequence desc limit 1`,
      [name],
    )
    return rows[0]?.id
  } finally {
    await pool.end()
  }
}
