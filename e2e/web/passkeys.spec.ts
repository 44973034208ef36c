import type { Page } from 'playwright/test'
import { freePort } from '#server/database/embedded/embedded.ts'
import type { Pool } from '#server/database/pool.ts'
import { type Sandbox, startSandbox } from '#server/testing/service/start-sandbox.ts'
import { expect, expectAccessible, expectAccessibleEverywhere, signInByForm, test, waitForScripts } from './fixtures.ts'
import { newPerson, sandboxPool } from './people.ts'
import { SANDBOX_FOLDER_VARIABLE, SANDBOX_URL_VARIABLE } from './sandbox.ts'

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

test('a device that does not verify its user signs nobody in', async ({ page }) => {
  const device = await attachDevice(page)
  await device.setVerified(false)
  await page.goto('/sign-in')
  await waitForScripts(page)
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await expect(page.locator('main').getByRole('alert')).toHaveText('No passkey was used. Try again, or sign in with your password.')
  await device.detach()
})
