import type { Page } from 'playwright/test'
import type { Pool } from '#server/database/pool.ts'
import { makeFileBatch } from '#server/testing/batches/file-batch.ts'
import { expect, expectAccessible, moveToFirstRow, signIn, test, waitForScripts } from './fixtures.ts'
import { newPerson, sandboxPool } from './people.ts'
import { personWith, type SandboxPerson, sandboxUrl } from './sandbox.ts'
import { newQueue, openApprovals, panelOf, rowOf, sendButton } from './waiting.ts'

test.describe.configure({ mode: 'default' })

let pool: Pool
test.beforeAll(async () => {
  pool = await sandboxPool()
})
test.afterAll(() => pool.end())

/** The longest delay that still feels like an immediate response. */
const FEEDBACK_MS = 100

/** A checker with the beginning of a note about the one transaction of a new queue. */
async function typeNote(page: Page) {
  const queue = await newQueue(pool)
  await queue.wait([{ name: 'Amadou Ngassa' }])
  await openApprovals(page, queue.checker)
  await waitForScripts(page)
  const note = panelOf(page).getByLabel('Payee note')
  await note.fill('Invoice 118 seen')
  return { queue, note }
}

async function openSettings(page: Page, person: SandboxPerson): Promise<void> {
  await signIn(page, person, `/${person.slug}/settings`)
}

test('offline, a link leaves the page as it is; connected again, the link is followed', async ({ page, context }) => {
  const person = await newPerson(pool, ['finance'])
  await openSettings(page, person)
  await context.setOffline(true)
  await page.getByRole('link', { name: 'Totals' }).first().click()
  await expect(page.getByText('You are offline, so the page was not opened.')).toBeVisible()
  await expectAccessible(page)
  await expect(page).toHaveURL(`/${person.slug}/settings`)
  await context.setOffline(false)
  await expect(page.getByRole('heading', { level: 1, name: 'Totals' })).toBeVisible()
})

test('a note typed before the connection was lost is kept: a link is offered again, and followed only on request', async ({
  page,
  context,
}) => {
  const { note } = await typeNote(page)
  await context.setOffline(true)
  await page.getByRole('link', { name: 'Totals' }).first().click()
  await expect(page.getByText('You are offline, so the page was not opened.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Open the page' })).toBeDisabled()
  await context.setOffline(false)
  await expect(page.getByText('You are connected again.')).toBeVisible()
  await expect(note).toHaveValue('Invoice 118 seen')
  await page.getByRole('button', { name: 'Open the page' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Totals' })).toBeVisible()
})

test('the service does not answer while the browser is online: links, keys and a search keep what was typed, and are offered again', async ({
  page,
}) => {
  const { queue, note } = await typeNote(page)
  const lost = page.getByText('The service cannot be reached, so the page was not opened.')
  // Nothing listens there; then a proxy whose service is away.
  await page.route('**/*', (route) => route.abort('connectionrefused'))
  await page.getByRole('link', { name: 'Totals' }).first().click()
  await expect(lost).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(lost).toBeVisible()
  await page.getByRole('button', { name: 'Stay here' }).click()
  await page.unroute('**/*')
  await page.route('**/*', (route) => route.fulfill({ status: 502, body: 'Bad Gateway' }))
  await page.getByRole('heading', { level: 1 }).click()
  await page.keyboard.press('g')
  await page.keyboard.press('b')
  await expect(lost).toBeVisible()
  await page.getByRole('button', { name: 'Stay here' }).click()
  await page.locator('input[name=q]:visible').fill('Awa')
  await page.keyboard.press('Enter')
  await expect(lost).toBeVisible()
  await page.unroute('**/*')
  await expect(page.getByText('You are connected again.')).toBeVisible()
  await expect(page).toHaveURL(`/${queue.slug}/approvals`)
  await expect(note).toHaveValue('Invoice 118 seen')
  await page.getByRole('button', { name: 'Open the page' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Search' })).toBeVisible()
})

test('offline, no form, key or button of any page leads away from what was typed', async ({ page, context }) => {
  const person = await newPerson(pool, ['maker'])
  const offline = page.getByText('You are offline, so the page was not opened.')
  await signIn(page, person, `/${person.slug}/new`)
  await waitForScripts(page)
  const name = page.getByLabel('Name', { exact: true })
  await name.fill('Kossi Adjovi')
  await page.getByRole('button', { name: 'Save draft' }).click()
  await expect(page.getByRole('region', { name: 'Notifications' }).getByText('Draft saved')).toBeVisible()
  await page.goto(`/${person.slug}/new`)
  await waitForScripts(page)
  await name.fill('Kossi Agbossou')
  await context.setOffline(true)
  await page.getByRole('button', { name: 'Save draft' }).click()
  await expect(page.getByText('it is not certain whether this was saved')).toBeVisible()
  await page.getByRole('button', { name: 'Delete Kossi Adjovi' }).click()
  await expect(page.getByText('it is not certain whether this was saved')).toHaveCount(2)
  await page.getByRole('button', { name: /account menu$/ }).click()
  await page.getByRole('button', { name: 'Dark', exact: true }).click()
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await page.keyboard.press('Escape')
  await page.getByRole('heading', { level: 1 }).click()
  await page.keyboard.press('g')
  await page.keyboard.press('t')
  await expect(offline).toBeVisible()
  await page.getByRole('button', { name: 'Stay here' }).click()
  await page.locator('input[name=q]:visible').fill('Awa')
  await page.keyboard.press('Enter')
  await expect(offline).toBeVisible()
  await context.setOffline(false)
  await expect(page.getByText('You are connected again.')).toBeVisible()
  await expect(name).toHaveValue('Kossi Agbossou')
  await expect(page.getByRole('heading', { level: 1, name: 'New payment' })).toBeVisible()
})

test('offline, a batch is as it was: its draft, and a note about its decision', async ({ browser }) => {
  const person = personWith(['maker'])
  // Not the page of the fixture: the browser reports the code that it could not load.
  const page = await (await browser.newContext({ baseURL: sandboxUrl() })).newPage()
  await signIn(page, person, `/${person.slug}/batches?q=Primes`)
  await page.getByRole('link', { name: 'Primes du trimestre' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Primes du trimestre' })).toBeVisible()
  await waitForScripts(page)
  await page.context().setOffline(true)
  await page
    .getByRole('button', { name: /^Accept/ })
    .first()
    .click()
  await expect(page.getByText('it is not certain whether this was saved')).toBeVisible()
  await page.getByRole('button', { name: /^Edit/ }).first().click()
  await expect(page.getByText('This part could not be loaded.')).toBeVisible()
  await expect(page.getByRole('heading', { level: 1, name: 'Primes du trimestre' })).toBeVisible()
  const queue = await newQueue(pool)
  const { batchId } = await makeFileBatch(pool, { applicationId: queue.applicationId, makerId: queue.maker.id, count: 2 })
  const screen = await (await browser.newContext({ baseURL: sandboxUrl() })).newPage()
  await signIn(screen, queue.checker, `/${queue.slug}/approvals/batches/${batchId}`)
  await screen.getByRole('button', { name: 'Validate', exact: true }).click()
  await screen.getByLabel('Payee note').fill('List seen')
  await screen.context().setOffline(true)
  await expect(screen.getByText('No connection: nothing can be decided.')).toBeVisible()
  await expect(screen.getByRole('button', { name: /^Validate 2/ })).toBeDisabled()
  await screen.context().setOffline(false)
  await expect(screen.getByLabel('Payee note')).toHaveValue('List seen')
  await screen.getByRole('button', { name: /^Validate 2/ }).click()
  await expect(screen.getByText('2 rows validated')).toBeVisible()
  for (const each of [page, screen]) await each.context().close()
})

test('signed out in one window while a note is typed in another: the note survives signing in again, and is sent', async ({
  page,
  context,
}) => {
  const queue = await newQueue(pool)
  const [first] = await queue.wait([{ name: 'Amadou Ngassa' }])
  await openApprovals(page, queue.checker)
  await waitForScripts(page)
  const note = panelOf(page).getByLabel('Payee note')
  await note.fill('Invoice 118 seen')
  const other = await context.newPage()
  await other.goto(`/${queue.slug}`)
  await other.getByRole('button', { name: /account menu$/ }).click()
  await other.getByRole('button', { name: 'Sign out', exact: true }).click()
  await expect(other.getByText('You are signed out.')).toBeVisible()

  const ended = page.getByRole('dialog', { name: 'Your session has ended' })
  await expect(ended).toBeVisible()
  await expectAccessible(page)
  const opening = page.waitForEvent('popup')
  await ended.getByRole('link', { name: 'Sign in' }).click()
  const again = await opening
  await again.locator('input[name=email]').fill(queue.checker.email)
  await again.locator('input[name=password]').fill(queue.checker.password)
  await again.getByRole('button', { name: 'Sign in' }).click()
  await expect(again).toHaveURL(`/${queue.slug}/approvals`)

  await page.evaluate(() => dispatchEvent(new Event('focus')))
  await expect(ended).toHaveCount(0)
  await expect(note).toHaveValue('Invoice 118 seen')
  await sendButton(page).click()
  await expect(rowOf(page, first)).toHaveCount(0)
  await expect.poll(() => queue.statusOf(first ?? '')).toBe('SUCCESS')
})

test('signed out in another window with nothing typed: this one leads to sign-in and back', async ({ page, context }) => {
  const person = await newPerson(pool, ['finance'])
  await openSettings(page, person)
  const other = await context.newPage()
  await other.goto(`/${person.slug}`)
  await other.getByRole('button', { name: /account menu$/ }).click()
  await other.getByRole('button', { name: 'Sign out', exact: true }).click()
  await expect(page).toHaveURL(`/sign-in?next=${encodeURIComponent(`/${person.slug}/settings`)}`)
})

test('on a slow connection every link of the frame, and a search, show within 100 ms that they were pressed', async ({ page }) => {
  const person = await newPerson(pool, ['finance'])
  await openSettings(page, person)
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
  await page.route('**/*', async (route) => {
    await answered
    // The page may have left for another before this request was answered.
    await route.continue().catch(() => undefined)
  })
  // One within the product, one that loads the page from the server, and a search. At once: the browser leaves after the first.
  const tookMs = await page.evaluate(async (slug) => {
    const links = [`aside a[href="/${slug}/totals"]`, `#more-menu a[href="/${slug}/search"]`]
    const took: Record<string, number> = {}
    for (const selector of [...links, 'header search form']) {
      const pressed = document.querySelector<HTMLElement>(selector)
      if (!pressed) throw new Error(`No ${selector}`)
      const pressedAt = performance.now()
      const busy = new Promise<number>((resolve) => {
        const look = () => pressed.matches('[aria-busy=true], [data-leaving]') && resolve(performance.now() - pressedAt)
        new MutationObserver(look).observe(pressed, { attributes: true })
      })
      if (pressed instanceof HTMLFormElement) pressed.requestSubmit()
      else pressed.click()
      took[selector] = await busy
    }
    return took
  }, person.slug)
  for (const [selector, ms] of Object.entries(tookMs)) expect(ms, selector).toBeLessThan(FEEDBACK_MS)
  answer()
})

test('what the server rendered stays in place until its script arrives, even when the list changes meanwhile', async ({ page }) => {
  const person = personWith(['maker', 'checker'])
  await signIn(page, person, `/${person.slug}/settings`)
  for (const [rest, name] of [
    ['transactions', /^View/],
    ['approvals', /^Operator/],
  ] as const) {
    const address = `/${person.slug}/${rest}`
    const named = (await (await page.request.get(address)).text()).match(/\/_next\/static\/[^"'\\\s]+?\.js/g)
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    await page.route('**/_next/static/**/*.js*', async (route) => {
      if (!named?.includes(new URL(route.request().url()).pathname)) await released
      await route.continue()
    })
    await page.goto(address)
    const control = page.getByRole('main').getByRole('button', { name }).first()
    const rendered = await control.elementHandle()
    await moveToFirstRow(page)
    await page.keyboard.press('j')
    expect(await rendered?.evaluate((button) => button.isConnected), address).toBe(true)
    release()
    await control.click()
    await expect(page.locator('[popover]:popover-open')).toBeVisible()
    await page.unroute('**/_next/static/**/*.js*')
  }
})

test('text that is typed into the search before its script arrives is still there afterwards', async ({ page }) => {
  const person = personWith(['maker', 'checker'])
  await signIn(page, person, `/${person.slug}/settings`)
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  await page.route('**/_next/static/**/*.js*', async (route) => {
    await released
    await route.continue()
  })
  await page.goto(`/${person.slug}/balances`, { waitUntil: 'commit' })
  const search = page.locator('input[name=q]:visible')
  await search.fill('23767')
  release()
  await waitForScripts(page)
  // Rendered again.
  await search.blur()
  await search.focus()
  await expect(search).toHaveAttribute('aria-expanded', 'true')
  await expect(search).toHaveValue('23767')
})

test('code that cannot be loaded: another try, then a reload is offered, and nothing reloads unasked', async ({ browser }) => {
  const person = await newPerson(pool, ['finance'])
  // Not the page of the fixture: the browser reports the code that it could not load.
  const page = await (await browser.newContext({ baseURL: sandboxUrl() })).newPage()
  await openSettings(page, person)
  let loads = 0
  page.on('framenavigated', () => loads++)
  await page.route('**/_next/static/**/*.js*', (route) => route.fulfill({ status: 404, body: '' }))
  await page.getByRole('button', { name: 'Change password' }).click()
  const main = page.getByRole('main')
  await expect(main.getByText('This part could not be loaded.')).toBeVisible()
  await main.getByRole('button', { name: 'Try again' }).click()
  await expect(main.getByText('A new version may be available.')).toBeVisible()
  await expectAccessible(page)
  expect(loads).toBe(0)
  await page.unroute('**/_next/static/**/*.js*')
  await main.getByRole('button', { name: 'Reload the page' }).click()
  await expect.poll(() => loads).toBe(1)
  await waitForScripts(page)
  await page.getByRole('button', { name: 'Change password' }).click()
  await expect(page.getByLabel('Current password')).toBeFocused()
  await page.context().close()
})

test('a page that fails in the browser says what to do, with the reference under which the failure was logged', async ({ browser }) => {
  const person = await newPerson(pool, ['finance'])
  // Not the page of the fixture: the browser reports the error that this test causes.
  const page = await (await browser.newContext({ baseURL: sandboxUrl() })).newPage()
  await signIn(page, person, `/${person.slug}`)
  await waitForScripts(page)
  await page.route('**/api/back-office/*/overview*', (route) =>
    route.fulfill({ json: { asOf: '', disturbed: [], checker: null, maker: null, finance: {} } }),
  )
  // Read on the way to the browser, which does not always keep the body.
  const reported = Promise.withResolvers<string>()
  await page.route('**/*', async (route) => {
    if (!route.request().postData()?.includes('"stack"')) return route.fallback()
    const response = await route.fetch()
    reported.resolve(await response.text())
    await route.fulfill({ response })
  })
  // Figures that are older than ten seconds are fetched again when somebody returns to the window.
  await expect(async () => {
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
    await expect(page.getByRole('heading', { level: 1, name: 'This page could not be shown' })).toBeVisible({ timeout: 1_000 })
  }).toPass()
  await expectAccessible(page)
  const reference = /"reference":"([0-9a-f]{8})"/.exec(await reported.promise)?.[1]
  await expect(page.getByText(`send this reference to your administrator: ${reference}`)).toBeVisible()
  await page.unroute('**/api/back-office/*/overview*')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible()
  await page.context().close()
})
