import { Secret, TOTP } from 'otpauth'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import type { Pool } from '#server/database/pool.ts'
import { mailPasswordLink } from '#server/people/sign-in/password-resets.ts'
import { must } from '#server/testing/partner.ts'
import { expect, expectAccessible, signIn, signInByForm, test } from './fixtures.ts'
import { newPerson, sandboxPool } from './people.ts'
import { personWith } from './sandbox.ts'

let pool: Pool
test.beforeAll(async () => {
  pool = await sandboxPool()
})
test.afterAll(() => pool.end())

test('a person signs in and comes to the page they wanted', async ({ page }) => {
  const person = personWith(['finance'])
  await signInByForm(page, person, `/${person.slug}/search?q=12`)
  await expect(page).toHaveURL(`/${person.slug}/search?q=12`)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Search')
})

test('signing in needs no script', async ({ browser, baseURL }) => {
  const context = await browser.newContext({ javaScriptEnabled: false, baseURL: baseURL ?? '' })
  const page = await context.newPage()
  const person = personWith(['finance'])
  await page.goto('/sign-in')
  await page.getByLabel('Email').fill(person.email)
  await page.getByLabel('Password').fill('not the password')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page.getByRole('alert')).toHaveText('Incorrect email or password. Check both and try again.')
  await page.getByLabel('Password').fill(person.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page).toHaveURL(`/${person.slug}`)
  await context.close()
})

test('an address nobody has and a wrong password get the same words', async ({ page }) => {
  await page.goto('/sign-in')
  for (const email of ['nobody@kora.example', personWith(['finance']).email]) {
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password').fill('wrong')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await expect(page.locator('form [role=alert]')).toHaveText('Incorrect email or password. Check both and try again.')
    await expect(page.getByLabel('Password')).toBeFocused()
  }
})

test('a person switches a second factor on when the application demands it, and needs it from then on', async ({
  page,
  browser,
  baseURL,
}) => {
  const person = await newPerson(pool, ['maker'])
  const earlier = await browser.newContext({ baseURL: baseURL ?? '' })
  const elsewhere = await earlier.newPage()
  await signIn(elsewhere, person)
  await signIn(page, person)
  await page.goto('/sign-in/enrol')
  const key = page.locator('[data-secret]')
  const secret = ((await key.textContent()) ?? '').replace(/\s/g, '')
  const totp = new TOTP({ secret: Secret.fromBase32(secret) })
  // A phone cannot scan its own screen.
  const link = page.getByRole('link', { name: 'Open in the app' })
  await expect(link).toBeHidden()
  const { width, height } = page.viewportSize() ?? { width: 1280, height: 720 }
  await page.setViewportSize({ width: 360, height: 760 })
  await expect(link).toHaveAttribute('href', new RegExp(`^otpauth://totp/.*secret=${secret}`))
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
  await page.setViewportSize({ width, height })
  await page.getByLabel('Six-digit code').fill(totp.generate())
  await page.getByLabel('Your password').fill('not the password')
  await page.getByRole('button', { name: 'Turn on' }).click()
  await expect(page.getByText('Incorrect password')).toBeVisible()
  await page.getByLabel('Six-digit code').fill('000000')
  await page.getByLabel('Your password').fill(person.password)
  await page.getByRole('button', { name: 'Turn on' }).click()
  await expect(page.getByText('Incorrect code')).toBeVisible()
  await expectAccessible(page)
  await page.getByLabel('Six-digit code').fill(totp.generate())
  await page.getByLabel('Your password').fill(person.password)
  await page.getByRole('button', { name: 'Turn on' }).click()
  const codes = page.getByRole('main').getByRole('listitem')
  await expect(codes).toHaveCount(10)
  const recoveryCode = (await codes.first().textContent()) ?? ''
  await page.getByRole('link', { name: 'I saved them' }).click()
  await expect(page).toHaveURL(`/${person.slug}`)
  await elsewhere.reload()
  await expect(elsewhere, 'a session from before the second factor ends').toHaveURL(/\/sign-in/)
  await earlier.close()

  const other = await browser.newContext({ baseURL: baseURL ?? '' })
  const second = await other.newPage()
  await signIn(second, person)
  await expect(second).toHaveURL(/second-factor/)
  await expectAccessible(second)
  await second.goto(`/${person.slug}`)
  await expect(second, 'half a session opens nothing').toHaveURL(/\/sign-in\?next=/)
  await signIn(second, person)
  await second.getByRole('link', { name: 'Use a recovery code' }).click()
  await expect(second.getByLabel('Recovery code')).toBeVisible()
  await expectAccessible(second)
  await second.getByLabel('Recovery code').fill(recoveryCode)
  await second.getByRole('button', { name: 'Continue' }).click()
  await expect(second).toHaveURL(`/${person.slug}`)
  await other.close()
})

test('signing out ends the session on the server: its copied cookie gets 401, the other browser goes on', async ({
  page,
  browser,
  baseURL,
}) => {
  // Of its own: ending sessions must not end those of other tests.
  const person = await newPerson(pool, ['checker'])
  const other = await browser.newContext({ baseURL: baseURL ?? '' })
  const second = await other.newPage()
  await signIn(page, person)
  await signIn(second, person)
  const copied = await browser.newContext({ baseURL: baseURL ?? '', storageState: await page.context().storageState() })
  const data = `/api/back-office/${person.slug}/waiting`
  expect((await copied.request.get(data)).status()).toBe(200)
  await page.getByRole('button', { name: 'account menu' }).click()
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await expect(page.getByText('You are signed out.')).toBeVisible()
  expect((await copied.request.get(data)).status()).toBe(401)
  expect((await second.request.get(data)).status()).toBe(200)
  await copied.close()
  await other.close()
})

test('signing out everywhere ends the session of the other browser at once', async ({ page, browser, baseURL }) => {
  // Of its own: ending sessions must not end those of other tests.
  const person = await newPerson(pool, ['checker'])
  const other = await browser.newContext({ baseURL: baseURL ?? '' })
  const second = await other.newPage()
  await signIn(page, person)
  await signIn(second, person)
  await page.getByRole('button', { name: 'account menu' }).click()
  await page.getByRole('button', { name: 'Sign out everywhere' }).click()
  await expect(page.getByText('You are signed out.')).toBeVisible()
  await second.reload()
  await expect(second).toHaveURL(/\/sign-in/)
  await other.close()
})

for (const [locale, heading] of [
  ['en-GB', 'Sign in'],
  ['fr-CM', 'Se connecter'],
] as const) {
  test.describe(locale, () => {
    test.use({ locale })
    test('the sign-in page is in the language of the browser', async ({ page }) => {
      await page.goto('/sign-in')
      await expect(page.getByRole('heading', { level: 1 })).toHaveText(heading)
    })
  })
}

test('a new password is chosen with a link, once; its token is in no address of the browser', async ({ page }) => {
  const person = await newPerson(pool, ['finance'])
  const { token } = must(await mailPasswordLink(pool, { personId: person.id, actor: SYSTEM_ACTOR }))
  await page.goto(`/sign-in/new-password#${token}`)
  await expect(page.getByText(`Choose a new password for ${person.email}.`)).toBeVisible()
  expect(page.url()).not.toContain(token)
  await expectAccessible(page)
  const password = page.getByLabel('New password')
  await password.fill('password1234')
  await page.getByRole('button', { name: 'Save password' }).click()
  await expect(page.getByText('This password is easy to guess.')).toBeVisible()
  await password.fill('seven kind otters swim')
  await page.getByRole('button', { name: 'Save password' }).click()
  await expect(page).toHaveURL(/\/sign-in$/)
  await signInByForm(page, { ...person, password: 'seven kind otters swim' }, `/${person.slug}/settings`)
  await expect(page).toHaveURL(`/${person.slug}/settings`)
  await page.goto(`/sign-in/new-password#${token}`)
  await expect(page.getByText('This link is not valid')).toBeVisible()
})
