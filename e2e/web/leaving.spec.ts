import type { BrowserContext, Page } from 'playwright/test'
import type { Pool } from '#server/database/pool.ts'
import { aBand, anIntakeItem } from '#server/testing/factories.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { expect, expectAccessibleEverywhere, signIn, test } from './fixtures.ts'
import { confirmProposal, deviceOf, newApplication, newPerson, sandboxPool } from './people.ts'

const PASSWORD = 'a long enough password'
let pool: Pool
test.beforeAll(async () => {
  pool = await sandboxPool()
})
test.afterAll(() => pool.end())

test('a person who leaves: what only they could decide is listed and acknowledged twice, and their session ends at once', async ({
  browser,
  baseURL,
}) => {
  const { applicationId } = await newApplication(pool)
  const anna = await newPerson(pool, ['administrator'], applicationId, 'Anna Ngo')
  const ben = await newPerson(pool, ['administrator'], applicationId, 'Ben Fouda')
  const leaver = await newPerson(pool, ['checker'], applicationId, 'Solange Mballa')
  await takeIn(pool, [anIntakeItem(applicationId, { customerName: 'Clarisse Mbarga', bands: [aBand()] })])
  const [first, second, third] = await Promise.all([0, 1, 2].map(() => newPage(browser, baseURL)))
  if (!first || !second || !third) throw new Error('A page is missing')
  await signIn(third, leaver, `/${anna.slug}/approvals`)

  await signIn(first, anna, `/${anna.slug}/people`)
  await first.getByRole('link', { name: 'Solange Mballa' }).click()
  await expect(first.getByRole('heading', { level: 1, name: 'Solange Mballa' })).toBeVisible()
  await expect(first.getByRole('row', { name: /Chrome/ })).toBeVisible()
  await expect(first.getByRole('link', { name: 'Clarisse Mbarga' })).toBeVisible()
  await expectAccessibleEverywhere(first)
  await first.getByRole('button', { name: 'Remove from the application' }).click()
  const dialog = first.getByRole('dialog')
  await expect(dialog.getByText('1 pending item that too few others can approve')).toBeVisible()
  await dialog.getByRole('button', { name: 'Propose change' }).click()
  await expect(dialog.getByRole('alert')).toHaveText('Confirm that you understand what remains open.')
  await dialog.getByRole('checkbox').check()
  await dialog.getByRole('button', { name: 'Propose change' }).click()
  await expect(first.getByText('Waiting for another person with the role Administrator.')).toBeVisible()

  await signIn(second, ben, `/${anna.slug}/people`)
  await second.getByRole('button', { name: 'Confirm', exact: true }).click()
  const question = second.getByRole('dialog', { name: 'Confirm: Roles' })
  await question.getByRole('button', { name: 'Confirm', exact: true }).click()
  await expect(question.getByRole('link', { name: 'Pending items' })).toBeVisible()
  await second.getByRole('button', { name: 'Confirm anyway' }).click()
  await expect(second.getByText('Nothing is waiting.')).toBeVisible()
  await expect(second.getByRole('row', { name: /Solange Mballa/ })).toContainText('Ended')
  expect((await third.request.get(`/api/back-office/${anna.slug}/approvals`)).status()).toBe(404)

  await second.goto(`/${anna.slug}/audit`)
  const [confirmed] = await second.getByRole('listitem').filter({ hasText: 'Confirmed a change: Roles · Solange Mballa' }).all()
  await expect(confirmed ?? second.locator('none')).toContainText('127.0.0.1')
  await second.getByRole('button', { name: 'Check the chain' }).click()
  await expect(second.getByText(/^\d+ entries, unbroken since /)).toBeVisible()
  await closeAll(first, second, third)
})

test('a session ended and a membership suspended by one administrator: both take effect with the next request', async ({
  browser,
  baseURL,
}) => {
  const { applicationId } = await newApplication(pool)
  const anna = await newPerson(pool, ['administrator'], applicationId, 'Anna Ngo')
  const maker = await newPerson(pool, ['maker'], applicationId, 'Solange Mballa')
  const [first, second] = await Promise.all([0, 1].map(() => newPage(browser, baseURL)))
  if (!first || !second) throw new Error('A page is missing')
  await signIn(second, maker, `/${anna.slug}`)
  const statusOf = async (page: Page) => (await page.request.get(`/api/back-office/${anna.slug}/overview`)).status()
  expect(await statusOf(second)).toBe(200)
  await signIn(first, anna, `/${anna.slug}/people/${maker.id}`)
  await first.getByRole('button', { name: /^End the session on Chrome/ }).click()
  await expect(first.getByText('Not signed in anywhere.')).toBeVisible()
  expect(await statusOf(second)).toBe(401)
  await signIn(second, maker, `/${anna.slug}`)
  await first.getByRole('button', { name: 'Suspend', exact: true }).click()
  await first.getByRole('dialog').getByRole('button', { name: 'Suspend', exact: true }).click()
  await expect(first.getByRole('button', { name: 'Propose lifting the suspension' })).toBeVisible()
  expect(await statusOf(second)).toBe(404)
  await closeAll(first, second)
})

test('an invitation from the proposal to the code that the proposer enters, with a second factor; its link is nowhere afterwards', async ({
  browser,
  baseURL,
}) => {
  const { applicationId } = await newApplication(pool)
  const anna = await newPerson(pool, ['administrator'], applicationId, 'Anna Ngo')
  const ben = await newPerson(pool, ['administrator'], applicationId, 'Ben Fouda')
  const [first, second, third] = await Promise.all([0, 1, 2].map(() => newPage(browser, baseURL)))
  if (!first || !second || !third) throw new Error('A page is missing')
  const email = `${crypto.randomUUID()}@example.com`
  await signIn(first, anna, `/${anna.slug}/people`)
  await first.getByRole('button', { name: 'Invite a person' }).click()
  const form = first.getByRole('dialog')
  await form.getByLabel('Email address').fill(email)
  await form.getByLabel('Name', { exact: true }).fill('Carine Ngo')
  await form.getByRole('checkbox', { name: 'Administrator' }).check()
  await form.getByRole('button', { name: 'Propose change' }).click()
  await expect(first.getByText('Waiting for another person with the role Administrator.')).toBeVisible()

  await signIn(second, ben, `/${anna.slug}/people`)
  await confirmProposal(second)
  const link = (await second.getByRole('dialog').getByRole('status', { name: 'Link for the person' }).textContent()) ?? ''
  const token = link.split('#')[1] ?? ''
  expect(token.length).toBe(43)
  await second.getByRole('button', { name: 'Done', exact: true }).click()
  await expect(second.getByRole('dialog').getByRole('alert')).toBeVisible()
  await second.getByRole('checkbox', { name: 'I have stored it' }).check()
  await second.getByRole('button', { name: 'Done', exact: true }).click()
  await expect(second.getByRole('heading', { name: 'Invitations' })).toBeVisible()
  await expect(second.getByText(token)).toHaveCount(0)

  // From now on everybody here needs a second factor; the two administrators are done.
  await pool.query('update applications set requires_second_factor = true where application_id = $1', [applicationId])
  const requested: string[] = []
  third.on('request', (request) => requested.push(`${request.url()} ${request.headers()['referer'] ?? ''}`))
  await third.goto(link)
  await expect(third.getByText(/You are invited to work in Prudence/)).toBeVisible()
  expect(third.url()).not.toContain(token)
  await expectAccessibleEverywhere(third)
  await third.getByLabel('Password').fill('too short')
  await third.getByRole('button', { name: 'Create my access' }).click()
  await third.getByLabel('Password').fill(PASSWORD)
  await third.getByRole('button', { name: 'Create my access' }).click()
  await enrol(third)
  await expect(third.getByText('Call Anna Ngo and tell them this code.')).toBeVisible()
  await expectAccessibleEverywhere(third)
  await expectNowhere(token, third, requested)
  expect((await third.request.get(`/api/back-office/${anna.slug}/overview`)).status()).toBe(404)
  const code = (await third.getByRole('status', { name: 'Code' }).textContent()) ?? ''

  // The two administrators have no device.
  await pool.query('update applications set requires_second_factor = false where application_id = $1', [applicationId])
  await second.goto(`/${anna.slug}/people`)
  await expect(second.getByText('Anna Ngo proposed this person and enters the code.')).toBeVisible()
  await first.goto(`/${anna.slug}/people`)
  await expectAccessibleEverywhere(first)
  await first.getByLabel('Code of Carine Ngo').fill(code.startsWith('A') ? 'BBB-BBB' : 'AAA-AAA')
  await first.getByRole('button', { name: 'Confirm the code' }).click()
  await expect(first.getByText(/^This is not the code/)).toBeVisible()
  await first.getByLabel('Code of Carine Ngo').fill(code)
  await first.getByRole('button', { name: 'Confirm the code' }).click()
  await expect(first.getByRole('row', { name: /Carine Ngo/ })).toContainText('Administrator')
  await third.getByRole('link', { name: `Open ${anna.application}` }).click()
  await expect(third).toHaveURL(new RegExp(`/${anna.slug}$`))
  await third.context().clearCookies()
  await third.goto(link)
  await expect(third.getByText('This link was already used or withdrawn.')).toBeVisible()
  await closeAll(first, second, third)
})

/** Sets up the second factor that the application requires, as its pages ask for it. */
async function enrol(page: Page): Promise<void> {
  await expect(page).toHaveURL((url) => url.pathname === '/sign-in/enrol')
  const secret = await page.locator('form p.tabular').textContent()
  await page.locator('input[name=code]').fill(await deviceOf(secret ?? '')())
  await page.locator('input[name=password]').fill(PASSWORD)
  await page.locator('main form button[type=submit]').last().click()
  await page.getByRole('link', { name: 'I saved them' }).click()
}

/** Expects a secret in no request, no entry of the history, no storage of the browser, and no row of the database. */
async function expectNowhere(secret: string, page: Page, requested: readonly string[]): Promise<void> {
  expect(requested.filter((request) => request.includes(secret))).toEqual([])
  const { cookies, origins } = await page.context().storageState()
  expect(JSON.stringify([cookies, origins])).not.toContain(secret)
  expect(await page.evaluate(() => JSON.stringify([{ ...sessionStorage }, { ...localStorage }, history.state]))).not.toContain(secret)
  const browser = await page.context().newCDPSession(page)
  const { entries } = await browser.send('Page.getNavigationHistory')
  // Where the entries lead. What was typed to open the first of them stays in the memory of the tab; a page cannot remove it.
  expect(JSON.stringify(entries.map(({ url }) => url))).not.toContain(secret)
  const { rows } = await pool.query<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
       and c.relname ~ '^(person_|people|audit_|proposed_|memberships|ended_|sign_in)'`,
  )
  for (const { name } of rows) {
    const found = await pool.query(`select 1 from ${name} as t where position($1 in t::text) > 0 limit 1`, [secret])
    expect(found.rowCount, name).toBe(0)
  }
}

async function newPage(browser: { newContext(options: { baseURL: string }): Promise<BrowserContext> }, baseURL: string | undefined) {
  return (await browser.newContext({ baseURL: baseURL ?? '' })).newPage()
}

async function closeAll(...pages: Page[]): Promise<void> {
  await Promise.all(pages.map((page) => page.context().close()))
}
