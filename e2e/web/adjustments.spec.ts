import type { Page } from 'playwright/test'
import { expect, expectAccessibleEverywhere, signIn, test, waitForScripts } from './fixtures.ts'
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

/** A partner whose fees nobody has taken out, with a successful collect that nobody has adjusted; its people are none of the installation's. */
async function findPartner(
  name: string,
  operator: 'MOMOCM' | 'OMCM',
): Promise<{ ledger: string; application: string; transactionId: string; feesMinor: bigint }> {
  const pool = await sandboxPool()
  try {
    const { rows } = await pool.query<{ ledger: string; application: string; transactionId: string; feesMinor: bigint }>(
      `select a.application_id as ledger, a.name as application, t.transaction_id as "transactionId", b.fees_minor as "feesMinor"
         from applications a join ledger_balances b on b.application_id = a.application_id and b.operator = $2
         join lateral (select t.transaction_id from transactions t
                        where t.application_id = a.application_id and t.operator = b.operator and t.type = 'COLLECT' and t.status = 'SUCCESS'
                          and not exists (select from ledger_postings p where p.application_id = t.application_id
                                             and p.subject_id = t.transaction_id and p.kind in ('reverse', 'late', 'concede'))
                        order by t.sequence limit 1) t on true
        where not a.runs_installation and a.name <> $1 and b.fees_minor > 10000 limit 1`,
      [name, operator],
    )
    const [found] = rows
    if (!found) throw new Error(`The sandbox has no partner with fees at ${operator}`)
    return found
  } finally {
    await pool.end()
  }
}

/** The books of a partner at an operator: fees that nobody has taken out, and collected money. */
async function booksOf(ledger: string, operator: 'MOMOCM' | 'OMCM'): Promise<{ feesMinor: bigint; collectMinor: bigint } | undefined> {
  const pool = await sandboxPool()
  try {
    const { rows } = await pool.query<{ feesMinor: bigint; collectMinor: bigint }>(
      `select fees_minor as "feesMinor", collect_minor as "collectMinor" from ledger_balances where application_id = $1 and operator = $2`,
      [ledger, operator],
    )
    return rows[0]
  } finally {
    await pool.end()
  }
}

async function confirmOn(page: Page, evidence: string): Promise<void> {
  const dialog = page.getByRole('dialog')
  await page.getByRole('listitem').filter({ hasText: evidence }).getByRole('button', { name: 'Confirm' }).click()
  await dialog.getByRole('button', { name: 'Confirm' }).click()
  await expect(dialog).toBeHidden()
}

test("a partner's fees are taken out by two people of the installation, who see how much may be taken", async ({ page }) => {
  const [fatou, serge] = [personWith(['finance']), personWith(['administrator'])]
  const partner = await findPartner(fatou.application, 'MOMOCM')
  const before = await booksOf(partner.ledger, 'MOMOCM')
  const address = `/${fatou.slug}/close/adjustments?ledger=${partner.ledger}`
  const evidence = `Agreement ${partner.transactionId.slice(0, 8)}`
  await openAs(page, fatou, address)
  const row = page.getByRole('row').filter({ hasText: 'MTN' }).filter({ hasText: 'Cameroon' })
  await expect(row).toContainText(partner.application)
  await row.getByRole('button', { name: 'Take fees out' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByText(partner.application)).toBeVisible()
  await dialog.getByLabel('Amount, XAF').fill('9999999999')
  await dialog.getByLabel('Evidence').fill(evidence)
  await dialog.getByRole('button', { name: 'Propose the adjustment' }).click()
  await expect(dialog.getByRole('alert')).toBeVisible()
  await dialog.getByLabel('Amount, XAF').fill('50')
  await expectAccessibleEverywhere(page)
  await dialog.getByRole('button', { name: 'Propose the adjustment' }).click()
  await expect(dialog).toBeHidden()
  const own = page.getByRole('listitem').filter({ hasText: evidence })
  await expect(own).toContainText(partner.application)
  await expect(own.getByRole('button', { name: 'Confirm' })).toHaveCount(0)
  expect(await booksOf(partner.ledger, 'MOMOCM')).toEqual(before)

  await openAs(page, serge, address)
  await expect(row.getByRole('button', { name: 'Take fees out' })).toHaveCount(0)
  await confirmOn(page, evidence)
  const after = await booksOf(partner.ledger, 'MOMOCM')
  expect(after?.feesMinor).toBe((before?.feesMinor ?? 0n) - 5_000n)
  expect(after?.collectMinor).toBe((before?.collectMinor ?? 0n) + 5_000n)
})

test("a partner's transaction without an exception is found by its id, and goodwill for it is agreed on by two people", async ({
  page,
}) => {
  const [fatou, serge] = [personWith(['finance']), personWith(['administrator'])]
  const partner = await findPartner(fatou.application, 'OMCM')
  const before = await booksOf(partner.ledger, 'OMCM')
  const evidence = `Complaint ${partner.transactionId.slice(0, 8)}`
  await openAs(page, fatou, `/${fatou.slug}/close/adjustments`)
  const id = page.getByLabel('Transaction ID, of any application')
  await id.fill('4711')
  await page.getByRole('button', { name: 'Find', exact: true }).click()
  await expect(page.getByText('No application has a transaction with this ID.')).toBeVisible()
  await id.fill(partner.transactionId)
  await page.getByRole('button', { name: 'Find', exact: true }).click()
  await expect(page.locator('main dl').filter({ hasText: partner.transactionId })).toContainText(partner.application)
  await expectAccessibleEverywhere(page)
  await waitForScripts(page)
  await page.getByRole('button', { name: 'Adjust the books' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Kind of adjustment').selectOption({ label: 'Goodwill' })
  await dialog.getByLabel('Amount, XAF').fill('25')
  await dialog.getByLabel('Evidence').fill(evidence)
  await dialog.getByRole('button', { name: 'Propose the adjustment' }).click()
  await expect(dialog).toBeHidden()
  expect(await booksOf(partner.ledger, 'OMCM')).toEqual(before)

  await openAs(page, serge, `/${serge.slug}/close/adjustments?transaction=${partner.transactionId}`)
  await confirmOn(page, evidence)
  expect((await booksOf(partner.ledger, 'OMCM'))?.collectMinor).toBe((before?.collectMinor ?? 0n) + 2_500n)
  await expect(page.getByText(/^Adjusted: /).first()).toBeVisible()
})
