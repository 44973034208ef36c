import { expect, expectAccessible, expectAccessibleEverywhere, LOOKS, searchByKeys, signIn, test, waitForScripts } from './fixtures.ts'
import { personWith } from './sandbox.ts'

test('the whole frame works by keyboard, and focus comes back to where it was', async ({ page }) => {
  const person = personWith(['checker'])
  await signIn(page, person)
  await page.keyboard.press('Tab')
  await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.locator('#content')).toBeFocused()
  await expect(async () => {
    await page.keyboard.press('?')
    await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible({ timeout: 250 })
  }).toPass()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await page.getByRole('button', { name: 'account menu' }).press('Enter')
  await page.getByRole('button', { name: 'Keyboard shortcuts' }).press('Enter')
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'account menu' }).press('Enter')
  await expect(page.getByRole('button', { name: 'Sign out', exact: true })).toBeVisible()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: 'account menu' })).toBeFocused()
  await searchByKeys(page, 'nothing like it')
  await expect(page.getByText('No transaction matches “nothing like it”')).toBeVisible()
  await waitForScripts(page)
  await page.locator('h1').click()
  await page.keyboard.press('g')
  await page.keyboard.press('o')
  await expect(page).toHaveURL(`/${person.slug}`)
})

test('the list and the panel of the approvals are three keys away, and no page offers to skip to what it has not', async ({ page }) => {
  const person = personWith(['checker'])
  await signIn(page, person, `/${person.slug}/approvals`)
  await expect(page.locator('tbody tr').first()).toBeVisible()
  for (const [presses, name, target] of [
    [2, 'Skip to the list', '#list'],
    [3, 'Skip to the panel', '#approval-panel'],
  ] as const) {
    await page.goto(`/${person.slug}/approvals`)
    // The list is streamed out of sight and moved to its place: a key before that would focus what is about to move.
    await expect(page.locator('#list')).toBeVisible()
    for (let press = 0; press < presses; press++) await page.keyboard.press('Tab')
    await expect(page.getByRole('link', { name })).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(page.locator(target)).toBeFocused()
  }
  await page.goto(`/${person.slug}/balances`)
  await expect(page.getByRole('link', { name: 'Skip to content' })).toHaveCount(1)
  await expect(page.getByRole('link', { name: 'Skip to the panel' })).toHaveCount(0)
})

test('every page prints the company, the person and the time, once', async ({ page }) => {
  const person = personWith(['finance'])
  await signIn(page, person)
  for (const rest of [
    '',
    '/transactions',
    '/transactions/exports',
    '/approvals',
    '/totals',
    '/balances',
    '/balances/MOMOCM',
    '/settings',
  ]) {
    await page.emulateMedia({ media: 'screen' })
    await page.goto(`/${person.slug}${rest}`)
    await page.emulateMedia({ media: 'print' })
    await expect(page.getByText(`${person.application} · Printed by ${person.name}`), rest).toBeVisible()
    await expect(page.getByText(/^Printed on \d+ \w+ \d{4}, .* \(.+\)$/), rest).toBeVisible()
  }
})

test('theme and language are remembered, and the first paint already has them', async ({ page }) => {
  const person = personWith(['administrator'], 0, 1)
  await signIn(page, person)
  await page.getByRole('button', { name: 'account menu' }).click()
  await page.getByRole('button', { name: 'Dark' }).click()
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')
  await page.getByRole('button', { name: 'Français', exact: true }).click()
  await expect(page.locator('html')).toHaveAttribute('lang', 'fr')
  const html = await (await page.request.get(`/${person.slug}`)).text()
  expect(html).toMatch(/<html lang="fr" data-theme="dark"/)
  await expect(page.getByRole('link', { name: 'Validations' }).first()).toBeVisible()
})

test('the language changes only after it is chosen in the menu', async ({ page }) => {
  await signIn(page, personWith(['administrator'], 0, 1))
  const html = page.locator('html')
  const before = (await html.getAttribute('lang')) ?? ''
  for (const [language, lang] of [
    ['Français', 'fr'],
    ['English', 'en'],
  ] as const) {
    await page.getByRole('button', { name: /^(EN|FR)/ }).click()
    await expect(html).toHaveAttribute('lang', lang === 'fr' ? before : 'fr')
    await expectAccessible(page)
    await page.getByRole('button', { name: language, exact: true }).click()
    await expect(html).toHaveAttribute('lang', lang)
    await page.keyboard.press('Escape')
  }
})

test('somebody in two applications switches, and an application of others is not there', async ({ page }) => {
  const person = personWith(['finance'])
  await signIn(page, person)
  await page.getByRole('button', { name: 'Switch application' }).click()
  await page.getByRole('link', { name: 'Teranga Logistics' }).click()
  await expect(page).toHaveURL('/teranga-logistics')
  const outsider = personWith(['checker'])
  await page.context().clearCookies()
  await signIn(page, outsider)
  expect((await page.request.get('/teranga-logistics')).status()).toBe(404)
  expect((await page.request.get('/api/back-office/teranga-logistics/waiting')).status()).toBe(404)
})

test('a lost connection is said, and its return too', async ({ page, context }) => {
  await signIn(page, personWith(['checker']))
  await context.setOffline(true)
  await expect(page.getByText('You are offline.')).toBeVisible()
  await context.setOffline(false)
  await expect(page.getByText('You are offline.')).toHaveCount(0)
})

test('what the search box does not find as an id leads on to the list: part of a name, or the start of a phone', async ({ page }) => {
  const person = personWith(['administrator'])
  await signIn(page, person)
  for (const [typed, link, rows] of [
    ['ouedraogo zz', 'Names containing ouedraogo zz', 0],
    ['Mbarga', 'Names containing Mbarga', 1],
    ['+237 6', 'Phone numbers starting with 2376', 1],
  ] as const) {
    await page.goto(`/${person.slug}/search?q=${encodeURIComponent(typed)}`)
    await page.getByRole('link', { name: link }).click()
    await expect(page.getByRole('heading', { name: 'Transactions', level: 1 })).toBeVisible()
    if (rows > 0) await expect(page.locator('tbody tr').first()).toBeVisible()
    else await expect(page.getByText('No transactions match these filters')).toBeVisible()
  }
})

test('every answer carries a policy without inline exceptions, and the other headers', async ({ page, request }) => {
  const response = await request.get('/sign-in?next=%2F')
  const headers = response.headers()
  expect(headers['content-security-policy']).not.toMatch(/unsafe/)
  expect(headers['content-security-policy']).toMatch(/script-src 'self' 'nonce-[\w+/=]+' 'strict-dynamic'/)
  expect(headers['x-content-type-options']).toBe('nosniff')
  expect(headers['x-frame-options']).toBe('DENY')
  expect(headers['referrer-policy']).toBe('same-origin')
  expect(headers['cache-control']).toContain('no-store')
  expect(headers['x-powered-by']).toBeUndefined()
  expect(await (await request.get('/sign-in?next=%2F')).headers()['content-security-policy'], 'a fresh nonce each time').not.toBe(
    headers['content-security-policy'],
  )
  expect(await response.text()).not.toMatch(/\sstyle="/)
  await page.goto('/sign-in?next=%2F')
  expect(await page.evaluate(() => document.querySelectorAll('script:not([nonce])').length)).toBe(0)
})

test('a page that is kept for every reader runs all of its scripts, by their hashes', async ({ page, request }) => {
  const policy = (await request.get('/sign-in')).headers()['content-security-policy']
  expect(policy).toMatch(/script-src 'self'(?: 'sha256-[\w+/=]{44}')+; style-src 'self';/)
  expect(policy).not.toMatch(/unsafe|nonce/)
  const refused: string[] = []
  page.on('console', (message) => {
    if (/Content Security Policy/i.test(message.text())) refused.push(message.text())
  })
  for (const path of ['/sign-in', '/docs']) await page.goto(path, { waitUntil: 'networkidle' })
  expect(refused).toEqual([])
})

// A page of its own: each test fails on what its page logs as an error, and this refusal is one.
test('a script that is added to a page that is kept for every reader is refused', async ({ browser, baseURL }) => {
  const page = await browser.newPage({ baseURL: baseURL ?? '' })
  await page.goto('/sign-in')
  const refused = page.waitForEvent('console', (message) => message.type() === 'error' && /Content Security Policy/i.test(message.text()))
  await page.evaluate(() => {
    const script = document.createElement('script')
    script.textContent = 'document.title = "added"'
    document.body.append(script)
  })
  await refused
  expect(await page.title()).not.toBe('added')
  await page.close()
})

for (const look of LOOKS) {
  test.describe(`${look.locale} ${look.colorScheme}`, () => {
    test.use(look)
    test('an address with nothing at it, and a page that the roles do not include, are accessible at every width', async ({ page }) => {
      const person = personWith(['maker'])
      await signIn(page, person)
      for (const [rest, status] of [
        ['nothing-here', 404],
        ['balances/MOMOCM', 403],
      ] as const) {
        expect((await page.goto(`/${person.slug}/${rest}`))?.status()).toBe(status)
        await expect(page.locator('h1')).toHaveCount(1)
        await expectAccessibleEverywhere(page)
      }
    })
  })
}
