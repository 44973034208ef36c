import { AxeBuilder } from '@axe-core/playwright'
import { test as base, expect, type Page } from 'playwright/test'
import { type SandboxPerson, sandboxUrl } from './sandbox.ts'

/** Playwright's test with the sandbox's address; a page that logs an error or breaks the content policy fails its test. */
export const test = base.extend<{ isQuiet: undefined }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures that are needed from this pattern
  baseURL: async ({}, use) => use(sandboxUrl()),
  isQuiet: [
    async ({ page }, use) => {
      const noise: string[] = []
      page.on('pageerror', (error) => noise.push(error.message))
      page.on('console', (message) => {
        // A refused or missing address is part of some tests, and so is a connection that is away.
        if (message.type() === 'error' && !/Failed to load resource|ERR_INTERNET_DISCONNECTED|Failed to fetch/.test(message.text()))
          noise.push(message.text())
      })
      await use(undefined)
      expect(noise, 'errors in the browser').toEqual([])
    },
    { auto: true },
  ],
})

export { expect }

/** Signs in on the sign-in page, as a person does, and waits for the page that was wanted. */
export async function signIn(page: Page, person: SandboxPerson, wanted = `/${person.slug}`): Promise<void> {
  await page.goto(wanted)
  await page.locator('input[name=email]').fill(person.email)
  await page.locator('input[name=password]').fill(person.password)
  await page.locator('main form button[type=submit]').last().click()
  await page.waitForURL((url) => url.pathname !== '/sign-in')
}

/** Searches by keys alone. The first one is pressed until the page listens: before its scripts have run it goes nowhere. */
export async function searchByKeys(page: Page, text: string): Promise<void> {
  const field = page.locator('input[name=q]:visible')
  await expect(async () => {
    await page.keyboard.press('/')
    await expect(field).toBeFocused({ timeout: 250 })
  }).toPass()
  await page.keyboard.type(text)
  await page.keyboard.press('Enter')
}

/** Moves to the first row by its key, pressed until the page listens. */
export async function moveToFirstRow(page: Page): Promise<void> {
  await expect(async () => {
    await page.keyboard.press('j')
    await expect(page.locator('tr[aria-current=true]')).toHaveCount(1, { timeout: 250 })
  }).toPass()
}

/** Nothing that axe knows is wrong with what is on the screen now. */
export async function expectAccessible(page: Page): Promise<void> {
  expect(await findAxeViolations(page)).toEqual([])
}

/** What axe finds wrong on the screen now: the rule and the places. */
export async function findAxeViolations(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze()
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 160)).join(' | ')}`)
}

/** The widths at which pages are looked at: a phone, a tablet, a desk. */
export const WIDTHS = [360, 768, 1440] as const

/** What panels, dialogs and filtered lists are looked at in: each language and each theme once. sweep.spec.ts looks at every page in all four. */
export const LOOKS = [
  { locale: 'en-GB', colorScheme: 'light' },
  { locale: 'fr-CM', colorScheme: 'dark' },
] as const

/** At each width axe finds nothing, and nothing is wider than the screen. */
export async function expectAccessibleEverywhere(page: Page): Promise<void> {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 })
    await expectAccessible(page)
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), `too wide at ${width}`).toBeLessThanOrEqual(0)
  }
}
