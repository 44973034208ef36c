import { expect, type FileChooser, type Locator, type Page } from 'playwright/test'
import { waitForScripts } from './fixtures.ts'
import type { SandboxPerson } from './sandbox.ts'

/** More than any page has between two things that a person does. */
const TABS_MAX = 150

/** Moves the focus with Tab until it is on the target, or with Shift Tab if the target is above. Fails if neither reaches it. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await expect(target.first()).toBeVisible()
  const isThere = () => target.evaluateAll((found) => found.some((each) => each === document.activeElement))
  const isAbove = await target.first().evaluate((found) => {
    const from = document.activeElement
    return from !== null && from !== document.body && (from.compareDocumentPosition(found) & Node.DOCUMENT_POSITION_PRECEDING) !== 0
  })
  for (let tabs = 0; !(await isThere()); tabs++) {
    expect(tabs, `Tab reaches ${target}`).toBeLessThan(TABS_MAX)
    await page.keyboard.press(isAbove ? 'Shift+Tab' : 'Tab')
  }
}

/** Moves the focus to a button or a link, and presses it. */
export async function pressOn(page: Page, target: Locator, key: 'Enter' | 'Space' = 'Enter'): Promise<void> {
  await tabTo(page, target)
  await page.keyboard.press(key)
}

/** Moves the focus to a field, and types in place of its content; in a list of choices, the choice that begins so. */
export async function typeInto(page: Page, target: Locator, text: string): Promise<void> {
  await tabTo(page, target)
  if (!(await target.evaluate((field) => field instanceof HTMLSelectElement))) await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.type(text)
}

/** Opens the dialog of the machine for a file, as Enter does in a field for files. */
export async function openChooser(page: Page, target: Locator): Promise<FileChooser> {
  // Awaited from before the way to the input on: the browser must know that the chooser is taken over when the key arrives.
  const press = async () => {
    await tabTo(page, target)
    await page.keyboard.press('Enter')
  }
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), press()])
  return chooser
}

/** Signs in on the sign-in page. */
export async function signInByKeys(page: Page, person: SandboxPerson): Promise<void> {
  await page.goto(`/${person.slug}`)
  await waitForScripts(page)
  await typeInto(page, page.locator('input[name=email]'), person.email)
  await typeInto(page, page.locator('input[name=password]'), person.password)
  await page.keyboard.press('Enter')
  await page.waitForURL((url) => url.pathname !== '/sign-in')
  await waitForScripts(page)
}

/** Follows a link of the navigation to its page. */
export async function goByKeys(page: Page, link: string, address: RegExp): Promise<void> {
  await pressOn(page, page.getByRole('navigation').getByRole('link', { name: link }).first())
  await expect(page).toHaveURL(address)
  await waitForScripts(page)
}
