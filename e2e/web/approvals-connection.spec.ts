import type { Page, Route } from 'playwright/test'
import type { Pool } from '#server/database/pool.ts'
import { expect, test } from './fixtures.ts'
import { sandboxPool } from './people.ts'
import { another, askByKey, newQueue, openApprovals, panelOf, rowOf, sendButton } from './waiting.ts'

test.describe.configure({ mode: 'default' })

let pool: Pool
test.beforeAll(async () => {
  pool = await sandboxPool()
})
test.afterAll(() => pool.end())

/** The longest delay that still feels like an immediate response. */
const FEEDBACK_MS = 100
const isDecision = (route: Route) => route.request().method() === 'POST'

/** Lets the page hold what it fetches while nobody waits. */
const settled = (page: Page) => page.waitForLoadState('networkidle').catch(() => undefined)

test('offline, V opens the panel and says why nothing can be sent; connected again, the same note is sent', async ({ page, context }) => {
  const queue = await newQueue(pool)
  const [first] = await queue.wait([{ name: 'Amadou Ngassa' }, { name: 'Kossi Adjovi' }])
  await page.setViewportSize({ width: 1024, height: 700 })
  await openApprovals(page, queue.checker)
  await expect(rowOf(page, first)).toBeVisible()
  await settled(page)
  await context.setOffline(true)
  await page.keyboard.press('j')
  await askByKey(page, 'v')
  await page.keyboard.type('Seen')
  await expect(panelOf(page)).toContainText('No connection: nothing can be decided.')
  await expect(sendButton(page)).toBeDisabled()
  await page.keyboard.press('Enter')
  expect(await queue.statusOf(first ?? '')).toBe('PENDING_APPROVAL')
  await context.setOffline(false)
  await expect(sendButton(page)).toBeEnabled()
  await sendButton(page).click()
  await expect(rowOf(page, first)).toHaveCount(0)
})

test('a request that fails is "Not sent": the row stays, the note stays, and it can be sent again', async ({ page }) => {
  const queue = await newQueue(pool)
  const [first] = await queue.wait([{ name: 'Amadou Ngassa' }])
  await openApprovals(page, queue.checker)
  await page.route('**/approvals*', (route) => (isDecision(route) ? route.abort() : route.continue()))
  await page.keyboard.press('j')
  await askByKey(page, 'v')
  await page.keyboard.type('Seen')
  await page.keyboard.press('Enter')
  await expect(panelOf(page).getByRole('alert')).toContainText('Not sent')
  await expect(rowOf(page, first)).toBeVisible()
  await expect(page.getByLabel('Payee note')).toHaveValue('Seen')
  await page.unroute('**/approvals*')
  await panelOf(page).getByRole('button', { name: 'Send again' }).click()
  await expect(rowOf(page, first)).toHaveCount(0)
  await expect.poll(() => queue.statusOf(first ?? '')).not.toBe('PENDING_APPROVAL')
})

test('on a slow connection every press answers at once, and nothing is shown as done before the server has answered', async ({ page }) => {
  const queue = await newQueue(pool)
  const [first] = await queue.wait([{ name: 'Amadou Ngassa' }])
  await openApprovals(page, queue.checker)
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
  await page.route('**/approvals*', async (route) => {
    await answered
    await route.continue()
  })
  await page.keyboard.press('j')
  await askByKey(page, 'v')
  await page.keyboard.type('Seen')
  expect(await feedbackOf(page, '#approval-panel button[type=submit]')).toBeLessThan(FEEDBACK_MS)
  await expect(panelOf(page).getByRole('button', { name: 'Sending…' })).toBeVisible()
  await expect(rowOf(page, first)).toBeVisible()
  expect(await feedbackOf(page, 'nav a[href$="queue=decided"]')).toBeLessThan(FEEDBACK_MS)
  answer()
  await expect(page).toHaveURL(/queue=decided/)
})

/** Presses an element and returns after how many milliseconds it says that it is busy. */
function feedbackOf(page: Page, selector: string): Promise<number> {
  return page.evaluate(async (wanted) => {
    const element = document.querySelector<HTMLElement>(wanted)
    if (!element) throw new Error(`No ${wanted}`)
    const pressedAt = performance.now()
    const busy = new Promise<number>((resolve) => {
      const observer = new MutationObserver(() => {
        if (element.getAttribute('aria-busy') !== 'true') return
        observer.disconnect()
        resolve(performance.now() - pressedAt)
      })
      observer.observe(element, { attributes: true })
    })
    element.click()
    return busy
  }, selector)
}

test('a part whose code cannot be loaded says so and loads on another try; the list goes on working', async ({ browser }) => {
  const queue = await newQueue(pool)
  const [first] = await queue.wait([{ name: 'Amadou Ngassa' }])
  // Not the page of the fixture: the browser reports each script that it could not load.
  const page = await another(browser, queue.checker)
  const html = await (await page.request.get(`/${queue.slug}/approvals`)).text()
  // Scripts that the page itself names load; those that it requests later do not.
  await page.route('**/_next/static/**/*.js*', (route) =>
    html.includes(new URL(route.request().url()).pathname) ? route.continue() : route.abort(),
  )
  await page.reload()
  await expect(rowOf(page, first)).toBeVisible()
  await expect(panelOf(page).getByRole('alert')).toContainText('This part could not be loaded.')
  await expect(page.getByText('This page could not be shown')).toHaveCount(0)
  await page.keyboard.press('j')
  await expect(rowOf(page, first)).toBeFocused()
  await page.unroute('**/_next/static/**/*.js*')
  await panelOf(page).getByRole('button', { name: 'Try again' }).click()
  await expect(panelOf(page).getByLabel('Payee note')).toBeVisible()
  await page.context().close()
})
