import type { Page } from 'playwright/test'
import { expect, signIn, test, waitForScripts } from './fixtures.ts'
import { sandboxPool } from './people.ts'
import { personWith, type SandboxPerson } from './sandbox.ts'

type Subject = { applicationId: string; transactionId: string; amountMinor: bigint; feesMinor: bigint; collectMinor: bigint }

/** A successful collect of the installation's own application that nobody has adjusted. */
async function findCollect(name: string): Promise<Subject> {
  const pool = await sandboxPool()
  try {
    const { rows } = await pool.query<Subject>(
      `select t.application_id as "applicationId", t.transaction_id as "transactionId", t.amount_minor as "amountMinor",
              t.fee_system_minor + t.fee_app_minor as "feesMinor", b.collect_minor as "collectMinor"
         from transactions t join applications a using (application_id)
         join ledger_balances b on b.application_id = t.application_id and b.operator = t.operator
        where a.name = $1 and t.status = 'SUCCESS' and t.type = 'COLLECT' and t.operator = 'MLMOOV'
          and not exists (select 1 from ledger_postings p where p.application_id = t.application_id and p.subject_id = t.transaction_id
                             and p.kind in ('reverse', 'late', 'concede'))
        order by t.sequence limit 1`,
      [name],
    )
    const [found] = rows
    if (!found) throw new Error('The sandbox has no successful collect at Moov Mali')
    return found
  } finally {
    await pool.end()
  }
}

async function balanceOf({ applicationId }: Subject): Promise<bigint | undefined> {
  const pool = await sandboxPool()
  try {
    const { rows } = await pool.query<{ minor: bigint }>(
      `select collect_minor as minor from ledger_balances where application_id = $1 and operator = 'MLMOOV'`,
      [applicationId],
    )
    return rows[0]?.minor
  } finally {
    await pool.end()
  }
}

async function openAs(page: Page, person: SandboxPerson, address: string): Promise<void> {
  await page.context().clearCookies()
  await signIn(page, person, address)
  await waitForScripts(page)
}

test('a reversal is proposed by one person, who cannot approve it; a second confirms it, and balance, statement and page agree', async ({
  page,
}) => {
  const [fatou, serge] = [personWith(['finance']), personWith(['administrator'])]
  const subject = await findCollect(fatou.application)
  const address = `/${fatou.slug}/transactions/${subject.transactionId}`
  const evidence = `Letter ${subject.transactionId.slice(0, 8)}`
  await openAs(page, fatou, address)
  await page.getByRole('button', { name: 'Adjust the books' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Evidence').fill(evidence)
  await dialog.getByRole('button', { name: 'Propose the adjustment' }).click()
  await expect(dialog).toBeHidden()

  await page.goto(`/${fatou.slug}/funding`)
  const own = page.getByRole('listitem').filter({ hasText: evidence })
  await expect(own.getByText('Reversal of a success')).toBeVisible()
  await expect(own.getByRole('button', { name: 'Confirm' })).toHaveCount(0)
  await expect(own.getByRole('button', { name: 'Withdraw' })).toBeVisible()
  expect(await balanceOf(subject)).toBe(subject.collectMinor)

  await openAs(page, serge, `/${serge.slug}/funding`)
  await page.getByRole('listitem').filter({ hasText: evidence }).getByRole('button', { name: 'Confirm' }).click()
  await dialog.getByRole('button', { name: 'Confirm' }).click()
  await expect(dialog).toBeHidden()
  expect(await balanceOf(subject)).toBe(subject.collectMinor - subject.amountMinor + subject.feesMinor)

  await openAs(page, fatou, address)
  await expect(page.getByText('Adjusted: Reversal').first()).toBeVisible()
  await expect(page.getByRole('main').getByText('Success', { exact: true }).first()).toBeVisible()
  await page.goto(`/${fatou.slug}/balances/MLMOOV?dates=today`)
  await expect(page.getByText('The postings add up to the current balance.')).toBeVisible()
  await expect(page.locator('main dl div').filter({ hasText: 'Adjusted' }).first()).toBeVisible()
})
