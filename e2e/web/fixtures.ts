import axe from 'axe-core'
import { type APIRequestContext, test as base, expect, type Page } from 'playwright/test'
import { type SandboxPerson, sandboxUrl } from './sandbox.ts'

/** Some tests request refused or missing addresses, or go offline. */
const OFFLINE = /Failed to load (resource|chunk)|ERR_INTERNET_DISCONNECTED|Failed to fetch/

/** Playwright's test with the sandbox's address; a page that logs an error or breaks the content policy fails its test. */
export const test = base.extend<{ isQuiet: undefined }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures that are needed from this pattern
  baseURL: async ({}, use) => use(sandboxUrl()),
  isQuiet: [
    async ({ page }, use) => {
      const noise: string[] = []
      page.on('pageerror', (error) => {
        if (!OFFLINE.test(error.message)) noise.push(error.message)
      })
      page.on('console', (message) => {
        if (message.type() === 'error' && !OFFLINE.test(message.text())) noise.push(message.text())
      })
      await use(undefined)
      expect(noise, 'errors in the browser').toEqual([])
    },
    { auto: true },
  ],
})

export { expect }

/**
 * Signs in and opens the requested page. Where e-mail and password are enough it does so without the sign-in page, which costs a second
 * of CPU time; with a second factor it ends at the page that asks for the code.
 */
export async function signIn(page: Page, person: SandboxPerson, wanted = `/${person.slug}`): Promise<void> {
  await signInWithoutPage(page.request, person)
  await page.goto(wanted)
  if (new URL(page.url()).pathname === '/sign-in') await signInByForm(page, person, wanted)
  else await waitForScripts(page)
}

/** Signs in with e-mail and password, and opens no page. */
export async function signInWithoutPage(request: APIRequestContext, person: SandboxPerson): Promise<void> {
  const { csrfToken }: { csrfToken: string } = await (await request.get('/api/auth/csrf')).json()
  const form = { csrfToken, email: person.email, password: person.password }
  await request.post('/api/auth/callback/credentials', { form, maxRedirects: 0 })
}

/** Signs in on the sign-in page and waits for the requested page. */
export async function signInByForm(page: Page, person: SandboxPerson, wanted = `/${person.slug}`): Promise<void> {
  await page.goto(wanted)
  await page.locator('input[name=email]').fill(person.email)
  await page.locator('input[name=password]').fill(person.password)
  await page.locator('main form button[type=submit]').last().click()
  await page.waitForURL((url) => url.pathname !== '/sign-in')
  await waitForScripts(page)
}

/**
 * Waits until React has taken over every control that the server rendered, and on a page of the back office until the frame has loaded what
 * it loads last: the line that is printed. On a busy machine a test is quicker, and what it presses before that is lost.
 */
export async function waitForScripts(page: Page): Promise<void> {
  await page.waitForFunction(areControlsHydrated)
  if (hasFrame(page.url())) await expect(page.getByText(/^(Printed on|Imprimé le)/)).toHaveCount(1)
}

/** Runs in the page. React keeps the properties of what it has taken over under a key of the element. */
function areControlsHydrated(): boolean {
  const controls = document.querySelectorAll('body, button, input:not([type=hidden]), select, textarea')
  return [...controls].every((control) => Object.keys(control).some((key) => key.startsWith('__reactProps')))
}

/** Whether this is an address of the back office, whose pages have its frame. */
function hasFrame(address: string): boolean {
  return !/^\/($|sign-in|docs|pay)/.test(new URL(address).pathname)
}

/** Searches with the keyboard. Repeats the first key until the scripts of the page handle it. */
export async function searchByKeys(page: Page, text: string): Promise<void> {
  const field = page.locator('input[name=q]:visible')
  await expect(async () => {
    await page.keyboard.press('/')
    await expect(field).toBeFocused({ timeout: 250 })
  }).toPass()
  await page.keyboard.type(text)
  await page.keyboard.press('Enter')
}

/** Moves to the first row with the keyboard. Repeats the key until the scripts of the page handle it. */
export async function moveToFirstRow(page: Page): Promise<void> {
  await expect(async () => {
    await page.keyboard.press('j')
    await expect(page.locator('tr[aria-current=true]')).toHaveCount(1, { timeout: 250 })
  }).toPass()
}

/** Expects no axe violation on the current screen. */
export async function expectAccessible(page: Page, part: AxePart = 'all'): Promise<void> {
  expect(await findAxeViolations(page, part)).toEqual([])
}

/** The rules of axe whose result depends on the theme; the others do not look at colours. They take four fifths of the time of a run. */
const COLOUR_RULES: readonly string[] = ['color-contrast', 'link-in-text-block']
type AxePart = 'all' | 'colours' | 'no-colours'

/** Returns the axe violations of the current screen: rule and elements. */
export async function findAxeViolations(page: Page, part: AxePart = 'all'): Promise<string[]> {
  // The title arrives last, and a page with a skeleton brings its heading after it: Next streams both.
  await expect(page).toHaveTitle(/./)
  await expect(page.locator('h1:visible').first()).toBeVisible()
  // Directly in the page, which has no frames. The package for Playwright runs axe in parts and joins them in a second page, which takes five times as long.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source)
  return await page.evaluate(
    async ({ part, colourRules }) => {
      // The colours between two states are not a state of the page. An endless animation, such as a pulsing placeholder, cannot be finished.
      for (const animation of document.getAnimations())
        if (animation.effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY) animation.finish()
      const chosen =
        part === 'colours'
          ? { runOnly: { type: 'rule' as const, values: [...colourRules] } }
          : { rules: Object.fromEntries(colourRules.map((rule) => [rule, { enabled: part === 'all' }])) }
      const { violations } = await window.axe.run(document, { resultTypes: ['violations'], ...chosen })
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 160)).join(' | ')}`)
    },
    { part, colourRules: COLOUR_RULES },
  )
}

declare global {
  interface Window {
    axe: typeof axe
  }
}

/** The widths at which pages are checked: phone, tablet, desktop. */
export const WIDTHS = [360, 768, 1440] as const

/** `npm test -- --all` checks everything in each run; without it, what only repeats a check takes turns by the day. */
const IS_ALL = process.env['TEST_ALL'] === '1'
export const DAY = Math.floor(Date.now() / 86_400_000)

/** Returns all items, or without `--all` every n-th of them, others each day. */
export function inTurns<Item>(items: readonly Item[], n: number): Item[] {
  return items.filter((_, index) => IS_ALL || index % n === DAY % n)
}

/** The looks in which panels, dialogs and filtered lists are checked: each language and each theme once. sweep.spec.ts checks every page. */
export const LOOKS = inTurns(
  [
    { locale: 'en-GB', colorScheme: 'light' },
    { locale: 'fr-CM', colorScheme: 'dark' },
  ] as const,
  2,
)

/** Whether axe runs at this width. It judges elements, and a tablet has none that neither a phone nor a wide window has. */
export function isJudged(width: number): boolean {
  return width !== 768
}

/** Expects no overflow at each width, and no axe violation where axe runs. An element has the same colours at each width. */
export async function expectAccessibleEverywhere(page: Page): Promise<void> {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 })
    if (isJudged(width)) await expectAccessible(page, width === WIDTHS[0] ? 'no-colours' : 'all')
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), `too wide at ${width}`).toBeLessThanOrEqual(0)
  }
}
