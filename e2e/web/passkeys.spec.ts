import type { Page, Request } from 'playwright/test'
import { proposeChange } from '#server/changes/propose-change.ts'
import { freePort } from '#server/database/embedded/embedded.ts'
import type { Pool } from '#server/database/pool.ts'
import { must } from '#server/testing/partner.ts'
import { type Sandbox, startSandbox } from '#server/testing/service/start-sandbox.ts'
import { expect, expectAccessible, expectAccessibleEverywhere, signInByForm, test, waitForScripts } from './fixtures.ts'
import { newApplication, newPerson, sandboxPool } from './people.ts'
import { SANDBOX_FOLDER_VARIABLE, SANDBOX_URL_VARIABLE, type SandboxPerson } from './sandbox.ts'
import { giveDevice, newQueue, panelOf, rowOf, sendButton } from './waiting.ts'

// Browsers have no passkeys for an address without a name, which is where the other specs meet their sandbox.
test.describe.configure({ mode: 'serial' })
const shared: Record<typeof SANDBOX_URL_VARIABLE | typeof SANDBOX_FOLDER_VARIABLE, string | undefined> = {
  [SANDBOX_URL_VARIABLE]: process.env[SANDBOX_URL_VARIABLE],
  [SANDBOX_FOLDER_VARIABLE]: process.env[SANDBOX_FOLDER_VARIABLE],
}
let sandbox: Sandbox
let pool: Pool
test.beforeAll(async () => {
  const port = await freePort()
  const baseUrl = `http://localhost:${port}`
  sandbox = await startSandbox({ port, environment: { PUBLIC_URL: baseUrl }, readiness: 'pages' })
  process.env[SANDBOX_URL_VARIABLE] = baseUrl
  process.env[SANDBOX_FOLDER_VARIABLE] = sandbox.folder
  pool = await sandboxPool()
})
test.afterAll(async () => {
  await pool.end()
  await sandbox.stop()
  // Another spec may follow in this process.
  Object.assign(process.env, shared)
})

type Device = { setVerified(isVerified: boolean): Promise<void>; detach(): Promise<void> }

/** A device of Chromium's own that keeps passkeys and verifies its user. */
async function attachDevice(page: Page): Promise<Device> {
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return {
    setVerified: (isUserVerified) => session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }).then(() => undefined),
    detach: () => session.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId }).then(() => undefined),
  }
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'account menu' }).click()
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await expect(page.getByText('You are signed out.')).toBeVisible()
  await waitForScripts(page)
}

test('a person adds a passkey with their password, signs in with it, removes it, and cannot sign in with it any longer', async ({
  page,
}) => {
  test.slow()
  const device = await attachDevice(page)
  const person = await newPerson(pool, ['finance'])
  await signInByForm(page, person, `/${person.slug}/settings`)
  await expect(page.getByText('No passkeys')).toBeVisible()
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add a passkey' })
  await dialog.getByLabel('Name of the passkey').fill('Telephone')
  await dialog.getByLabel('Your password').fill('not the password')
  await dialog.getByRole('button', { name: 'Continue', exact: true }).click()
  await expect(dialog.getByText('Incorrect password')).toBeVisible()
  await expectAccessible(page)
  await dialog.getByLabel('Your password').fill(person.password)
  await dialog.getByRole('button', { name: 'Continue', exact: true }).click()
  await expect(page.getByRole('region', { name: 'Notifications' }).getByText('Passkey added')).toBeVisible()
  const section = page.getByRole('region', { name: 'Passkeys' })
  await expect(section.getByText('Telephone')).toBeVisible()
  await expect(section.getByText('never used')).toBeVisible()
  await expectAccessibleEverywhere(page)

  await signOut(page)
  await page.goto(`/sign-in?next=/${person.slug}/settings`)
  await waitForScripts(page)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await expect(page).toHaveURL(`/${person.slug}/settings`)
  await waitForScripts(page)
  await expect(section.getByText('last used')).toBeVisible()

  await page.getByRole('button', { name: 'Remove the passkey Telephone' }).click()
  const removal = page.getByRole('dialog', { name: 'Remove the passkey Telephone' })
  await removal.getByLabel('Your password').fill(person.password)
  await removal.getByRole('button', { name: 'Remove' }).click()
  await expect(page.getByRole('region', { name: 'Notifications' }).getByText('Passkey removed.')).toBeVisible()
  await expect(section.getByText('No passkeys')).toBeVisible()

  await signOut(page)
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await expect(page.locator('main').getByRole('alert')).toHaveText('This passkey was not accepted. Sign in with your password.')
  await device.detach()
})

/** Signs in with the password and adds the passkey of the device. */
async function addPasskey(page: Page, person: SandboxPerson): Promise<void> {
  await signInByForm(page, person, `/${person.slug}/settings`)
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add a passkey' })
  await dialog.getByLabel('Name of the passkey').fill('Telephone')
  await dialog.getByLabel('Your password').fill(person.password)
  await dialog.getByRole('button', { name: 'Continue', exact: true }).click()
  await expect(page.getByRole('region', { name: 'Notifications' }).getByText('Passkey added')).toBeVisible()
}

const BY_PASSKEY = 'Required by a rule: your passkey, for this transaction only.'

test('a checker validates a payment whose rule requires a code by their passkey, and without one that verified them nothing is decided', async ({
  page,
}) => {
  test.slow()
  const device = await attachDevice(page)
  const queue = await newQueue(pool)
  const ids = await queue.wait([{ name: 'Amadou Ngassa' }, { name: 'Kossi Adjovi' }], {
    needsCode: true,
    rule: { name: 'Very large payout', parts: [] },
  })
  await addPasskey(page, queue.checker)
  await page.goto(`/${queue.slug}/approvals`)
  await waitForScripts(page)
  const panel = panelOf(page)
  await rowOf(page, ids[0]).getByRole('button', { name: 'Validate' }).click()
  await expect(panel.getByText(BY_PASSKEY)).toBeVisible()
  await expect(panel.getByLabel('One-time code')).toHaveCount(0)
  await sendButton(page).click()
  await expect(panel.getByText('Required', { exact: true })).toBeVisible()
  await panel.getByLabel('Payee note').fill('Contract seen')
  await device.setVerified(false)
  await sendButton(page).click()
  await expect(panel.getByRole('alert')).toHaveText('No passkey was used. Try again.')
  expect(await queue.statusOf(ids[0] ?? '')).toBe('PENDING_APPROVAL')
  await device.setVerified(true)
  await sendButton(page).click()
  await expect(rowOf(page, ids[0])).toHaveCount(0)

  // With an authenticator app as well, either will do.
  await giveDevice(pool, queue.checker)
  await page.reload()
  await waitForScripts(page)
  await rowOf(page, ids[1]).getByRole('button', { name: 'Validate' }).click()
  await expect(panel.getByLabel('One-time code')).toBeVisible()
  await panel.getByLabel('Payee note').fill('Contract seen')
  await panel.getByRole('button', { name: 'Use a passkey' }).click()
  await expect(rowOf(page, ids[1])).toHaveCount(0)
  const { rows } = await pool.query(
    `select (select array_agg(used_code) from approval_decisions where application_id = $1) as used,
       (select array_agg(details ->> 'name') from audit_entries where application_id = $1 and action = 'approvals.passkey_used') as names`,
    [queue.applicationId],
  )
  expect(rows).toEqual([{ used: [true, true], names: ['Telephone', 'Telephone'] }])
  await device.detach()
})

/** Holds what the page asks the service back, until the returned function is called. */
async function holdActions(page: Page): Promise<() => Promise<void>> {
  const isAction = (request: Request) => request.method() === 'POST' && new URL(request.url()).pathname.endsWith('/approvals')
  const released = Promise.withResolvers<void>()
  const asked = page.waitForRequest(isAction)
  await page.route('**/approvals*', async (route) => {
    if (isAction(route.request())) await released.promise
    await route.fallback()
  })
  return async () => {
    const answered = asked.then((request) => request.response())
    released.resolve()
    await answered
    await page.unroute('**/approvals*')
  }
}

test('nothing is validated by a passkey that the person was asked for before they turned to another payment or another selection', async ({
  page,
}) => {
  test.slow()
  const device = await attachDevice(page)
  const queue = await newQueue(pool)
  const ids = await queue.wait([{ name: 'Amadou Ngassa' }, { name: 'Kossi Adjovi' }, { name: 'Awa Diop' }], { needsCode: true })
  await addPasskey(page, queue.checker)
  await page.goto(`/${queue.slug}/approvals`)
  await waitForScripts(page)
  const othersWait = async () =>
    expect(await Promise.all([ids[0], ids[2]].map((id) => queue.statusOf(id ?? '')))).toEqual(['PENDING_APPROVAL', 'PENDING_APPROVAL'])
  const askFor = async () => {
    await panelOf(page).getByLabel('Payee note').fill('Contract seen')
    const release = await holdActions(page)
    await sendButton(page).click()
    return release
  }
  await rowOf(page, ids[0]).getByRole('button', { name: 'Validate' }).click()
  const release = await askFor()
  await rowOf(page, ids[1]).getByRole('button', { name: 'Validate' }).click()
  await expect(panelOf(page)).toContainText('Kossi Adjovi')
  await release()
  await panelOf(page).getByLabel('Payee note').fill('Contract seen')
  await sendButton(page).click()
  await expect(rowOf(page, ids[1])).toHaveCount(0)
  await othersWait()

  await rowOf(page, ids[0]).getByRole('checkbox').check()
  const releaseSelection = await askFor()
  await rowOf(page, ids[2]).getByRole('checkbox').check()
  await expect(panelOf(page)).toContainText('2 selected')
  await releaseSelection()
  await expect(panelOf(page).getByRole('alert')).toHaveText(
    'What you were confirming has changed. Nothing was sent. Check it and try again.',
  )
  await othersWait()
  await device.detach()
})

test('somebody with a passkey only signs in with it where a second factor is required, and confirms a change with it', async ({ page }) => {
  test.slow()
  const device = await attachDevice(page)
  const { applicationId } = await newApplication(pool)
  const [proposer, person] = [
    await newPerson(pool, ['administrator'], applicationId, 'Awa Kaboré'),
    await newPerson(pool, ['administrator'], applicationId, 'Mariam Diallo'),
  ]
  const actor = { kind: 'person', id: proposer.id, applicationId, roles: ['administrator'] } as const
  must(await proposeChange(pool, { applicationId, kind: 'key.create', input: { name: 'Depot' }, actor }))
  await addPasskey(page, person)
  await pool.query('update applications set requires_second_factor = true where application_id = $1', [applicationId])
  await page.goto(`/${person.slug}/keys`)
  await waitForScripts(page)
  await expect(page.getByRole('heading', { name: 'Sign in with your passkey' })).toBeVisible()
  await expect(page.getByLabel('Six-digit code from the app')).toHaveCount(0)
  await expectAccessibleEverywhere(page)
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await expect(page).toHaveURL(`/${person.slug}/keys`)
  await waitForScripts(page)

  await page.getByRole('button', { name: 'Confirm', exact: true }).click()
  await page.getByRole('dialog', { name: 'Confirm: New API key' }).getByRole('button', { name: 'Confirm' }).click()
  const dialog = page.getByRole('dialog', { name: 'Confirm it is you' })
  await expect(dialog.getByLabel('One-time code')).toHaveCount(0)
  await expectAccessible(page)
  await device.setVerified(false)
  await dialog.getByRole('button', { name: 'Use a passkey' }).click()
  await expect(dialog.getByText('No passkey was used. Try again.')).toBeVisible()
  await expect(page.getByRole('dialog', { name: 'Confirm: New API key' })).toBeVisible()
  await device.setVerified(true)
  await dialog.getByRole('button', { name: 'Use a passkey' }).click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Confirm', exact: true })).toHaveCount(0)
  const { rows } = await pool.query(
    "select actor_id as actor, details ->> 'withPasskey' as passkey from audit_entries where application_id = $1 and action = 'change.confirmed'",
    [applicationId],
  )
  expect(rows).toEqual([{ actor: person.id, passkey: 'Telephone' }])
  await device.detach()
})

test('a device that does not verify its user signs nobody in', async ({ page }) => {
  const device = await attachDevice(page)
  await device.setVerified(false)
  await page.goto('/sign-in')
  await waitForScripts(page)
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await expect(page.locator('main').getByRole('alert')).toHaveText('No passkey was used. Try again, or sign in with your password.')
  await device.detach()
})
