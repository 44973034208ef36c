import type { Page } from 'playwright/test'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { systemClock } from '#server/clock.ts'
import { createSignInThrottle } from '#server/credentials/sign-in-throttle.ts'
import { freePort } from '#server/database/embedded/embedded.ts'
import type { Pool } from '#server/database/pool.ts'
import { blockPerson } from '#server/people/accounts.ts'
import { confirmSecondFactor, startSecondFactor } from '#server/people/sign-in/second-factor.ts'
import { must } from '#server/testing/partner.ts'
import { type Sandbox, startSandbox } from '#server/testing/service/start-sandbox.ts'
import { expect, expectAccessible, test } from './fixtures.ts'
import { CLIENT, type IdentityProvider, startIdentityProvider } from './identity-provider.ts'
import { deviceOf, newPerson, sandboxPool } from './people.ts'
import { SANDBOX_FOLDER_VARIABLE, SANDBOX_URL_VARIABLE, type SandboxPerson } from './sandbox.ts'

test.describe.configure({ mode: 'serial' })
const shared: Record<typeof SANDBOX_URL_VARIABLE | typeof SANDBOX_FOLDER_VARIABLE, string | undefined> = {
  [SANDBOX_URL_VARIABLE]: process.env[SANDBOX_URL_VARIABLE],
  [SANDBOX_FOLDER_VARIABLE]: process.env[SANDBOX_FOLDER_VARIABLE],
}
let sandbox: Sandbox
let pool: Pool
let provider: IdentityProvider
test.beforeAll(async () => {
  provider = await startIdentityProvider(await freePort())
  const environment = {
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: CLIENT.id,
    OIDC_CLIENT_SECRET: CLIENT.secret,
    OIDC_NAME: 'Kora accounts',
    OIDC_SECOND_FACTOR_AMR: 'mfa, hwk',
  }
  sandbox = await startSandbox({ environment, readiness: 'pages' })
  Object.assign(process.env, { [SANDBOX_URL_VARIABLE]: sandbox.baseUrl, [SANDBOX_FOLDER_VARIABLE]: sandbox.folder })
  pool = await sandboxPool()
})
test.afterAll(async () => {
  await pool.end()
  provider.stop()
  await sandbox.stop()
  Object.assign(process.env, shared)
})
test.beforeEach(() => {
  Object.assign(provider, { forgery: null, isHolding: false })
})

async function signInThere(page: Page, claims: Record<string, unknown>, wanted = '/'): Promise<void> {
  provider.claims = claims
  await page.goto(`/sign-in?next=${encodeURIComponent(wanted)}`)
  await page.getByRole('link', { name: 'Sign in with Kora accounts' }).click()
}

/** A person whose second factor is on; the device of it returns a new code each time. */
async function withSecondFactor(): Promise<{ person: SandboxPerson; code: () => Promise<string> }> {
  const person = await newPerson(pool, ['finance'])
  const { secret } = must(await startSecondFactor(pool, { personId: person.id }))
  const code = deviceOf(secret)
  const throttle = createSignInThrottle({ pool, clock: systemClock, secret: 'a secret for tests' })
  const command = { personId: person.id, password: person.password, code: await code(), peerAddress: '198.51.100.1' }
  must(await confirmSecondFactor({ pool, clock: systemClock, throttle }, command))
  return { person, code }
}

async function factorsOf(person: SandboxPerson): Promise<unknown[]> {
  const { rows } = await pool.query<{ factor: string }>(
    "select details ->> 'factor' as factor from audit_entries where subject = $1 and action = 'person.signed_in' order by sequence",
    [person.id],
  )
  return [...new Set(rows.map(({ factor }) => factor))]
}

test('a person with the verified address comes to the page they wanted; the request had PKCE, state and nonce', async ({ page }) => {
  const person = await newPerson(pool, ['finance'])
  await page.goto('/sign-in')
  await expectAccessible(page)
  await signInThere(page, { email: person.email.toUpperCase(), email_verified: true }, `/${person.slug}/settings`)
  await expect(page).toHaveURL(`/${person.slug}/settings`)
  const asked = Object.fromEntries(provider.asked)
  expect(asked).toMatchObject({ response_type: 'code', code_challenge_method: 'S256', client_id: CLIENT.id })
  for (const name of ['code_challenge', 'state', 'nonce']) expect(asked[name]?.length ?? 0, name).toBeGreaterThan(20)
  expect(await factorsOf(person)).toEqual(['single_sign_on'])
})

test('a code is asked where the second factor is on, unless the provider says that it asked for one', async ({
  page,
  browser,
  baseURL,
}) => {
  const { person, code } = await withSecondFactor()
  await signInThere(page, { email: person.email, email_verified: true, amr: ['pwd'] }, `/${person.slug}/settings`)
  await expect(page).toHaveURL(/second-factor/)
  await page.getByLabel('Code').fill(await code())
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page).toHaveURL(`/${person.slug}/settings`)
  expect(await factorsOf(person)).toEqual(['single_sign_on_code'])
  const other = await browser.newContext({ baseURL: baseURL ?? '' })
  const second = await other.newPage()
  await signInThere(second, { email: person.email, email_verified: true, amr: ['pwd', 'mfa'] }, `/${person.slug}/settings`)
  await expect(second).toHaveURL(`/${person.slug}/settings`)
  await other.close()
})

test('nobody is signed in or made for an address that is unknown, not verified or blocked', async ({ page }) => {
  const [known, blocked] = [await newPerson(pool, ['finance']), await newPerson(pool, ['finance'])]
  must(await blockPerson(pool, { personId: blocked.id, isBlocked: true, actor: SYSTEM_ACTOR }))
  for (const [claims, words] of [
    [{ email: 'stranger@example.com', email_verified: true }, 'Nobody here has the email address of your account at Kora accounts.'],
    [{ email: known.email, email_verified: false }, 'Kora accounts has not verified your email address.'],
    [{ email: known.email }, 'Kora accounts has not verified your email address.'],
    [{ email_verified: true }, 'Kora accounts has not verified your email address.'],
    [{ email: known.email, email_verified: 'true' }, 'You were not signed in with Kora accounts.'],
    [{ email: blocked.email, email_verified: true }, 'This account is blocked.'],
  ] as const) {
    await signInThere(page, claims)
    await expect(page.locator('main').getByRole('alert')).toContainText(words)
    await page.goto(`/${known.slug}`)
    await expect(page).toHaveURL(/\/sign-in/)
  }
  expect((await pool.query("select 1 from people where email = 'stranger@example.com'")).rowCount).toBe(0)
})

test('an ID token with another nonce or another signature, another state and a repeated answer sign nobody in', async ({ page }) => {
  const person = await newPerson(pool, ['finance'])
  const claims = { email: person.email, email_verified: true }
  for (const forgery of ['nonce', 'signature'] as const) {
    provider.forgery = forgery
    await signInThere(page, claims)
    await expect(page.locator('main').getByRole('alert'), forgery).toContainText('You were not signed in with Kora accounts.')
  }
  provider.forgery = null
  const exchanged = provider.exchanged
  provider.isHolding = true
  await signInThere(page, claims)
  await expect(page).toHaveURL(/\/authorize/)
  const [code, state] = ['made up', provider.asked.get('state') ?? '']
  for (const address of [
    `/api/auth/callback/sso?code=${code}&state=another`,
    `/api/auth/callback/sso?code=${code}&state=${state}`,
    `/api/auth/callback/sso?code=${code}`,
    '/api/auth/callback/sso',
    '/api/auth/callback/sso?error=access_denied&state=x',
  ]) {
    await page.goto(address)
    await expect(page.locator('main').getByRole('alert'), address).toContainText('You were not signed in with Kora accounts.')
  }
  expect(provider.exchanged).toBe(exchanged)
  expect(await factorsOf(person)).toEqual([])
})

test('307 to the sign-in page for a start from another site; no address of another site is followed afterwards', async ({
  page,
  request,
}) => {
  const person = await newPerson(pool, ['finance'])
  const answer = await request.get('/api/auth/signin/sso', { headers: { 'sec-fetch-site': 'cross-site' }, maxRedirects: 0 })
  expect([answer.status(), answer.headers()['location']]).toEqual([307, '/sign-in'])
  provider.claims = { email: person.email, email_verified: true }
  await page.goto('/api/auth/signin/sso?next=//evil.example')
  await expect(page).toHaveURL((url) => url.origin === new URL(sandbox.baseUrl).origin && url.pathname !== '/sign-in')
})
