import type { Browser, Page } from 'playwright/test'
import type { Pool } from '#server/database/pool.ts'
import { expect, expectAccessibleEverywhere, LOOKS, signIn, test } from './fixtures.ts'
import { fillIn, openNewPayment, previewOf } from './new-payment.ts'
import { confirmProposal, newApplication, newPerson, sandboxPool } from './people.ts'
import { type SandboxPerson, sandboxUrl } from './sandbox.ts'

let pool: Pool
test.beforeAll(async () => {
  pool = await sandboxPool()
})
test.afterAll(() => pool.end())

const FILE = { name: 'avis-de-credit.pdf', mimeType: 'application/pdf', buffer: Buffer.from('credit of 5,000,000') }

/** An application of its own with two administrators, finance and a maker. */
async function team() {
  const { applicationId } = await newApplication(pool)
  const [anna, ben, fatou, solange] = await Promise.all([
    newPerson(pool, ['administrator'], applicationId, 'Anna Ngo'),
    newPerson(pool, ['administrator'], applicationId, 'Ben Fouda'),
    newPerson(pool, ['finance'], applicationId, 'Fatou Sarr'),
    newPerson(pool, ['maker'], applicationId, 'Solange Mballa'),
  ])
  return { anna, ben, fatou, solange }
}

/** A page of another person, in a browser of its own. */
async function openAs(browser: Browser, person: SandboxPerson, place: string): Promise<Page> {
  const page = await (await browser.newContext({ baseURL: sandboxUrl() })).newPage()
  await signIn(page, person, `/${person.slug}/${place}`)
  return page
}

test('a limit that two administrators set refuses a payment within a second; the fees of a sample amount follow what is typed', async ({
  page,
  browser,
}) => {
  const { anna, ben, solange } = await team()
  await signIn(page, anna, `/${anna.slug}/application`)
  const row = page.getByRole('row', { name: /MTN Cameroon Deposit/ })
  await expect(row).toContainText('10,150 debited')
  await page.getByLabel('Sample amount').fill('1,234')
  // 1 % and 0.5 %, each rounded to whole francs.
  await expect(row).toContainText('1,252 debited')
  await row.getByRole('button', { name: 'Change fees' }).click()
  await page.getByRole('dialog').getByLabel('Rate in percent').fill('2.5')
  await expect(page.getByRole('dialog').getByRole('region', { name: 'Sample amount' })).toContainText('1,277 debited')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click()

  await row.getByRole('button', { name: 'Change limits' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Smallest amount').fill('9,000')
  await dialog.getByLabel('Largest amount').fill('4,000')
  await dialog.getByRole('button', { name: 'Propose change' }).click()
  await expect(dialog.getByText('The smallest amount is above the largest.')).toBeVisible()
  await dialog.getByLabel('Smallest amount').fill('')
  await dialog.getByLabel('Refuse amounts outside the limits').check()
  await dialog.getByRole('button', { name: 'Propose change' }).click()
  await expect(page.getByText('Waiting for another person with the role Administrator.')).toBeVisible()

  const second = await openAs(browser, ben, 'application')
  const proposal = second.getByRole('listitem').filter({ hasText: 'MTN Cameroon · Deposit' })
  await expect(proposal).toContainText('4,000 XAF')
  await confirmProposal(second, proposal)
  await expect(second.getByText('Nothing is waiting.')).toBeVisible()

  const third = await (await browser.newContext({ baseURL: sandboxUrl() })).newPage()
  await openNewPayment(third, solange)
  await fillIn(third, { amount: '5000' })
  await expect(previewOf(third)).toContainText('The amount must be from 1 XAF to 4,000 XAF.')
  await Promise.all([second, third].map((each) => each.context().close()))
})

test('finance funds a balance with a second person, who compares the document; the statement names both', async ({ page, browser }) => {
  const { anna, fatou } = await team()
  await signIn(page, fatou, `/${fatou.slug}/funding`)
  await page.getByRole('button', { name: 'New funding' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Operator').selectOption({ label: 'MTN Cameroon' })
  await dialog.getByLabel('Amount').fill('5,000,000')
  await dialog.getByRole('button', { name: 'Propose funding' }).click()
  await expect(dialog.getByText('Choose the document that proves this funding.')).toBeVisible()
  await dialog.getByLabel('Reference').fill('FT26326-0042')
  await dialog.getByLabel('Supporting document').setInputFiles(FILE)
  await expect(dialog.getByText(/SHA-256 [0-9a-f]{64}/)).toBeVisible()
  await dialog.getByRole('button', { name: 'Propose funding' }).click()
  await expect(page.getByText('Waiting for another person with the role Finance or Administrator.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Confirm' })).toHaveCount(0)

  const second = await openAs(browser, anna, 'funding')
  await second.getByRole('button', { name: 'Confirm' }).click()
  const question = second.getByRole('dialog')
  await question.getByLabel('Compare the document').setInputFiles({ ...FILE, buffer: Buffer.from('credit of 50,000,000') })
  await expect(question.getByText('A different file: the digests differ.')).toBeVisible()
  await question.getByLabel('Compare the document').setInputFiles(FILE)
  await expect(question.getByText('The same file as proposed.')).toBeVisible()
  await question.getByRole('button', { name: 'Confirm' }).click()
  await expect(second.getByText('Nothing is waiting.')).toBeVisible()
  const booked = second.getByRole('listitem').filter({ hasText: 'FT26326-0042' })
  await expect(booked).toContainText('Decided by Anna Ngo')
  await expect(booked).toContainText('5,000,000 XAF')

  await page.goto(`/${fatou.slug}/balances/MOMOCM?view=lines`)
  await expect(page.getByText('FT26326-0042 · Fatou Sarr, Anna Ngo')).toBeVisible()
  await second.context().close()
})

test('one administrator alone is told who confirms and may propose', async ({ page }) => {
  const { applicationId } = await newApplication(pool)
  const anna = await newPerson(pool, ['administrator'], applicationId, 'Anna Ngo')
  await signIn(page, anna, `/${anna.slug}/application`)
  await expect(page.getByText('so an administrator of this service does.')).toBeVisible()
  await expect(page.getByRole('button', { name: /Change/ }).first()).toBeVisible()
  await page.goto(`/${anna.slug}/funding`)
  await expect(page.getByText('so an administrator of this service does.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'New funding' })).toBeVisible()
})

for (const look of LOOKS) {
  test.describe(`${look.locale} ${look.colorScheme}`, () => {
    test.use(look)
    test('the forms of settings, limits, fees and funding are accessible at every width', async ({ page }) => {
      const { anna } = await team()
      const dialog = page.getByRole('dialog')
      await signIn(page, anna, `/${anna.slug}/application`)
      for (const name of [/^(Change settings|Modifier les paramètres)$/, /MTN Camero.*(Deposit|Dépôt)/]) {
        await page.getByRole('button', { name }).first().click()
        await expect(dialog).toBeVisible()
        await expectAccessibleEverywhere(page)
        await page.keyboard.press('Escape')
        await expect(dialog).toHaveCount(0)
      }
      await page
        .getByRole('button', { name: /(fees|frais).*MTN Camero/ })
        .first()
        .click()
      await expect(dialog).toBeVisible()
      await expectAccessibleEverywhere(page)
      await page.goto(`/${anna.slug}/funding`)
      await page.locator('header button').last().click()
      await dialog.locator('select[name=kind]').selectOption('funding.correction')
      await dialog.locator('button[type=submit]').click()
      await expectAccessibleEverywhere(page)
    })
  })
}
