import type { Pool } from '#server/database/pool.ts'
import { expect, expectAccessibleEverywhere, LOOKS, signIn, test } from './fixtures.ts'
import { confirmProposal, newApplication, newPerson, sandboxPool } from './people.ts'
import { personWith, type SandboxPerson } from './sandbox.ts'

let pool: Pool
test.beforeAll(async () => {
  pool = await sandboxPool()
})
test.afterAll(() => pool.end())

/** An application of its own with two administrators and a maker. */
async function team(): Promise<{ anna: SandboxPerson; ben: SandboxPerson; maker: SandboxPerson }> {
  const { applicationId } = await newApplication(pool)
  const anna = await newPerson(pool, ['administrator', 'checker'], applicationId, 'Anna Ngo')
  const ben = await newPerson(pool, ['administrator'], applicationId, 'Ben Fouda')
  const maker = await newPerson(pool, ['maker'], applicationId, 'Solange Mballa')
  return { anna, ben, maker }
}

test('roles change when a second administrator confirms, and the person has them at the next request', async ({ browser, baseURL }) => {
  const { anna, ben, maker } = await team()
  const [first, second, third] = await Promise.all(
    [0, 1, 2].map(async () => (await browser.newContext({ baseURL: baseURL ?? '' })).newPage()),
  )
  if (!first || !second || !third) throw new Error('A page is missing')
  await signIn(first, anna, `/${anna.slug}/people`)
  await first.getByRole('button', { name: 'Change roles of Solange Mballa' }).click()
  await first.getByRole('checkbox', { name: 'Checker' }).check()
  await first.getByRole('checkbox', { name: 'Administrator' }).check()
  await expect(first.getByRole('dialog').getByText(/^Maker, checker and administrator in one person/)).toBeVisible()
  await first.getByRole('checkbox', { name: 'Administrator' }).uncheck()
  await expect(first.getByRole('dialog').getByText(/^Maker, checker and administrator in one person/)).toHaveCount(0)
  await first.getByRole('checkbox', { name: 'Maker' }).uncheck()
  await first.getByRole('button', { name: 'Propose change' }).click()
  await expect(first.getByText('Waiting for another person with the role Administrator.')).toBeVisible()
  await expect(first.getByRole('button', { name: 'Confirm' })).toHaveCount(0)

  await signIn(third, maker, `/${anna.slug}/approvals`)
  await signIn(second, ben, `/${anna.slug}/people`)
  const proposal = second.getByRole('listitem').filter({ hasText: 'Solange Mballa' })
  await expect(proposal.getByText('Maker', { exact: true })).toBeVisible()
  await confirmProposal(second, proposal)
  await expect(second.getByText('Nothing is waiting.')).toBeVisible()
  await expect(second.getByRole('row', { name: /Solange Mballa/ })).toContainText('Checker')
  await third.reload()
  await expect(third.getByRole('banner')).toBeVisible()
  await expect.poll(async () => (await third.request.get(`/api/back-office/${anna.slug}/approvals/snapshot`)).status()).not.toBe(403)
  await Promise.all([first, second, third].map((page) => page.context().close()))
})

test('a refusal has a reason, which the proposer reads; nothing is changed', async ({ browser, baseURL }) => {
  const { anna, ben } = await team()
  const [first, second] = await Promise.all([0, 1].map(async () => (await browser.newContext({ baseURL: baseURL ?? '' })).newPage()))
  if (!first || !second) throw new Error('A page is missing')
  await signIn(first, anna, `/${anna.slug}/people`)
  await first.getByRole('button', { name: 'Change roles of Solange Mballa' }).click()
  await first.getByRole('checkbox', { name: 'Checker' }).check()
  await first.getByRole('button', { name: 'Propose change' }).click()
  await expect(first.getByText('Waiting for another person with the role Administrator.')).toBeVisible()
  await signIn(second, ben, `/${anna.slug}/people`)
  await second.getByRole('button', { name: 'Refuse' }).click()
  const dialog = second.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Refuse' }).click()
  await expect(dialog.getByRole('alert')).toHaveText('Enter a reason.')
  await dialog.getByLabel('Reason').fill('She leaves on Friday')
  await dialog.getByRole('button', { name: 'Refuse' }).click()
  await expect(second.getByText('Nothing is waiting.')).toBeVisible()
  // The proposer's page is read again without a reload.
  await first.getByText('1 earlier proposal').click()
  await expect(first.getByText('Reason: She leaves on Friday')).toBeVisible()
  await expect(first.getByRole('row', { name: /Solange Mballa/ })).toContainText('Maker')
  await Promise.all([first, second].map((page) => page.context().close()))
})

test('what an administrator who is alone proposes is confirmed by an administrator of the installation, who sees whose it is', async ({
  page,
  browser,
}) => {
  const { applicationId, name } = await newApplication(pool)
  const anna = await newPerson(pool, ['administrator'], applicationId, 'Anna Ngo')
  await newPerson(pool, ['maker'], applicationId, 'Solange Mballa')
  await signIn(page, anna, `/${anna.slug}/people`)
  await expect(page.getByText('so an administrator of this service does.')).toBeVisible()
  await page.getByRole('button', { name: /Change roles of Solange Mballa/ }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('checkbox', { name: 'Checker' }).check()
  await dialog.getByRole('button', { name: 'Propose change' }).click()
  await expect(page.getByText('It waits for an administrator of this service.')).toBeVisible()

  const serge = personWith(['administrator'])
  const second = await (await browser.newContext()).newPage()
  await signIn(second, serge, `/${serge.slug}/waiting`)
  await second.getByRole('region', { name: 'Changes of other applications' }).getByRole('link').first().click()
  await expect(second.getByRole('heading', { level: 1, name: 'Changes of other applications' })).toBeVisible()
  await expectAccessibleEverywhere(second)
  const row = second.getByRole('listitem').filter({ hasText: name })
  await expect(row).toContainText('Solange Mballa')
  await expect(row).toContainText('Anna Ngo')
  await row.getByRole('button', { name: /Confirm/ }).click()
  await second.getByRole('dialog').getByRole('button', { name: 'Confirm' }).click()
  await expect(second.getByText('The change is in effect.').last()).toBeVisible()
  // The page of the proposer shows it without a reload.
  await expect(page.getByRole('row', { name: /Solange Mballa/ })).toContainText('Checker')
  await second.context().close()
})

test('several people are proposed from one list: each gets a proposal, and what is refused stays in the list with its reason', async ({
  page,
}) => {
  const { anna } = await team()
  await signIn(page, anna, `/${anna.slug}/people`)
  await page.getByRole('button', { name: 'Invite several' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('People').fill('Awa Diop')
  await dialog.getByRole('button', { name: 'Cashier' }).click()
  await expect(dialog.getByRole('checkbox', { name: 'Maker' })).toBeChecked()
  await expect(dialog.getByText('Prepares payments and files')).toBeVisible()
  await dialog.getByRole('button', { name: 'Propose change' }).click()
  await expect(dialog.getByText('This line has no name or no e-mail address: Awa Diop')).toBeVisible()
  const unique = anna.slug.slice(-8)
  await dialog
    .getByLabel('People')
    .fill(`Awa Diop <awa.${unique}@example.com>\nMoussa Keita; moussa.${unique}@example.com\nAnna Ngo, ${anna.email}\n`)
  await expectAccessibleEverywhere(page)
  await dialog.getByRole('button', { name: 'Propose change' }).click()
  await expect(dialog.getByText(`Anna Ngo, ${anna.email}:`)).toBeVisible()
  await expect(dialog.getByLabel('People')).toHaveValue(`Anna Ngo, ${anna.email}`)
  await page.keyboard.press('Escape')
  for (const name of ['Awa Diop', 'Moussa Keita']) await expect(page.getByRole('listitem').filter({ hasText: name })).toContainText('Maker')
})

test('the fees of several services in one currency are proposed together and change together', async ({ page, browser }) => {
  const { anna, ben } = await team()
  await signIn(page, anna, `/${anna.slug}/application`)
  await page.getByRole('button', { name: /^Change fees: Wave Senegal · Collect/ }).click()
  const dialog = page.getByRole('dialog')
  await dialog
    .getByLabel(/Rate|rate|%/)
    .first()
    .fill('2.5')
  await dialog.locator('summary', { hasText: 'The same fees for other services in XOF (0)' }).click()
  await dialog.getByRole('button', { name: 'All collections' }).click()
  await dialog.getByRole('button', { name: 'Propose change' }).click()
  const second = await (await browser.newContext()).newPage()
  await signIn(second, ben, `/${anna.slug}/application`)
  const proposal = second.getByRole('listitem').filter({ hasText: 'Wave Senegal · Collect' }).first()
  await expect(proposal).toContainText('Moov Mali · Collect')
  await expect(proposal).toContainText('2.5%')
  await confirmProposal(second, proposal)
  await expect(second.getByRole('row', { name: /Moov Mali Collect/ })).toContainText('2.5%')
  await second.context().close()
})

for (const look of LOOKS) {
  test.describe(`${look.locale} ${look.colorScheme}`, () => {
    test.use(look)
    test('the people with a waiting change and the dialog are accessible at every width', async ({ page }) => {
      const { anna } = await team()
      await signIn(page, anna, `/${anna.slug}/people`)
      const change = page.getByRole('button', { name: /Solange Mballa/ }).first()
      await change.click()
      await page.getByRole('dialog').getByRole('checkbox').nth(1).check()
      await expectAccessibleEverywhere(page)
      await page.getByRole('dialog').locator('button[type=submit]').click()
      await expect(page.getByRole('dialog')).toHaveCount(0)
      await expectAccessibleEverywhere(page)
    })
  })
}
