import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http'
import type { Browser, Page } from 'playwright/test'
import { createApiKey } from '#server/applications/access/api-keys.ts'
import { allowAddress } from '#server/applications/access/change-networks.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { proposeChange } from '#server/changes/propose-change.ts'
import type { Pool } from '#server/database/pool.ts'
import { createApiUser } from '#server/partner-auth/api-users.ts'
import { startSecondFactor } from '#server/people/sign-in/second-factor.ts'
import { must } from '#server/testing/partner.ts'
import { verifyWebhook } from '#server/webhooks/send/sign-webhook.ts'
import { expect, expectAccessibleEverywhere, LOOKS, signIn, test, waitForScripts } from './fixtures.ts'
import { confirmProposal, deviceOf, newApplication, newPerson, sandboxPool } from './people.ts'
import { SANDBOX_FOLDER_VARIABLE, type SandboxPerson, sandboxUrl } from './sandbox.ts'

let pool: Pool
test.beforeAll(async () => {
  pool = await sandboxPool()
})
test.afterAll(() => pool.end())

async function team() {
  const { applicationId } = await newApplication(pool)
  const engineer = await newPerson(pool, ['engineer'], applicationId, 'Yannick Tabi')
  const administrator = await newPerson(pool, ['administrator'], applicationId, 'Anna Ngo')
  return { applicationId, engineer, administrator }
}

async function pageOf(browser: Browser, person: SandboxPerson, address: string): Promise<Page> {
  const page = await (await browser.newContext({ baseURL: sandboxUrl() })).newPage()
  await signIn(page, person, address)
  return page
}

/** Fills in a dialog and proposes what it says. */
async function propose(page: Page, button: string, fields: Readonly<Record<string, string>> = {}): Promise<void> {
  await page.getByRole('button', { name: button, exact: true }).click()
  const dialog = page.getByRole('dialog')
  for (const [label, value] of Object.entries(fields)) await dialog.getByLabel(label).fill(value)
  await dialog.getByRole('button', { name: 'Propose change' }).click()
  await expect(dialog).toHaveCount(0)
}

async function confirmAll(page: Page, count: number): Promise<void> {
  for (let left = count; left > 0; left--) {
    await expect(page.getByRole('button', { name: 'Confirm', exact: true })).toHaveCount(left)
    await confirmProposal(page)
  }
  await expect(page.getByRole('button', { name: 'Confirm', exact: true })).toHaveCount(0)
}

/** Collects the secret of the confirmed change with this title and returns it. */
async function collect(page: Page, title: string): Promise<string> {
  const change = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: title }) })
  await change.getByRole('button', { name: 'Generate the secret' }).click()
  const dialog = page.getByRole('dialog')
  const secret = (await dialog.locator('output').textContent()) ?? ''
  await dialog.getByLabel('I have stored it').check()
  await dialog.getByRole('button', { name: 'Done' }).click()
  await expect(change.getByRole('button', { name: 'Generate the secret' })).toHaveCount(0)
  return secret
}

test('from nothing to the first webhook: in a sandbox an engineer makes the credentials alone, which are shown once and are nowhere afterwards', async ({
  browser,
}) => {
  const { engineer, administrator } = await team()
  const receiver = await startReceiver()
  const page = await pageOf(browser, engineer, `/${engineer.slug}/keys`)
  const username = `shop-${randomUUID()}`
  await propose(page, 'New key', { Name: 'Shop' })
  await propose(page, 'New API user', { 'User name': username })
  await propose(page, 'Add your address 127.0.0.1')
  // The address is no secret: it needs a second person here as well.
  await expect(page.getByText('Waiting for another person with the role Administrator.')).toHaveCount(1)
  await expect(page.getByText('you may confirm this yourself', { exact: false })).toHaveCount(2)
  await confirmAll(page, 2)
  const second = await pageOf(browser, administrator, `/${engineer.slug}/keys`)
  await confirmAll(second, 1)
  await page.goto(`/${engineer.slug}/webhooks/signing`)
  await expect(page.getByText('no second person is needed', { exact: false })).toBeVisible()
  await propose(page, 'Get the webhook secret')
  await confirmAll(page, 1)
  // The administrator is not offered the secret.
  await second.goto(`/${engineer.slug}/webhooks/signing`)
  await expect(second.getByText('Yannick Tabi can generate the secret')).toBeVisible()

  const webhookSecret = await collect(page, 'New webhook secret')
  await page.goto(`/${engineer.slug}/keys`)
  const apiKey = await collect(page, 'New API key')
  const password = await collect(page, 'New API user')
  const apiId = (await page.locator('dt', { hasText: 'apiId' }).locator('xpath=following-sibling::dd').textContent())?.trim() ?? ''

  const token = await callApi('/public/access_token', {}, { username, password })
  expect(token.status).toBe(200)
  const headers = { apiKey, apiId, authorization: `Bearer ${JSON.parse(token.body).access_token}` }
  const started = await callApi('/api/v1/transaction/collect', headers, aCollect(receiver.url))
  expect(started.status, started.body).toBe(200)
  const webhook = await receiver.next()
  expect(verifyWebhook(webhook.headers, webhook.body, webhookSecret, new Date())).toBe(true)
  expect(JSON.parse(webhook.body).transactionId).toBe(JSON.parse(started.body).transactionId)

  await expect(async () => {
    await page.goto(`/${engineer.slug}/webhooks`)
    await expect(page.getByText('Received.')).toBeVisible({ timeout: 1_000 })
  }).toPass()
  await page.getByRole('link', { name: /SUCCESS/ }).click()
  await expect(page.getByRole('region', { name: 'Request' })).toContainText(JSON.parse(webhook.body).externalId)
  await page.goto(`/${engineer.slug}/keys`)
  await expect(page.getByRole('row', { name: /Shop/ })).toContainText('127.0.0.1')

  for (const secret of [apiKey, password, webhookSecret]) expect(await placesWith(page, secret), 'where a secret still is').toEqual([])
  await Promise.all([page, second].map((each) => each.context().close()))
  await receiver.close()
})

test('a stolen key is seen by its address, revoked by one person, and refused within a second', async ({ browser }) => {
  const { applicationId, engineer } = await team()
  const username = `stolen-${randomUUID()}`
  const actor = SYSTEM_ACTOR
  const { apiKey } = must(await createApiKey(pool, { applicationId, name: 'Production', actor }))
  const { password } = must(await createApiUser(pool, { applicationId, username, actor }))
  must(await allowAddress(pool, { applicationId, network: '127.0.0.0/8', actor }))
  const token = JSON.parse((await callApi('/public/access_token', {}, { username, password })).body).access_token
  const { rows } = await pool.query('select api_id from applications where application_id = $1', [applicationId])
  const headers = { apiKey, apiId: rows[0].api_id, authorization: `Bearer ${token}` }
  const steal = async () => (await callApi('/api/v1/transaction/getByApplicationProductBalances', headers, undefined, '127.0.0.66')).status
  await expect.poll(steal).toBe(200)

  const page = await pageOf(browser, engineer, `/${engineer.slug}/keys`)
  await expect(async () => {
    await page.reload()
    await expect(page.getByRole('row', { name: /Production/ })).toContainText('127.0.0.66', { timeout: 1_000 })
  }).toPass()
  await page.getByRole('button', { name: 'Revoke Production' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await expect(page.getByRole('row', { name: /Production/ })).toContainText('Revoked')
  await expect.poll(steal, { timeout: 1_000, intervals: [50] }).toBe(401)
  await expect(async () => {
    await page.reload()
    const refusal = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: /The key was revoked/ }) })
    await expect(refusal).toContainText('127.0.0.66', { timeout: 1_000 })
  }).toPass()
  await page.context().close()
})

for (const look of LOOKS) {
  test.describe(`${look.locale} ${look.colorScheme}`, () => {
    test.use(look)
    test('the dialogs of keys and the form of a recovery are accessible at every width', async ({ page }) => {
      const { engineer } = await team()
      await signIn(page, engineer, `/${engineer.slug}/keys`)
      await page.getByRole('button', { name: /^(New key|Nouvelle clé)$/ }).click()
      await expectAccessibleEverywhere(page)
      await page.keyboard.press('Escape')
      await page.goto(`/${engineer.slug}/webhooks`)
      await page
        .locator('header')
        .filter({ has: page.locator('h1') })
        .getByRole('button')
        .click()
      await expect(page.getByRole('dialog')).toBeVisible()
      await expectAccessibleEverywhere(page)
    })
  })
}

/** Where a text is: in a row of the database, a file of the service (logs, the write-ahead log), or anything that the browser keeps. */
async function placesWith(page: Page, secret: string): Promise<string[]> {
  const places: string[] = []
  const { rows } = await pool.query<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'`,
  )
  for (const { name } of rows) {
    const found = await pool.query(`select 1 from ${name} as t where strpos(t::text, $1) > 0 limit 1`, [secret])
    if (found.rowCount) places.push(name)
  }
  const folder = process.env[SANDBOX_FOLDER_VARIABLE]
  if (folder) {
    const { stdout } = spawnSync('grep', ['-rlaF', '--', secret, folder], { encoding: 'utf8' })
    places.push(...stdout.split('\n').filter((line) => line !== ''))
  }
  const kept = await page.evaluate(() =>
    JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, history.state, location.href]),
  )
  if (kept.includes(secret)) places.push('the storage of the browser')
  if (JSON.stringify(await page.context().cookies()).includes(secret)) places.push('a cookie')
  for (const move of ['stay', 'back', 'forward'] as const) {
    if (move === 'back') await page.goBack()
    if (move === 'forward') await page.goForward()
    // A page that is still changing cannot be read.
    await waitForScripts(page)
    if ((await page.content()).includes(secret)) places.push(`the page (${move})`)
  }
  return places
}

type Answer = { status: number; body: string }

/** Calls the API as a program does, from a loopback address of its own. */
function callApi(path: string, headers: Record<string, string>, body?: unknown, localAddress = '127.0.0.1'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST'
    const request = httpRequest(
      `${sandboxUrl()}${path}`,
      { method, localAddress, agent: false, headers: { 'content-type': 'application/json', ...headers } },
      (response) => void readText(response).then((text) => resolve({ status: response.statusCode ?? 0, body: text }), reject),
    )
    request.on('error', reject)
    request.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

async function readText(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

function aCollect(webhookUrl: string) {
  return {
    transferMethod: 'OMCM',
    customerName: 'Clarisse Mbarga',
    externalId: randomUUID(),
    phoneNumber: '237699000111',
    amount: 5_000,
    webhookUrl,
    countryName: 'CAMEROON',
  }
}

/** The partner's own server: answers 200 and keeps what it received. */
async function startReceiver() {
  const first = Promise.withResolvers<{ headers: Record<string, string>; body: string }>()
  const server = createServer((request, response) => {
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
    void readText(request).then((body) => {
      response.writeHead(200).end()
      first.resolve({ headers, body })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The receiver has no port')
  return {
    url: `http://127.0.0.1:${address.port}/hook`,
    next: () => first.promise,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}

test('open until it is stored: the dialog of a secret, by Escape twice, by a click beside it and by both of its buttons', async ({
  browser,
}) => {
  const { engineer, administrator } = await team()
  const page = await pageOf(browser, engineer, `/${engineer.slug}/keys`)
  await propose(page, 'New key', { Name: 'Warehouse' })
  await confirmAll(await pageOf(browser, administrator, `/${engineer.slug}/keys`), 1)
  await page.reload()
  await page.getByRole('button', { name: 'Generate the secret' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.locator('output')).not.toBeEmpty()
  const closings = [
    () => page.keyboard.press('Escape'),
    () => page.keyboard.press('Escape'),
    () => page.mouse.click(5, 5),
    () => dialog.getByRole('button', { name: 'Close' }).click(),
    () => dialog.getByRole('button', { name: 'Done' }).click(),
  ]
  for (const close of closings) {
    await close()
    await expect(dialog.getByRole('alert')).toContainText('confirm that you have stored it')
  }
  await dialog.getByLabel('I have stored it').check()
  await page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)
})

/** Turns a second factor on for a person who stays signed in; returns what their device shows. */
async function addDevice({ id }: SandboxPerson): Promise<() => Promise<string>> {
  const { secret } = must(await startSecondFactor(pool, { personId: id }))
  await pool.query('update people set totp_enabled_at = now() where person_id = $1', [id])
  return deviceOf(secret)
}

test('a fresh code confirms a change and shows its secret, once, where the second factor is required', async ({ browser }) => {
  const { applicationId, engineer, administrator } = await team()
  const page = await pageOf(browser, engineer, `/${engineer.slug}/keys`)
  await propose(page, 'New key', { Name: 'Depot' })
  const other = await pageOf(browser, administrator, `/${engineer.slug}/keys`)
  const [engineerCode, administratorCode] = await Promise.all([addDevice(engineer), addDevice(administrator)])
  await pool.query('update applications set requires_second_factor = true where application_id = $1', [applicationId])

  await other.getByRole('button', { name: 'Confirm', exact: true }).click()
  await other.getByRole('dialog', { name: 'Confirm: New API key' }).getByRole('button', { name: 'Confirm' }).click()
  const dialog = other.getByRole('dialog', { name: 'One-time code' })
  await dialog.getByRole('button', { name: 'Confirm' }).click()
  await expect(dialog.getByText('Enter a new code from your authenticator app.')).toBeVisible()
  await dialog.getByLabel('One-time code').fill('000000')
  await dialog.getByRole('button', { name: 'Confirm' }).click()
  await expect(dialog.getByText('Incorrect or already used code. Nothing was changed.')).toBeVisible()
  const used = await administratorCode()
  await dialog.getByLabel('One-time code').fill(used)
  await dialog.getByRole('button', { name: 'Confirm' }).click()
  await expect(dialog).toHaveCount(0)
  await expect(other.getByRole('button', { name: 'Confirm', exact: true })).toHaveCount(0)

  await page.reload()
  await page.getByRole('button', { name: 'Generate the secret' }).click()
  await page
    .getByRole('dialog', { name: 'One-time code' })
    .getByLabel('One-time code')
    .fill(await engineerCode())
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog').locator('output')).not.toBeEmpty()
})

test('a fresh code confirms a funding, after what is posted was shown', async ({ browser }) => {
  const { applicationId } = await newApplication(pool)
  const [fatou, serge] = [
    await newPerson(pool, ['finance'], applicationId, 'Fatou Sy'),
    await newPerson(pool, ['finance'], applicationId, 'Serge Ba'),
  ]
  const document = { name: 'avis.pdf', sha256: 'a1'.repeat(32) }
  const input = { operator: 'MOMOCM', amountMinor: '500000', reference: 'FT-2026/0042', note: '', document }
  const actor = { kind: 'person', id: fatou.id, applicationId, roles: ['finance'] } as const
  must(await proposeChange(pool, { applicationId, kind: 'funding.pay_in', input, actor }))
  const page = await pageOf(browser, serge, `/${serge.slug}/funding`)
  const code = await addDevice(serge)
  await pool.query('update applications set requires_second_factor = true where application_id = $1', [applicationId])
  await page.getByRole('button', { name: 'Confirm', exact: true }).click()
  const shown = page.getByRole('dialog', { name: 'Confirm: Payment into the deposit balance' })
  await shown.getByRole('button', { name: 'Confirm', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'One-time code' })
  await dialog.getByLabel('One-time code').fill('000000')
  await page.keyboard.press('Enter')
  await expect(dialog.getByText('Incorrect or already used code. Nothing was changed.')).toBeVisible()
  await dialog.getByLabel('One-time code').fill(await code())
  await page.keyboard.press('Enter')
  await expect(page.getByRole('region', { name: 'Notifications' }).getByText('Confirmed. The change is in effect.')).toBeVisible()
  await expect(page.getByRole('dialog')).toHaveCount(0)
})

test('two people set where events are sent; a refused address says so, and what was sent is listed with its result', async ({
  browser,
}) => {
  const { applicationId, engineer, administrator } = await team()
  const address = `/${engineer.slug}/webhooks/signing`
  const page = await pageOf(browser, engineer, address)
  await expect(page.getByText('No address: events are not sent.')).toBeVisible()
  await page.getByRole('button', { name: 'Change the address' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Address of events').fill('https://user:secret@events.example/hook')
  await dialog.getByRole('button', { name: 'Propose change' }).click()
  await expect(dialog.getByText('without a password or token')).toBeVisible()
  await dialog.getByLabel('Address of events').fill('https://events.example/hook')
  await dialog.getByRole('button', { name: 'Propose change' }).click()
  await expect(dialog).toHaveCount(0)
  const second = await pageOf(browser, administrator, address)
  await confirmAll(second, 1)
  await page.reload()
  const events = page.getByRole('region', { name: 'Events', exact: true })
  await expect(events).toContainText('https://events.example/hook')
  await pool.query("insert into notices (application_id, cause, subject_id) values ($1, 'webhooks_failing', $1)", [applicationId])
  await page.reload()
  // The confirmation above is an event too.
  await expect(events.getByRole('listitem').filter({ hasText: 'Webhooks could not be delivered' })).toHaveCount(1)
  await expectAccessibleEverywhere(page)
})
