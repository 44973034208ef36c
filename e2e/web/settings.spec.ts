import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright/test'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import type { Pool } from '#server/database/pool.ts'
import { blockPerson, createPerson } from '#server/people/accounts.ts'
import { must } from '#server/testing/partner.ts'
import { expect, expectAccessible, expectAccessibleEverywhere, LOOKS, signIn, test, waitForScripts } from './fixtures.ts'
import { deviceOf, newApplication, newPerson, sandboxPool } from './people.ts'
import { personWith } from './sandbox.ts'

let pool: Pool
test.beforeAll(async () => {
  pool = await sandboxPool()
})
test.afterAll(() => pool.end())

/** Sets up the second factor; returns the code generator and the recovery codes. */
async function setUpSecondFactor(page: Page, password: string): Promise<{ code: () => Promise<string>; recoveryCodes: string[] }> {
  await waitForScripts(page)
  await page.getByRole('button', { name: 'Set up' }).click()
  const code = deviceOf((await page.locator('[data-secret]').textContent()) ?? '')
  await page.getByLabel('Six-digit code').fill('000000')
  await page.getByLabel('Your password').fill(password)
  await page.getByRole('button', { name: 'Turn on', exact: true }).click()
  await expect(page.getByText('Incorrect code.')).toBeVisible()
  await page.getByLabel('Six-digit code').fill(await code())
  await page.getByRole('button', { name: 'Turn on', exact: true }).click()
  return { code, recoveryCodes: await keepCodes(page) }
}

async function keepCodes(page: Page): Promise<string[]> {
  const list = page.getByRole('region', { name: 'Save these recovery codes' })
  await expect(list.getByRole('listitem')).toHaveCount(10)
  const codes = await list.getByRole('listitem').allTextContents()
  const [download] = await Promise.all([page.waitForEvent('download'), list.getByRole('link', { name: 'Save as a file' }).click()])
  const file = await readFile(await download.path(), 'utf8')
  for (const code of codes) expect(file).toContain(code)
  await list.getByRole('button', { name: 'I saved them' }).click()
  await expect(page.getByText('10 unused recovery codes')).toBeVisible()
  return codes
}

test('a second factor: on, needed at sign-in, a recovery code once, new codes, off', async ({ page, browser, baseURL }) => {
  test.slow()
  const person = await newPerson(pool, ['finance'])
  await signIn(page, person)
  await page.getByRole('button', { name: 'account menu' }).click()
  await page.getByRole('link', { name: 'Settings' }).click()
  await expect(page).toHaveURL(`/${person.slug}/settings`)
  const { code, recoveryCodes } = await setUpSecondFactor(page, person.password)
  await page.getByRole('button', { name: 'account menu' }).click()
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await expect(page).toHaveURL(/\/sign-in/)

  await signIn(page, person)
  await expect(page).toHaveURL(/second-factor/)
  await page.getByLabel('Code').fill(await code())
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page).toHaveURL(`/${person.slug}`)

  const other = await browser.newContext({ baseURL: baseURL ?? '' })
  const second = await other.newPage()
  await signIn(second, person)
  await second.getByRole('link', { name: 'Use a recovery code' }).click()
  await second.getByLabel('Recovery code').fill(recoveryCodes[0] ?? '')
  await second.getByRole('button', { name: 'Continue' }).click()
  await expect(second).toHaveURL(`/${person.slug}`)

  await page.goto(`/${person.slug}/settings`)
  await expect(page.getByText('9 unused recovery codes')).toBeVisible()
  await page.getByRole('button', { name: 'Create new recovery codes' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Code', { exact: true }).fill(recoveryCodes[1] ?? '')
  await dialog.getByRole('button', { name: 'Create codes' }).click()
  await expect(dialog.getByText('Incorrect code.'), 'an old recovery code buys no new ones').toBeVisible()
  await dialog.getByLabel('Code', { exact: true }).fill(await code())
  await dialog.getByRole('button', { name: 'Create codes' }).click()
  const newCodes = await keepCodes(page)

  await page.getByRole('button', { name: 'Turn off' }).click()
  await dialog.getByLabel('Code from the app').fill(recoveryCodes[2] ?? '')
  await dialog.getByRole('button', { name: 'Turn off' }).click()
  await expect(dialog.getByText('Incorrect code.'), 'the old codes ended').toBeVisible()
  await dialog.getByLabel('Code from the app').fill(newCodes[0] ?? '')
  await dialog.getByRole('button', { name: 'Turn off' }).click()
  await expect(page.getByText('Second factor turned off.').first()).toBeVisible()
  await expect(page.getByRole('button', { name: 'Set up' }), 'this browser stays signed in').toBeVisible()
  await second.reload()
  await expect(second, 'the other one does not').toHaveURL(/\/sign-in/)
  await signIn(second, person)
  await expect(second).toHaveURL(`/${person.slug}`)
  await other.close()
})

test('language and time zone are the person’s: chosen once, they hold on every page and in every browser', async ({
  page,
  browser,
  baseURL,
}) => {
  const person = await newPerson(pool, ['checker'])
  await signIn(page, person, `/${person.slug}/transactions`)
  const first = page.getByRole('main').locator('time[datetime][title$="UTC"]').first()
  const clock = (at: string, timeZone: string) =>
    new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(new Date(at))
  const at = (await first.getAttribute('datetime')) ?? ''
  await expect(first).toContainText(clock(at, 'Africa/Douala'))
  await page.goto(`/${person.slug}/settings`)
  await page.getByLabel('Language', { exact: true }).selectOption('fr')
  await page.getByLabel('Time zone').selectOption('Asia/Tokyo')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Langue et fuseau horaire enregistrés').first()).toBeVisible()
  await expect(page.locator('html')).toHaveAttribute('lang', 'fr')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Paramètres')

  const other = await browser.newContext({ baseURL: baseURL ?? '' })
  const second = await other.newPage()
  await signIn(second, person, `/${person.slug}/transactions`)
  await expect(second.locator('html')).toHaveAttribute('lang', 'fr')
  const there = second.getByRole('main').locator('time[datetime][title$="UTC"]').first()
  const instant = (await there.getAttribute('datetime')) ?? ''
  await expect(there).toContainText(clock(instant, 'Asia/Tokyo'))
  expect(await there.getAttribute('title'), 'UTC on hover').toContain(clock(instant, 'UTC'))
  await other.close()
})

test('the zone of the device is offered, and the clock there is shown before it is saved', async ({ browser, baseURL }) => {
  const context = await browser.newContext({ baseURL: baseURL ?? '', timezoneId: 'Africa/Kampala', locale: 'en-GB' })
  const page = await context.newPage()
  const person = await newPerson(pool, ['maker'])
  await signIn(page, person, `/${person.slug}/settings`)
  await page.getByRole('button', { name: 'Use this device’s time zone: Africa/Kampala' }).click()
  await expect(page.getByLabel('Time zone')).toHaveValue('Africa/Kampala')
  await expect(page.getByRole('button', { name: 'Use this device’s time zone' })).toHaveCount(0)
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Language and time zone saved').first()).toBeVisible()
  await page.reload()
  await expect(page.getByLabel('Time zone')).toHaveValue('Africa/Kampala')
  await context.close()
})

test('a new password takes the old one, signs the other browser out and keeps this one', async ({ page, browser, baseURL }) => {
  const person = await newPerson(pool, ['maker'])
  const other = await browser.newContext({ baseURL: baseURL ?? '' })
  const second = await other.newPage()
  await signIn(second, person)
  await signIn(page, person, `/${person.slug}/settings`)
  await page.getByRole('button', { name: 'Change password' }).click()
  const dialog = page.getByRole('dialog')
  const submit = dialog.getByRole('button', { name: 'Change password' })
  await dialog.getByLabel('Current password').fill('not this one')
  await dialog.getByLabel('New password').fill('four plain words here')
  await submit.click()
  await expect(dialog.getByText('Incorrect current password')).toBeVisible()
  await dialog.getByLabel('Current password').fill(person.password)
  await dialog.getByLabel('New password').fill('short')
  await submit.click()
  await expect(dialog.getByText('Use at least 12 characters.')).toBeVisible()
  await expectAccessible(page)
  await dialog.getByLabel('New password').fill('four plain words here')
  const listensOn = page.waitForResponse(`**/api/back-office/${person.slug}/waiting`)
  await submit.click()
  await expect(page.getByText('Password changed. Your other sessions have ended.').first()).toBeVisible()
  await expect(dialog).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Change password' })).toBeFocused()
  expect((await listensOn).status(), 'the live page asks, and goes on under the new session').toBe(200)
  await page.reload()
  await expect(page).toHaveURL(`/${person.slug}/settings`)
  await second.reload()
  await expect(second).toHaveURL(/\/sign-in/)
  await signIn(second, { ...person, password: 'four plain words here' })
  await expect(second).toHaveURL(`/${person.slug}`)
  await other.close()
})

test('where an application demands a second factor nothing else happens before: no page, no data, no action', async ({ page }) => {
  const demanding = await newApplication(pool, true)
  const person = await newPerson(pool, ['maker', 'checker', 'finance', 'administrator'])
  const { applicationId, slug, name } = demanding
  must(await createPerson(pool, { ...person, applicationId, roles: ['maker', 'checker', 'finance'], actor: SYSTEM_ACTOR }))
  await signIn(page, person, `/${person.slug}/settings`)
  for (const rest of ['', '/transactions', '/transactions/exports', '/approvals', '/search?q=1', '/settings']) {
    await page.goto(`/${slug}${rest}`)
    await expect(page).toHaveURL((url) => url.pathname === '/sign-in/enrol' && url.searchParams.get('next') === `/${slug}${rest}`)
  }
  await expect(page.getByText(`${name} requires a one-time code at sign-in.`)).toBeVisible()
  for (const rest of ['waiting', 'transactions', 'approvals', 'exports', 'live']) {
    const answer = await page.request.get(`/api/back-office/${slug}/${rest}`)
    expect([rest, answer.status(), await answer.json()]).toEqual([rest, 403, { code: 'second_factor_required' }])
  }
  // The other application does not require a second factor; its action is sent to the address of the one that does.
  await page.goto(`/${person.slug}/settings`)
  await page.route(`**/${person.slug}/settings`, (route) => {
    const body = route.request().postData()
    return body === null ? route.continue() : route.continue({ postData: body.replace(person.slug, slug) })
  })
  await page.getByLabel('Language', { exact: true }).selectOption('fr')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('This application requires a second factor. Reload the page to set it up.')).toBeVisible()
  const { rows } = await pool.query('select locale from people where person_id = $1', [person.id])
  expect(rows).toEqual([{ locale: null }])
  await page.unrouteAll()

  await page.goto(`/${slug}`)
  const code = deviceOf((await page.locator('[data-secret]').textContent()) ?? '')
  await page.getByLabel('Six-digit code').fill(await code())
  await page.getByLabel('Your password').fill(person.password)
  await page.getByRole('button', { name: 'Turn on', exact: true }).click()
  await page.getByRole('link', { name: 'I saved them' }).click()
  await expect(page).toHaveURL(`/${slug}`)
  await page.goto(`/${slug}/settings`)
  await expect(page.getByText(`Required by ${name}`)).toBeVisible()
  await expect(page.getByRole('button', { name: 'Turn off' })).toHaveCount(0)
})

test('a dialog starts in its first field, Enter sends it, and closing asks before typed text is lost', async ({ page }) => {
  const person = await newPerson(pool, ['maker'])
  await signIn(page, person, `/${person.slug}/settings`)
  await page.getByRole('button', { name: 'Change password' }).click()
  const dialog = page.getByRole('dialog')
  const current = dialog.getByLabel('Current password')
  await expect(current).toBeFocused()
  await page.keyboard.type('not this one')
  await page.keyboard.press('Escape')
  await expect(dialog.getByText('Discard what you typed?')).toBeVisible()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Keep editing' }).click()
  await expect(current).toHaveValue('not this one')
  await dialog.getByRole('button', { name: 'Close' }).click()
  await expect(dialog.getByText('Discard what you typed?')).toBeVisible()
  await dialog.getByLabel('New password').fill('four plain words here')
  await page.keyboard.press('Enter')
  await expect(dialog.getByText('Incorrect current password')).toBeVisible()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.getByRole('button', { name: 'Discard', exact: true }).click()
  await expect(dialog).toHaveCount(0)
  await page.getByRole('button', { name: 'Change password' }).click()
  await expect(current).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(dialog, 'nothing was typed').toHaveCount(0)
})

test('a toast at the foot of a page covers none of its buttons', async ({ page }) => {
  const person = await newPerson(pool, ['maker'])
  await page.setViewportSize({ width: 360, height: 640 })
  await signIn(page, person, `/${person.slug}/settings`)
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('region', { name: 'Notifications' }).getByRole('listitem')).toBeVisible()
  const covered = await page.evaluate(() => {
    scrollTo(0, document.documentElement.scrollHeight)
    return [...document.querySelectorAll<HTMLButtonElement>('main button')]
      .filter((button) => {
        const { left, top, width, height, bottom } = button.getBoundingClientRect()
        const isOnScreen = top >= 0 && bottom <= innerHeight
        return isOnScreen && !button.contains(document.elementFromPoint(left + width / 2, top + height / 2))
      })
      .map((button) => button.textContent)
  })
  expect(covered).toEqual([])
})

test('a block ends the session at the next request, of a page, of data and of an action', async ({ page }) => {
  const person = await newPerson(pool, ['checker'])
  await signIn(page, person, `/${person.slug}/settings`)
  must(await blockPerson(pool, { personId: person.id, isBlocked: true, actor: SYSTEM_ACTOR }))
  expect((await page.request.get(`/api/back-office/${person.slug}/waiting`)).status()).toBe(401)
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Your session has ended. Sign in again.')).toBeVisible()
  const opening = page.waitForEvent('popup')
  await page.getByRole('main').getByRole('link', { name: 'Sign in' }).click()
  await expect(await opening, 'in another window: this one keeps what was typed').toHaveURL(
    `/sign-in?next=${encodeURIComponent(`/${person.slug}/settings`)}`,
  )
})

test('a session ends after 30 minutes without use: background loads of an open page do not count, actions of its person do', async ({
  page,
}) => {
  const person = await newPerson(pool, ['checker'])
  await signIn(page, person, `/${person.slug}/settings`)
  const isRecent = async () =>
    (
      await pool.query<{ is: boolean }>(
        "select last_used_at > now() - interval '1 minute' as is from person_sessions where person_id = $1",
        [person.id],
      )
    ).rows[0]?.is
  const idle = (minutes: number) =>
    pool.query('update person_sessions set last_used_at = now() - make_interval(mins => $2) where person_id = $1', [person.id, minutes])
  const load = (headers: Record<string, string>) =>
    page.request.get(`/api/back-office/${person.slug}/waiting`, { headers: { accept: 'application/json', ...headers } })
  await idle(20)
  expect((await load({})).status()).toBe(200)
  expect(await isRecent()).toBe(false)
  expect((await load({ 'x-page-in-use': '1' })).status()).toBe(200)
  expect(await isRecent()).toBe(true)
  await idle(32)
  expect((await load({ 'x-page-in-use': '1' })).status()).toBe(401)
  await page.reload()
  await expect(page.getByText('Your session has ended. Sessions end after 30 minutes without use')).toBeVisible()
})

test('told on every page until it is answered: twenty wrong codes in a row were entered for the account', async ({ page }) => {
  const person = await newPerson(pool, ['maker'])
  await pool.query('update people set codes_guessed_at = now() where person_id = $1', [person.id])
  await signIn(page, person, `/${person.slug}/transactions`)
  const notice = page.getByRole('alert').filter({ hasText: '20 wrong one-time codes' })
  await expect(notice.getByRole('link', { name: 'Change password' })).toHaveAttribute('href', `/${person.slug}/settings`)
  await expectAccessible(page)
  await notice.getByRole('button', { name: 'It was me' }).click()
  await expect(notice).toHaveCount(0)
  await page.reload()
  await expect(notice).toHaveCount(0)
})

test('a page that does not exist or may not be seen says so with its status', async ({ page }) => {
  const person = personWith(['maker'])
  await signIn(page, person)
  const unknown = '01990000-0000-7000-8000-000000000000'
  for (const rest of [`transactions/${unknown}`, 'transactions/nonsense', 'nothing-here', 'totals/nothing/here']) {
    const answer = await page.goto(`/${person.slug}/${rest}`)
    expect([rest, answer?.status()]).toEqual([rest, 404])
    await expect(page.getByRole('navigation', { name: 'Main navigation' }).first(), 'inside the frame').toBeVisible()
  }
  const refused = await page.goto(`/${person.slug}/balances/MOMOCM`)
  expect(refused?.status()).toBe(403)
  await expect(page.getByRole('heading', { level: 1, name: 'Your roles do not include this page' })).toBeVisible()
  expect((await page.goto('/no-such-application/transactions'))?.status()).toBe(404)
})

test('the choice of application is in the address: two tabs show two, and settings lead over', async ({ page, context }) => {
  const person = personWith(['finance'])
  await signIn(page, person, `/${person.slug}/settings`)
  const tab = await context.newPage()
  await tab.goto('/teranga-logistics/settings')
  await expect(tab.getByText('Finance · Teranga Logistics')).toBeVisible()
  await page.reload()
  await expect(page.getByText(`Finance · ${person.application}`)).toBeVisible()
  await page.getByRole('main').getByRole('link', { name: 'Teranga Logistics' }).click()
  await expect(page).toHaveURL('/teranga-logistics/settings')
  await expect(page.getByText('Finance · Teranga Logistics')).toBeVisible()
})

for (const { locale, colorScheme } of LOOKS) {
  test.describe(`${locale} ${colorScheme}`, () => {
    test.use({ locale, colorScheme })
    test('setting up a second factor, its codes and its questions are accessible at every width', async ({ page }) => {
      const words = locale === 'en-GB' ? EN : FR
      const person = await newPerson(pool, ['administrator'])
      await signIn(page, person, `/${person.slug}/settings`)
      await page.getByRole('button', { name: words.setUp }).click()
      const code = deviceOf((await page.locator('[data-secret]').textContent()) ?? '')
      await expectAccessibleEverywhere(page)
      await page.locator('#enrol-password').fill(person.password)
      await page.locator('#enrol-code').fill(await code())
      await page.locator('#enrol-code').press('Enter')
      await expect(page.locator('#recovery-codes')).toBeVisible()
      await expectAccessibleEverywhere(page)
      await page.getByRole('button', { name: words.kept }).click()
      await page.getByRole('button', { name: words.off, exact: true }).click()
      await expect(page.getByRole('dialog')).toBeVisible()
      await expectAccessibleEverywhere(page)
    })
  })
}

const EN = { setUp: 'Set up', kept: 'I saved them', off: 'Turn off' }
const FR = { setUp: 'Configurer', kept: 'Je les ai conservés', off: 'Désactiver' }
