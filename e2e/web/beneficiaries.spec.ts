import type { Page } from 'playwright/test'
import { expect, expectAccessible, expectAccessibleEverywhere, signIn, test, waitForScripts } from './fixtures.ts'
import { confirmProposal, newApplication, newPerson, sandboxPool } from './people.ts'
import type { SandboxPerson } from './sandbox.ts'

/** A new application with a maker and a checker. */
async function twoPeople(): Promise<[maker: SandboxPerson, checker: SandboxPerson]> {
  const pool = await sandboxPool()
  try {
    const { applicationId } = await newApplication(pool)
    return [
      await newPerson(pool, ['maker'], applicationId, 'Awa Maker'),
      await newPerson(pool, ['checker'], applicationId, 'Serge Checker'),
    ]
  } finally {
    await pool.end()
  }
}

async function openAs(page: Page, person: SandboxPerson): Promise<void> {
  await page.context().clearCookies()
  await signIn(page, person, `/${person.slug}/beneficiaries`)
  await waitForScripts(page)
}

async function propose(page: Page, name: string, number: string, amount: string): Promise<void> {
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Add a beneficiary' }).click()
  await dialog.getByLabel('Name', { exact: true }).fill(name)
  await dialog.getByLabel('Operator').selectOption('MOMOCM')
  await dialog.getByLabel('Phone number').fill(number)
  await dialog.getByLabel('Group').fill('Salaries')
  await dialog.getByLabel('Amount').fill(amount)
  await dialog.getByRole('button', { name: 'Propose' }).click()
}

test('a beneficiary is in the book once a second person has confirmed the number, and is paid with its group', async ({ page }) => {
  const [maker, checker] = await twoPeople()
  const dialog = page.getByRole('dialog')
  await openAs(page, maker)
  await expectAccessible(page)
  await propose(page, 'Mariam Fotso', '237 670 00', '25,000')
  await expect(dialog.getByText('not a complete number').first()).toBeVisible()
  await dialog.getByLabel('Phone number').fill('237 670 00 00 11')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Propose' }).click()
  await expect(dialog).toBeHidden()
  await expect(page.getByText('The book is empty')).toBeVisible()

  await openAs(page, checker)
  const waiting = page.getByRole('listitem').filter({ hasText: 'New beneficiary' })
  await expect(waiting.getByText('237 6 70 00 00 11')).toBeVisible()
  await confirmProposal(page, waiting)
  await expect(page.getByRole('row', { name: 'Mariam Fotso' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Add a beneficiary' })).toHaveCount(0)

  await openAs(page, maker)
  const row = page.getByRole('row', { name: 'Mariam Fotso' })
  await row.getByRole('button', { name: /^Group and amount/ }).click()
  await dialog.getByLabel('Amount').fill('30,000')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(row.getByText('30,000')).toBeVisible()
  await expectAccessibleEverywhere(page)
  await page.getByRole('button', { name: 'Schedule a group' }).click()
  await dialog.getByLabel('Name of the batches').fill('Monthly salaries')
  await dialog.getByLabel('Day of the month').selectOption('25')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Schedule', exact: true }).click()
  await expect(dialog).toBeHidden()
  const plan = page.getByRole('row', { name: 'Monthly salaries' })
  await expect(plan.getByText('on day 25 of each month at 08:00')).toBeVisible()
  await expectAccessibleEverywhere(page)
  await plan.getByRole('button', { name: /^End the schedule/ }).click()
  await dialog.getByRole('button', { name: 'End', exact: true }).click()
  await expect(plan.getByText('Ended')).toBeVisible()
  await page.getByRole('button', { name: 'Pay a group' }).click()
  await dialog.getByLabel('Name of the batch').fill('October')
  await dialog.getByLabel('Purpose').fill('Salary of October')
  await dialog.getByRole('button', { name: 'Prepare the batch' }).click()
  await page.waitForURL(/\/batches\/[0-9a-f-]{36}$/)
  await expect(page.getByText('First list of the group “Salaries”: 1 person.')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'October' })).toBeVisible()
  await expectAccessible(page)
})

test('a payment to a person of the book has name, number and operator filled in', async ({ page }) => {
  const [maker, checker] = await twoPeople()
  await openAs(page, maker)
  await propose(page, 'Ibrahim Nji', '237670000022', '1000')
  await expect(page.getByRole('dialog')).toBeHidden()
  await openAs(page, checker)
  await confirmProposal(page)
  await openAs(page, maker)
  await page.getByRole('link', { name: 'Pay Ibrahim Nji' }).click()
  await page.waitForURL(/\/new\?payment=/)
  await waitForScripts(page)
  const form = page.getByRole('main')
  await expect(form.locator('[name=customerName]')).toHaveValue('Ibrahim Nji')
  await expect(form.locator('[name=operator]')).toHaveValue('MOMOCM')
  await expect(form.locator('[name=phoneNumber]')).toHaveValue('237670000022')

  await page.goto(`/${maker.slug}/new`)
  await waitForScripts(page)
  await expect(form.locator('[name=customerName]')).toBeEnabled()
  await form.locator('[name=customerName]').pressSequentially('ibra')
  await form
    .locator('[data-known]')
    .getByRole('button', { name: /Ibrahim Nji/ })
    .click()
  await expect(form.locator('[name=operator]')).toHaveValue('MOMOCM')
  await expect(form.locator('[name=phoneNumber]')).toHaveValue('237670000022')
})

test('an archived person leaves the list and is brought back', async ({ page }) => {
  const [maker, checker] = await twoPeople()
  await openAs(page, maker)
  await propose(page, 'Ibrahim Nji', '237670000033', '1000')
  await expect(page.getByRole('dialog')).toBeHidden()
  await openAs(page, checker)
  await confirmProposal(page)
  await openAs(page, maker)
  await page.getByRole('button', { name: 'Archive Ibrahim Nji' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Archive', exact: true }).click()
  await expect(page.getByText('The book is empty')).toBeVisible()
  await page.getByLabel('Show').selectOption('archived')
  await page.getByRole('button', { name: 'Apply' }).click()
  await waitForScripts(page)
  await page.getByRole('button', { name: 'Bring back Ibrahim Nji' }).click()
  await expect(page.getByText('Nobody is archived')).toBeVisible()
})

test('a file is shown before it is proposed, its bad rows with reasons, and is in the book once a second person has confirmed all of it', async ({
  page,
}) => {
  const [maker, checker] = await twoPeople()
  await openAs(page, maker)
  await propose(page, 'Ibrahim Nji', '237670000044', '1000')
  await expect(page.getByRole('dialog')).toBeHidden()
  await openAs(page, checker)
  await confirmProposal(page)
  await openAs(page, maker)
  await page.getByRole('link', { name: 'Import a file' }).click()
  await waitForScripts(page)
  const file = page.getByLabel('File', { exact: true })
  await file.setInputFiles({ name: 'scan.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7') })
  await page.getByRole('button', { name: 'Show what would change' }).click()
  await expect(page.getByRole('main').getByRole('alert')).toContainText('PDF')

  const rows = ['Name;Phone number;Operator;Group', 'Ibrahim Nji;237670000045;;', 'Awa Fotso;670000046;MOMOCM;Salaries', '=1+1;12;MOMOCM;']
  await file.setInputFiles({ name: 'november.csv', mimeType: 'text/csv', buffer: Buffer.from(rows.join('\n')) })
  await page.getByLabel('Operator for rows that name none').selectOption('MOMOCM')
  await page.getByRole('button', { name: 'Show what would change' }).click()
  await expect(page.getByText('1 new person · 1 changed number', { exact: true })).toBeVisible()
  await expect(page.getByText('The dial code was added to one number')).toBeVisible()
  const changed = page.getByRole('row', { name: 'Ibrahim Nji' })
  await expect(changed.locator('del')).toHaveText('237 6 70 00 00 44')
  await expect(page.getByRole('row', { name: '=1+1' })).toContainText('The phone number has the wrong length')
  await expectAccessibleEverywhere(page)
  const downloading = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download these rows with the reasons' }).click()
  const stream = await (await downloading).createReadStream()
  expect(Buffer.concat(await stream.toArray()).toString()).toContain("'=1+1,12,MOMOCM,,,4,")
  await page.getByRole('button', { name: 'Propose 2 changes' }).click()
  await page.waitForURL(/\/beneficiaries\/import\/[0-9a-f-]{36}$/)
  await expect(page.getByText('november.csv')).toBeVisible()
  await expectAccessibleEverywhere(page)

  await openAs(page, checker)
  await expect(page.getByRole('row', { name: 'Awa Fotso' })).toHaveCount(0)
  await page.getByRole('link', { name: 'See all 2 people' }).click()
  await expect(page.getByRole('row', { name: 'Ibrahim Nji' }).locator('del')).toHaveText('237 6 70 00 00 44')
  await confirmProposal(page)
  await page.getByRole('link', { name: 'Back to the book' }).click()
  await expect(page.getByRole('row', { name: 'Awa Fotso' })).toContainText('237 6 70 00 00 46')
  await expect(page.getByRole('row', { name: 'Ibrahim Nji' })).toContainText('237 6 70 00 00 45')
})
