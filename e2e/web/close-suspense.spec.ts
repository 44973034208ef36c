import type { Page } from 'playwright/test'
import { expect, signIn, test, waitForScripts } from './fixtures.ts'
import { confirmProposal } from './people.ts'
import { personWith, type SandboxPerson } from './sandbox.ts'
import { AIRTEL_HEADER, importStatement, uploadStatement } from './statements.ts'
import { startCollect } from './transaction-list.ts'

const WALLET = 'UGAIRTEL-collect'
/** The day of the line, before the sandbox's history of 120 days begins: no other payment is in its sums. A second attempt has days of its own. */
const firstDay = (attempt: number) => 140 + 5 * attempt
/** Days before today on the operator's clock, which is three hours ahead of UTC. */
const dayBefore = (days: number) => new Date(Date.now() + 3 * 3_600_000 - days * 86_400_000).toISOString().slice(0, 10)
const line = (id: string, days: number, [amount, balance]: readonly [number, number]) =>
  `${id},${dayBefore(days)} 10:00:00,Merchant payment from 0751230099,Transaction Success,${amount},CR,0,${balance}`

async function openDay(page: Page, person: SandboxPerson, days: number, dayClass?: string): Promise<void> {
  await page.context().clearCookies()
  const query = dayClass === undefined ? '' : `?class=${dayClass}`
  await signIn(page, person, `/${person.slug}/close/days/${WALLET}/${dayBefore(days)}${query}`)
  await waitForScripts(page)
}

/** Proposes a posting about the line with this id, on the page of its class. */
async function post(page: Page, id: string, kind: RegExp, evidence: string): Promise<void> {
  await page.getByRole('row').filter({ hasText: id }).getByRole('button', { name: 'Post' }).click()
  const dialog = page.getByRole('dialog')
  const option = await dialog.getByLabel('Posting').getByRole('option', { name: kind }).getAttribute('value')
  await dialog.getByLabel('Posting').selectOption(option)
  await dialog.getByLabel('Evidence').fill(evidence)
  await dialog.getByRole('button', { name: 'Propose' }).click()
  await expect(dialog).toHaveCount(0)
  await expect(page.getByText(evidence)).toBeVisible()
  // Not by the person who proposed it.
  await expect(page.getByRole('button', { name: 'Confirm', exact: true })).toHaveCount(0)
}

test('an unknown credit enters suspense by two people, its day is signed by two, its payment is found later, and two people release it', async ({
  page,
}, testInfo) => {
  const days = firstDay(testInfo.retry)
  const credit = `SU-${days}`
  const [fatou, serge] = [personWith(['finance']), personWith(['administrator'])]
  await signIn(page, fatou, `/${fatou.slug}/close`)
  const around = [line(`${credit}-before`, days + 1, [10, 1_000]), line(`${credit}-after`, days - 1, [10, 1_710])]
  const content = [AIRTEL_HEADER, around[0], line(credit, days, [700, 1_700]), around[1]].join('\n')
  await uploadStatement(page, fatou.slug, { wallet: WALLET, content })
  await importStatement(page, 3)

  await openDay(page, fatou, days, 'unknown_payment')
  await post(page, credit, /suspense/, 'Nobody knows this number')
  await openDay(page, serge, days)
  await confirmProposal(page)
  await openDay(page, fatou, days, 'book_unmatched')
  await expect(page.getByRole('row').filter({ hasText: credit })).toBeVisible()
  await expect(page.getByRole('row', { name: /^Difference of the movement/ })).toHaveText(/movement0 UGX$/)
  await expect(async () => {
    await page.keyboard.press('s')
    await expect(page.getByText('You prepared this day, so another person signs it.')).toBeVisible({ timeout: 2_000 })
  }).toPass()
  // Who confirmed the posting did not propose it, and may sign.
  await openDay(page, serge, days)
  await page.getByRole('button', { name: 'Sign', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Sign' }).click()
  await expect(page.getByText(`Signed by ${serge.name}`)).toBeVisible()

  const transactionId = await startCollect('256751230099', { transferMethod: 'UGAIRTEL', countryName: 'UGANDA', amount: 700 })
  await openDay(page, fatou, days, 'unknown_payment')
  await page.getByRole('row').filter({ hasText: credit }).getByRole('button', { name: 'Match' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Transaction id').fill(transactionId)
  await dialog.getByLabel('Note').fill('The customer sent the receipt')
  await dialog.getByRole('button', { name: 'Match' }).click()
  await expect(dialog).toHaveCount(0)
  // The signed figures stay as they were; the release is on the day after.
  await openDay(page, fatou, days, 'book_unmatched')
  await post(page, credit, /^Release/, 'Matched with its payment')
  await openDay(page, serge, days)
  await confirmProposal(page)
  await openDay(page, fatou, days - 1, 'book_release')
  await expect(page.getByRole('row').filter({ hasText: credit })).toBeVisible()
  await openDay(page, fatou, days)
  await expect(page.getByText(`Signed by ${serge.name}`)).toBeVisible()
})
