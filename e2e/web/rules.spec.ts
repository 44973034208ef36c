import type { Browser, Locator, Page } from 'playwright/test'
import type { Pool } from '#server/database/pool.ts'
import { aBand, anIntakeItem } from '#server/testing/factories.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { expect, expectAccessibleEverywhere, LOOKS, signIn, test } from './fixtures.ts'
import { fillIn, openNewPayment, previewOf, send } from './new-payment.ts'
import { confirmProposal, newApplication, newPerson, sandboxPool } from './people.ts'
import { type SandboxPerson, sandboxUrl } from './sandbox.ts'

let pool: Pool
test.beforeAll(async () => {
  pool = await sandboxPool()
})
test.afterAll(() => pool.end())

/** An application of its own with two administrators, a maker and two checkers. */
async function team() {
  const { applicationId } = await newApplication(pool)
  const member = (role: 'administrator' | 'maker' | 'checker', name: string) => newPerson(pool, [role], applicationId, name)
  return {
    applicationId,
    anna: await member('administrator', 'Anna Ngo'),
    ben: await member('administrator', 'Ben Fouda'),
    maker: await member('maker', 'Solange Mballa'),
    checkers: [await member('checker', 'Jean Ouattara'), await member('checker', 'Mariam Diallo')],
  }
}

/** A deposit of a maker that waits. */
async function wait(applicationId: string, { id }: SandboxPerson, band: Parameters<typeof aBand>[0]): Promise<void> {
  const made = { source: 'person' as const, makerId: id, actor: { kind: 'person' as const, id }, amountMinor: 60_000_000n }
  await takeIn(pool, [anIntakeItem(applicationId, { ...made, bands: [aBand(band)] })])
}

async function newPage(browser: Browser): Promise<Page> {
  return (await browser.newContext({ baseURL: sandboxUrl(), locale: 'en-GB' })).newPage()
}

function lastCard(page: Page): Locator {
  return page.locator('section', { has: page.getByRole('heading', { name: /^Rule \d+$/ }) }).last()
}

/** Types a rule about payments above 500,000 XAF into the last card. */
async function typeLargeRule(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Add a rule' }).click()
  const card = lastCard(page)
  await card.getByRole('button', { name: 'Add XAF' }).click()
  await card.getByLabel('XAF', { exact: true }).fill('500,000')
  await expect(card.getByText('Deposits above 500,000 XAF: two checkers')).toBeVisible()
  await card.getByLabel('Name').fill(name)
}

test('a rule that two administrators changed takes effect: a deposit above the new limit needs two checkers', async ({ page, browser }) => {
  const { anna, ben, maker } = await team()
  await signIn(page, anna, `/${anna.slug}/rules`)
  await page.getByRole('link', { name: 'Edit rules' }).click()
  await typeLargeRule(page, '')
  await page.getByRole('button', { name: 'Save as a new version' }).click()
  await expect(page.getByText('Enter a name of at most 120 characters.')).toBeVisible()
  await page.getByLabel('Name').last().fill('Large payments')
  // Two checkers are there: three cannot approve. The draft is stored, and cannot take effect.
  await page.getByLabel('Checkers').last().selectOption('3')
  await page.getByRole('button', { name: 'Save as a new version' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Version 2' })).toBeVisible()
  await expect(page.getByText('Large payments: 3 checkers are needed', { exact: false })).toBeVisible()
  await expect(page.getByText('This draft cannot take effect', { exact: false })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Propose activation' })).toHaveCount(0)
  await page.getByRole('link', { name: 'Edit a copy' }).click()
  await page.getByText('Change Rule 2').click()
  await page.getByLabel('Name').last().fill('Large payouts')
  // A reload keeps the typed rules.
  await page.reload()
  await expect(page.getByText('These are your unsaved changes from this tab.')).toBeVisible()
  const changed = page.locator('section', { has: page.getByRole('heading', { name: 'Rule 2' }) })
  await changed.getByText('Change Rule 2').click()
  await changed.getByLabel('Checkers').selectOption('2')
  await page.getByRole('button', { name: 'Save as a new version' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Version 3' })).toBeVisible()
  await expect(page.getByText('0 items would have waited, 0 with the rules in effect now.')).toBeVisible()
  // The new gap is named, and accepted before the activation is proposed.
  await expect(page.getByText('Deposits of the API up to 500,000 XAF are sent without approval', { exact: false })).toBeVisible()
  await page.getByRole('button', { name: 'Propose activation' }).click()
  await expect(page.getByText('a new gap that was not accepted', { exact: false })).toBeVisible()
  await page.getByRole('checkbox', { name: /^I have read/ }).check()
  await page.getByRole('button', { name: 'Propose activation' }).click()
  await expect(page.getByText('Waiting for another person with the role Administrator.')).toBeVisible()

  const second = await newPage(browser)
  await signIn(second, ben, `/${ben.slug}/rules`)
  const proposal = second.getByRole('listitem').filter({ hasText: 'Proposed by Anna Ngo' })
  await expect(proposal.getByText('Deposits above 500,000 XAF: two checkers')).toBeVisible()
  await expect(proposal.getByText('has accepted', { exact: false })).toBeVisible()
  await confirmProposal(second, proposal)
  await expect(second.getByRole('heading', { name: 'In effect: version 3' })).toBeVisible()
  await second.context().close()

  const third = await newPage(browser)
  await openNewPayment(third, maker)
  await fillIn(third, { amount: '500,000' })
  await expect(previewOf(third)).toContainText('Needs 1 approval')
  await third.getByLabel('Amount').fill('500,001')
  await expect(previewOf(third)).toContainText('Needs 2 approvals')
  await send(third)
  await third.context().close()

  // Restored: the first version again, as a new one.
  await page.goto(`/${anna.slug}/rules/1`)
  await page.getByRole('button', { name: 'Restore as a new version' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Version 4' })).toBeVisible()
  await expect(page.getByText('Removed', { exact: true })).toBeVisible()
})

test('a limit per currency with the keyboard: the new field has the focus, errors are beside their field, and the saved rule has what was typed', async ({
  page,
}) => {
  const { anna } = await team()
  await signIn(page, anna, `/${anna.slug}/rules/edit`)
  await page.getByRole('button', { name: 'Add a rule' }).click()
  const card = lastCard(page)
  await card.getByLabel('Name').fill('Large')
  const field = (currency: string) => card.getByLabel(currency, { exact: true })
  for (const [currency, amount] of [
    ['XOF', '400,000'],
    ['XAF', '500,000'],
    ['UGX', ''],
  ] as const) {
    await card.getByRole('button', { name: `Add ${currency}` }).press('Enter')
    await expect(field(currency)).toBeFocused()
    await page.keyboard.type(amount)
  }
  await field('UGX').press('Enter')
  await expect(field('UGX')).toHaveAccessibleDescription('Enter an amount, such as 500,000, or 0 for every amount.')
  await field('UGX').fill('0')
  await expect(card.getByText('Deposits above 500,000 XAF, 400,000 XOF, or 0 UGX: two checkers')).toBeVisible()
  // The places leave out Uganda.
  await card.getByText('Only certain countries or operators').click()
  for (const country of ['Cameroon', 'Mali']) await card.getByRole('checkbox', { name: country, exact: true }).check()
  await page.getByRole('button', { name: 'Save as a new version' }).click()
  await expect(field('UGX')).toHaveAccessibleDescription('No operator of this rule uses this currency. Remove the limit.')
  await card.getByRole('button', { name: 'Remove the limit in UGX' }).press('Enter')
  await expect(card.getByRole('group', { name: 'Applies above' })).toBeFocused()
  await expect(field('UGX')).toHaveCount(0)
  await expect(card.getByRole('button', { name: 'Add UGX' })).toHaveCount(0)
  await page.reload()
  await expect(field('XAF')).toHaveValue('500,000')
  await page.getByRole('button', { name: 'Save as a new version' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Version 2' })).toBeVisible()
  await expect(page.getByText('Deposits in Cameroon or Mali above 500,000 XAF or 400,000 XOF: two checkers').first()).toBeVisible()
  await page.goto(`/${anna.slug}/rules/edit?from=2`)
  await card.getByText('Change Rule 2').click()
  await expect(field('XAF')).toHaveValue('500,000')
  await expect(field('XOF')).toHaveValue('400,000')
  await card.getByRole('button', { name: 'Remove the limit in XOF' }).click()
  await expect(field('XOF')).toHaveCount(0)
  await page.reload()
  await card.getByText('Change Rule 2').click()
  await expect(field('XAF')).toHaveValue('500,000')
  await expect(field('XOF')).toHaveCount(0)
  // A rule about a total cannot be without a limit.
  await card.getByRole('button', { name: 'Remove the limit in XAF' }).click()
  await expect(card.getByText('Without a limit, the rule applies to every amount in every currency.')).toBeVisible()
  await card.getByLabel('Amount compared with the limit').selectOption('dayTotal')
  await page.getByRole('button', { name: 'Save as a new version' }).click()
  await expect(card.getByRole('group', { name: 'Applies above' })).toHaveAccessibleDescription(
    'Add a limit: a rule about a total requires one.',
  )
  await card.getByRole('button', { name: 'Add XOF' }).click()
  await expect(card.getByText('Add a limit: a rule about a total requires one.')).toHaveCount(0)
})

test('an administrator who is alone is told who confirms, and sees blocked items on the overview', async ({ page }) => {
  const { applicationId } = await newApplication(pool)
  const anna = await newPerson(pool, ['administrator'], applicationId, 'Anna Ngo')
  const maker = await newPerson(pool, ['maker', 'checker'], applicationId, 'Solange Mballa')
  await wait(applicationId, maker, {})
  await signIn(page, anna, `/${anna.slug}`)
  await page.getByRole('link', { name: 'See what would unblock them' }).click()
  await expect(page.getByText('so an administrator of this service does.')).toBeVisible()
  const blocked = page.getByRole('listitem').filter({ hasText: '1 transaction of Solange Mballa' })
  await expect(blocked).toContainText('Invite another checker')
  await expect(blocked).toContainText('Recall by its maker, Solange Mballa.')
})

for (const look of LOOKS) {
  test.describe(`${look.locale} ${look.colorScheme}`, () => {
    test.use(look)
    test('the editor, a draft with its replay and a waiting change are accessible at every width', async ({ page }) => {
      const { anna, applicationId, maker } = await team()
      await wait(applicationId, maker, { steps: [3], needsCode: true })
      await signIn(page, anna, `/${anna.slug}/rules/edit`)
      await page.getByRole('button', { name: /^(Add a rule|Ajouter une règle)$/ }).click()
      await page.locator('main details summary').last().click()
      await page
        .getByRole('button', { name: /^(Add|Ajouter) XAF$/ })
        .last()
        .click()
      await page.locator('main form button[type=submit]').click()
      await expect(page.locator('[aria-invalid=true]')).toHaveCount(2)
      await expectAccessibleEverywhere(page)
      await page.locator('input[inputmode=decimal]').last().fill('500000')
      await page.locator('input[id$=name]').last().fill('Large')
      await page.locator('main form button[type=submit]').click()
      await page.waitForURL(/\/rules\/2$/)
      await page.locator('input[name=accept]').check()
      await expect(page.locator('#replay')).toBeVisible()
      await expect(page.locator('table').first()).toBeVisible()
      await expectAccessibleEverywhere(page)
      await page.locator('main button').first().click()
      await page.waitForURL(/\/rules$/)
      await expect(page.locator('#blocked')).toBeVisible()
      await expectAccessibleEverywhere(page)
    })
  })
}
