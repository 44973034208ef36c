import type { Page } from 'playwright/test'
import { expect, expectAccessible, expectAccessibleEverywhere, signIn, test, waitForScripts } from './fixtures.ts'
import { confirmProposal, sandboxPool } from './people.ts'
import { personWith, type SandboxPerson } from './sandbox.ts'

async function openAs(page: Page, person: SandboxPerson): Promise<void> {
  await page.context().clearCookies()
  await signIn(page, person, `/${person.slug}/funding`)
  await waitForScripts(page)
}

async function collectBalance(application: string): Promise<bigint | undefined> {
  const pool = await sandboxPool()
  try {
    const { rows } = await pool.query<{ minor: bigint }>(
      `select b.collect_minor as minor from ledger_balances b join applications a using (application_id)
        where a.name = $1 and b.operator = 'BJMOOV'`,
      [application],
    )
    return rows[0]?.minor
  } finally {
    await pool.end()
  }
}

/** Proposes a bank account, and has the second person confirm it. */
async function addAccount(
  page: Page,
  [maker, checker]: readonly [SandboxPerson, SandboxPerson],
  holder: string,
  number: string,
): Promise<void> {
  const dialog = page.getByRole('dialog')
  await openAs(page, maker)
  await page.getByRole('button', { name: 'Add a bank account' }).click()
  await dialog.getByLabel('Account holder').fill(holder)
  await dialog.getByLabel('Bank', { exact: true }).fill('Banque Test')
  await dialog.getByLabel('Currency').selectOption('XOF')
  await dialog.getByLabel('Account number').fill(`${number.slice(0, -1)}${(Number(number.at(-1)) + 1) % 10}`)
  await dialog.getByRole('button', { name: 'Propose' }).click()
  await expect(dialog.getByText('The check digits do not match').first()).toBeVisible()
  await dialog.getByLabel('Account number').fill(number)
  await dialog.getByRole('button', { name: 'Propose' }).click()
  await expect(dialog).toBeHidden()
  await openAs(page, checker)
  const row = page.getByRole('listitem').filter({ hasText: 'New bank account' }).filter({ hasText: holder })
  await expect(row.getByText(number.replaceAll(/(.{4})(?=.)/g, '$1 '))).toBeVisible()
  await confirmProposal(page, row)
  await expect(page.getByRole('row', { name: holder }).getByText(`•••• ${number.slice(-4)}`)).toBeVisible()
}

test('a withdrawal is proposed by one person and confirmed by another, leaves the balance, and is followed to the bank', async ({
  page,
}) => {
  const [fatou, serge] = [personWith(['finance']), personWith(['administrator'])]
  const dialog = page.getByRole('dialog')
  await addAccount(page, [fatou, serge], 'Kora Stores SA', 'ML13ML0160120102600100668497')

  await openAs(page, fatou)
  const before = await collectBalance(fatou.application)
  await page.getByRole('button', { name: 'New funding' }).click()
  await dialog.getByLabel('Type').selectOption({ label: 'Withdrawal to a bank account' })
  await dialog.getByLabel('Operator').selectOption('BJMOOV')
  await expect(dialog.getByLabel('Bank account')).toContainText('Banque Test · Kora Stores SA · •••• 8497')
  await dialog.getByLabel('Amount, XOF').fill('1,500')
  await dialog.getByLabel('Reference').fill('VIR 2026-07')
  await dialog.getByRole('button', { name: 'Propose funding' }).click()
  await expect(dialog).toBeHidden()
  const own = page.getByRole('listitem').filter({ hasText: 'VIR 2026-07' })
  await expect(own.getByRole('button', { name: 'Withdraw' })).toBeVisible()
  await expect(own.getByRole('button', { name: 'Confirm' })).toHaveCount(0)
  expect(await collectBalance(fatou.application)).toBe(before)

  await openAs(page, serge)
  await confirmProposal(page, page.getByRole('listitem').filter({ hasText: 'VIR 2026-07' }))
  expect(await collectBalance(fatou.application)).toBe((before ?? 0n) - 150_000n)

  await openAs(page, fatou)
  const row = page.getByRole('row').filter({ hasText: 'VIR 2026-07' })
  await expect(row.getByText('To be transferred', { exact: true })).toBeVisible()
  await expect(row.getByText('ML13 ML01 6012 0102 6001 0066 8497')).toBeVisible()
  // It is listed for those who order it at the bank.
  await page.goto(`/${fatou.slug}/waiting`)
  await page
    .getByRole('region', { name: /^Transfers to carry out/ })
    .getByRole('link')
    .filter({ hasText: '1,500' })
    .click()
  await expect(page).toHaveURL(new RegExp(`/${fatou.slug}/funding$`))
  await waitForScripts(page)
  for (const [step, reference] of [
    ['Left', 'OP 11'],
    ['Arrived', 'BK 12'],
  ] as const) {
    await row.getByRole('button', { name: /^Mark progress/ }).click()
    await dialog.getByLabel('What happened').selectOption({ label: step })
    await dialog.getByLabel('Reference at the operator or the bank').fill(reference)
    await dialog.getByRole('button', { name: 'Mark progress' }).click()
    await expect(dialog).toBeHidden()
    await expect(row.getByText(step, { exact: true })).toBeVisible()
    await expect(row.getByText(reference)).toBeVisible()
  }
  await expect(row.getByRole('button', { name: /^Mark progress/ })).toHaveCount(0)
  await expectAccessibleEverywhere(page)

  await page.goto(`/${fatou.slug}/balances/BJMOOV?dates=today`)
  await expect(page.getByText('The postings add up to the current balance.')).toBeVisible()
  await expect(page.locator('main dl div').filter({ hasText: 'Withdrawn' }).first()).toContainText('1,500')
})

test('a schedule of two people shows when it proposes next and what became of its last times; another application’s people mark nothing', async ({
  page,
}) => {
  const [fatou, serge] = [personWith(['finance'], 0, 1), personWith(['administrator'], 0, 1)]
  const dialog = page.getByRole('dialog')
  await addAccount(page, [fatou, serge], 'Partner SARL', 'SN08SN0100152000048500003035')
  await openAs(page, fatou)
  await page.getByRole('button', { name: 'Schedule withdrawals' }).click()
  await dialog.getByLabel('Operator').selectOption('SNWAVE')
  await dialog.getByLabel('How often').selectOption({ label: 'Every week' })
  await dialog.getByLabel('Weekday').selectOption({ label: 'Friday' })
  await dialog.getByLabel(/^Time/).fill('16:30')
  await dialog.getByLabel('Amount that stays in the balance, XOF').fill('250,000')
  await dialog.getByRole('button', { name: 'Propose' }).click()
  await expect(dialog).toBeHidden()
  await openAs(page, serge)
  const proposal = page.getByRole('listitem').filter({ hasText: 'Schedule of withdrawals' })
  await expect(proposal.getByText('every Friday at 16:30')).toBeVisible()
  await confirmProposal(page, proposal)
  const row = page.getByRole('row').filter({ hasText: 'every Friday at 16:30' })
  await expect(row.getByText('250,000')).toBeVisible()
  await expect(row.getByText(`set by ${fatou.name}`)).toBeVisible()
  await expect(row.getByText(/^Next/)).toBeVisible()
  await expect(page.getByRole('button', { name: /^Mark progress/ })).toHaveCount(0)
  await expectAccessibleEverywhere(page)
})

test('an own transfer is proposed by one person and confirmed by another, and is on its way until both sides have it', async ({ page }) => {
  const [fatou, serge] = [personWith(['finance']), personWith(['administrator'])]
  const dialog = page.getByRole('dialog')
  const open = async (person: SandboxPerson) => {
    await page.context().clearCookies()
    await signIn(page, person, `/${person.slug}/close/wallets`)
    await waitForScripts(page)
  }
  await open(fatou)
  await page.getByRole('button', { name: 'New own transfer' }).click()
  await dialog.getByLabel('From').selectOption('MOMOCM-collect')
  await dialog.getByLabel('To', { exact: true }).selectOption('SNWAVE')
  await dialog.getByLabel('Amount').fill('250,000')
  await dialog.getByLabel('Reference').fill('TR 2026-3')
  await dialog.getByRole('button', { name: 'Propose' }).click()
  await expect(dialog.getByText('The two accounts are in different currencies.')).toBeVisible()
  await dialog.getByLabel('To', { exact: true }).selectOption('OMCM')
  await dialog.getByRole('button', { name: 'Propose' }).click()
  await expect(dialog).toBeHidden()
  const proposal = page.getByRole('listitem').filter({ hasText: 'TR 2026-3' })
  await expect(proposal.getByRole('button', { name: 'Confirm' })).toHaveCount(0)

  await open(serge)
  await expect(proposal.getByText('MTN Cameroon, collects')).toBeVisible()
  await confirmProposal(page, proposal)
  const row = page.getByRole('row').filter({ hasText: 'TR 2026-3' })
  await expect(row.getByText('To be transferred', { exact: true })).toBeVisible()
  await expect(row.getByRole('button', { name: /^Mark progress/ })).toHaveCount(0)

  await open(fatou)
  await row.getByRole('button', { name: /^Mark progress/ }).click()
  await dialog.getByLabel('What happened').selectOption({ label: 'Left' })
  await dialog.getByLabel('Reference at the operator or the bank').fill('OP 77')
  await dialog.getByRole('button', { name: 'Mark progress' }).click()
  await expect(dialog).toBeHidden()
  await expect(row.getByText('Left', { exact: true })).toBeVisible()
  await row.getByRole('button', { name: /^Undo/ }).click()
  await expect(row.getByText('To be transferred', { exact: true })).toBeVisible()
  await expectAccessibleEverywhere(page)
})

test('the float forecast says until when each account lasts and what to add, as text and as a chart with its table', async ({ page }) => {
  const serge = personWith(['administrator'])
  await signIn(page, serge, `/${serge.slug}/operators`)
  await waitForScripts(page)
  const row = page.getByRole('table', { name: 'Float forecast' }).getByRole('row').filter({ hasText: 'MTN' }).first()
  await expect(row.getByText(/more than two weeks|day \d+ \w+, \d\d:\d\d/)).toBeVisible()
  await expect(row).toContainText('XAF')
  const chart = page.getByRole('group').filter({ hasText: 'MTN Cameroon, XAF' }).first()
  await chart.getByText('MTN Cameroon, XAF').first().click()
  await chart.getByText('As a table').click()
  await expect(chart.getByRole('row')).toHaveCount(25)
  await expectAccessible(page)
  const partner = personWith(['administrator'], 0, 1)
  await page.context().clearCookies()
  await signIn(page, partner, `/${partner.slug}/operators`)
  await expect(page.getByText('Float forecast')).toHaveCount(0)
})
