import type { Page } from 'playwright/test'
import { ROUTES } from '#e2e/roles/access-table.ts'
import { findRoutes } from '#e2e/roles/find-endpoints.ts'
import { makeImport } from '#e2e/roles/make-import.ts'
import { can, PERMISSIONS, type Permission } from '#lib/people/permissions.ts'
import type { Pool } from '#server/database/pool.ts'
import { MESSAGES } from '#server/messages.ts'
import { makePaymentLink } from '#server/testing/factories.ts'
import { DAY, expect, findAxeViolations, inTurns, signIn, test, WIDTHS, waitForScripts } from './fixtures.ts'
import { sandboxPool } from './people.ts'
import { personWith, readSandbox, type SandboxPerson } from './sandbox.ts'

/** Requires a password entered before, or is not a page; e2e/web/sign-in.spec.ts and frame.spec.ts check them. */
const ELSEWHERE = new Set(['/', '/sign-in/second-factor', '/[application]/[...rest]'])
/** The layout shift that is allowed while a page loads: none that is visible. */
const SHIFT_MAX = 0.01
const TAB_MAX = 400

type Place = { pattern: string; person: SandboxPerson | undefined }

/** Every page with a person who may open it: a maker and checker if allowed, because they see most. */
async function placesToSee(): Promise<Place[]> {
  const people = [personWith(['maker', 'checker']), personWith(['finance']), personWith(['administrator'])]
  const pages = (await findRoutes()).filter(({ kind, name }) => kind === 'page' && !ELSEWHERE.has(name.slice(4)))
  return pages.map(({ name }) => {
    const access = ROUTES[name]?.access
    const isPermission = (value: string | undefined): value is Permission => value !== undefined && value in PERMISSIONS
    const person = isPermission(access) ? people.find(({ roles }) => can(roles as never, access)) : people[0]
    return { pattern: name.slice(4), person: access === 'guest' ? undefined : person }
  })
}

/** Signs in as the person that the next page requires, if not signed in yet; ids for its address come from the lists. */
async function visitor(page: Page): Promise<(place: Place) => Promise<string>> {
  let current: string | undefined
  const examples: Record<string, string> = {
    operator: 'MOMOCM',
    topic: 'customers',
    version: '1',
    wallet: 'OMCM',
    day: '2026-01-15',
    number: '1',
  }
  return async ({ pattern, person }) => {
    if (person?.email !== current) {
      await page.context().clearCookies()
      if (person) await signIn(page, person)
      current = person?.email
    }
    examples['application'] = person?.slug ?? ''
    examples['personId'] = person?.id ?? 'none'
    if (pattern.includes('[transactionId]')) examples['transactionId'] ??= await firstTransaction(page, examples['application'])
    if (pattern.includes('approvals/batches/[batchId]')) examples['batchId'] = await waitingBatch(page, examples['application'])
    else if (pattern.includes('[batchId]')) examples['batchId'] = await draftBatch(page, examples['application'])
    if (pattern.includes('[linkId]')) examples['linkId'] ??= await make(person, (pool, id, personId) => makePaymentLink(pool, id, personId))
    if (pattern.includes('[changeId]')) examples['changeId'] ??= await make(person, (pool, id) => makeImport(pool, id, aNumber()))
    if (pattern.includes('[requestId]')) examples['requestId'] ??= await recordedCall(page, examples['application'])
    if (pattern.includes('[fileId]')) examples['fileId'] ??= await uploadedStatement(page, examples['application'])
    if (pattern.includes('[exceptionId]')) examples['exceptionId'] ??= await firstException(page, examples['application'])
    const own = pattern.includes('settlements/[wallet]') ? await signedDay(page, examples['application']) : {}
    return pattern.replaceAll(/\[(\w+)\]/g, (_, name: string) => ({ ...examples, ...own })[name] ?? 'none')
  }
}

/** The sandbox has a day that two people have signed; it may be in the month before. */
async function signedDay(page: Page, application: string): Promise<{ wallet: string; day: string }> {
  const before = new Date(Date.now() - 31 * 86_400_000).toISOString().slice(0, 7)
  for (const query of ['', `?month=${before}`]) {
    const answer = await page.request.get(`/${application}/settlements${query}`)
    const [, wallet, day] = /settlements\/([\w-]+)\/(\d{4}-\d{2}-\d{2})/.exec(await answer.text()) ?? []
    if (wallet && day) return { wallet, day }
  }
  throw new Error('The list of settlements names no signed day')
}

/** Makes in the database what no page of the sandbox leads to, in the application of this person; returns its id. */
async function make(
  person: SandboxPerson | undefined,
  maker: (pool: Pool, applicationId: string, personId: string) => Promise<string>,
): Promise<string> {
  const pool = await sandboxPool()
  try {
    const { rows } = await pool.query<{ id: string }>('select application_id as id from applications where slug = $1', [person?.slug])
    const [application] = rows
    if (!application || !person) throw new Error('The sandbox has no such application')
    return await maker(pool, application.id, person.id)
  } finally {
    await pool.end()
  }
}

/** A number that is in no book, also in a run that is repeated. */
function aNumber(): string {
  return `237677${String(Math.floor(Math.random() * 1_000_000)).padStart(6, '0')}`
}

/** The draft of the sandbox: its page has the most. */
async function draftBatch(page: Page, application: string): Promise<string> {
  const answer = await page.request.get(`/${application}/batches?state=draft`)
  const id = /\/batches\/([0-9a-f]{8}-[0-9a-f-]{27})/.exec(await answer.text())?.[1]
  if (!id) throw new Error('The list of batches names no draft')
  return id
}

async function firstTransaction(page: Page, application: string): Promise<string> {
  const answer = await page.request.get(`/api/back-office/${application}/transactions`)
  const id = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/.exec(await answer.text())?.[0]
  if (!id) throw new Error('The list of transactions names none')
  return id
}

/** The sandbox has transactions whose operator said something else later. */
async function firstException(page: Page, application: string): Promise<string> {
  const answer = await page.request.get(`/${application}/close/exceptions`)
  const id = /close\/exceptions\/([0-9a-f-]{36})/.exec(await answer.text())?.[1]
  if (!id) throw new Error('The list of exceptions names none')
  return id
}

/** A call of a program that was refused. */
async function recordedCall(page: Page, application: string): Promise<string> {
  const own = readSandbox().applications.find(({ name }) => name.toLowerCase().replaceAll(' ', '-') === application)
  await page.request.get('/api/v1/transaction/nothing', { headers: { apiId: own?.apiId ?? '' } })
  let id: string | undefined
  await expect(async () => {
    const answer = await page.request.get(`/${application}/sandbox/calls`)
    id = /sandbox\/calls\/([0-9a-f-]{36})/.exec(await answer.text())?.[1]
    expect(id).toBeDefined()
  }).toPass()
  return id ?? ''
}

/** A statement of one line that was checked. */
async function uploadedStatement(page: Page, application: string): Promise<string> {
  const data =
    'Transaction ID,Transaction Date,Description,Status,Transaction Amount,Credit/Debit,Fee,Balance\n' +
    'SWEEP-1,2026-01-15 10:00:00,Merchant payment from 0751234567,Transaction Success,500,CR,0,500\n'
  const address = `/api/back-office/${application}/statements`
  const post = async (path: string, body = '') =>
    (await page.request.post(address + path, { headers: { 'content-type': 'application/octet-stream' }, data: body })).json()
  const begun: { fileId: string } = await post(`?wallet=UGAIRTEL-collect&fileName=sweep.csv&bytes=${data.length}&modified=0`)
  await post(`/${begun.fileId}/pieces?number=0`, data)
  const { fileId }: { fileId: string } = await post(`/${begun.fileId}/complete`)
  const text = async () => (await page.request.get(`/${application}/close/statements/${fileId}`)).text()
  await expect.poll(text, { timeout: 20_000 }).toMatch(/Ready to import|Prêt à importer/)
  return fileId
}

/** A batch that waits, in whichever queue this person finds it. */
async function waitingBatch(page: Page, application: string): Promise<string> {
  for (const queue of ['mine', 'others', 'made']) {
    const answer = await page.request.get(`/api/back-office/${application}/approvals?queue=${queue}`)
    const { batches }: { batches: { batchId: string }[] } = await answer.json()
    if (batches[0]) return batches[0].batchId
  }
  throw new Error('No batch waits')
}

test.describe('every page in English', () => {
  test.use({ locale: 'en-GB', colorScheme: 'light' })

  test('accessible, without layout shift or breach of the content policy on a phone, and without overflow there and on a tablet', async ({
    page,
  }) => {
    await forEveryPage(page, async (address, place) => {
      await checkPage(page, address, { width: 360, theme: (place + DAY) % 2 === 0 ? 'light' : 'dark' })
      // The same is loaded on a tablet; only the layout differs.
      await checkWider(page, address, 768)
    })
  })

  test('accessible, without overflow, layout shift or breach of the content policy in a wide window, where every control is reached with the Tab key and shows that it has the focus', async ({
    page,
  }) => {
    await forEveryPage(page, async (address, place) => {
      await checkPage(page, address, { width: 1440, theme: (place + DAY) % 2 === 0 ? 'dark' : 'light' })
      await checkTabKey(page, address)
    })
  })
})

test.describe('every page in French', () => {
  test.use({ locale: 'fr-CM', colorScheme: 'light' })

  test('accessible, without layout shift or breach of the content policy on a phone, and without overflow at every width', async ({
    page,
  }) => {
    await forEveryPage(page, (address) => checkTexts(page, address), 10)
  })
})

test('a violation of each kind on a page that has them: the check itself works', async ({ page }) => {
  const html =
    '<html lang="en"><title>Test</title><main><h1>Test</h1><img src="data:,"><p style="color: #aaa; background: #fff">Pale</p></main>'
  await page.setContent(html)
  const idsOf = (violations: string[]) => violations.map((violation) => violation.split(':')[0])
  expect(idsOf(await findAxeViolations(page))).toEqual(['color-contrast', 'image-alt'])
  expect(idsOf(await findAxeViolations(page, 'colours'))).toEqual(['color-contrast'])
  expect(idsOf(await findAxeViolations(page, 'no-colours'))).toEqual(['image-alt'])
})

/** Without `--all`, one page of `n`. */
async function forEveryPage(page: Page, check: (address: string, place: number) => Promise<void>, n = 1): Promise<void> {
  test.setTimeout(600_000)
  await page.addInitScript(watchPage)
  const goTo = await visitor(page)
  for (const [index, place] of inTurns(await placesToSee(), n).entries()) {
    const address = await goTo(place)
    await test.step(address, () => check(address, index))
  }
}

/**
 * Everything that can be wrong with a page. All expectations are soft: one run reports all violations. Each page is checked in one theme on a
 * phone and in the other in a wide window, the next page and the next day the other way round.
 */
async function checkPage(page: Page, address: string, { width, theme }: { width: number; theme: 'light' | 'dark' }): Promise<void> {
  const where = `${address} at ${width}, ${theme}`
  await loadPage(page, address, width, 'en')
  if (theme === 'dark') {
    const lightBackground = await page.evaluate(readBackground)
    // Without a stored theme the page follows the system.
    await page.emulateMedia({ colorScheme: 'dark' })
    expect.soft(await page.evaluate(readBackground), where).not.toBe(lightBackground)
  }
  expect.soft(await findAxeViolations(page), where).toEqual([])
  await page.emulateMedia({ colorScheme: 'light' })
}

/** Checks that depend on the language: its texts, which are longer. The page is loaded once, and its window becomes wider. */
async function checkTexts(page: Page, address: string): Promise<void> {
  await loadPage(page, address, WIDTHS[0], 'fr')
  expect.soft(await findAxeViolations(page), address).toEqual([])
  for (const width of WIDTHS.slice(1)) await checkWider(page, address, width)
}

/** The layout of the page that is loaded already in a wider window. */
async function checkWider(page: Page, address: string, width: number): Promise<void> {
  await page.setViewportSize({ width, height: 800 })
  const { isTooWide, spilled } = await page.evaluate(readPage)
  expect.soft({ isTooWide, spilled }, `${address} at ${width}`).toEqual({ isTooWide: false, spilled: [] })
}

async function loadPage(page: Page, address: string, width: number, language: string): Promise<void> {
  const where = `${address} at ${width}`
  await page.setViewportSize({ width, height: 800 })
  const response = await page.goto(address)
  // Late content must not move anything either.
  await waitForScripts(page)
  await expect.soft(page.locator('h1'), where).toBeVisible()
  // In one question to the browser: each costs a hundredth of a second, and there are a hundred loads.
  const { shift, moved, ...seen } = await page.evaluate(readPage)
  const [text = ''] = await page.locator('body').allInnerTexts()
  expect.soft({ status: response?.status(), untranslated: keysIn(text), ...seen }, where).toEqual({
    status: 200,
    language,
    headings: 1,
    untranslated: [],
    hasTitle: true,
    violations: [],
    isTooWide: false,
    spilled: [],
  })
  expect.soft(shift, `what moved: ${where}: ${moved.join(', ')}`).toBeLessThan(SHIFT_MAX)
}

/** The keys of texts that a page shows because the browser was not sent the texts. */
function keysIn(text: string): string[] {
  return text.split(/\s+/).filter((word) => word.includes('.') && Object.hasOwn(MESSAGES.en, word))
}

/** Presses the Tab key until every control of the page has had the focus. */
async function checkTabKey(page: Page, address: string): Promise<void> {
  const wanted = await page.evaluate(markControls)
  const unseen = new Set<string>()
  const reached = new Set<string>()
  for (let press = 0; press < TAB_MAX && reached.size < wanted.length; press++) {
    await page.keyboard.press('Tab')
    const { mark, isSeen, html } = await page.evaluate(describeFocus)
    if (mark) reached.add(mark)
    if (!isSeen) unseen.add(html)
  }
  expect.soft([...unseen], `focus that nobody sees on ${address}`).toEqual([])
  const missed = wanted.filter(({ mark }) => !reached.has(mark)).map(({ html }) => html)
  expect.soft(missed, `not reached on ${address}`).toEqual([])
}

/** Missing in TypeScript's own types. */
type LayoutShift = PerformanceEntry & {
  value: number
  hadRecentInput: boolean
  sources: readonly { node: Node | null; previousRect: DOMRect; currentRect: DOMRect }[]
}

declare global {
  interface Window {
    pageWatch: { violations: string[]; shift: number; moved: string[] }
  }
}

/** Runs in the page before anything else. */
function watchPage(): void {
  window.pageWatch = { violations: [], shift: 0, moved: [] }
  document.addEventListener('securitypolicyviolation', (event) => {
    window.pageWatch.violations.push(`${event.violatedDirective}: ${event.blockedURI} ${event.sample}`)
  })
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as LayoutShift[]) {
      if (entry.hadRecentInput) continue
      window.pageWatch.shift += entry.value
      for (const { node, previousRect, currentRect } of entry.sources)
        window.pageWatch.moved.push(`${node?.textContent?.slice(0, 40)} from ${previousRect.y} to ${currentRect.y}`)
    }
  }).observe({ type: 'layout-shift', buffered: true })
}

function readPage() {
  const { scrollWidth, clientWidth, lang } = document.documentElement
  return {
    language: lang,
    headings: document.querySelectorAll('h1').length,
    hasTitle: document.title !== '',
    violations: window.pageWatch.violations,
    isTooWide: scrollWidth > clientWidth,
    spilled: findSpilled(),
    shift: window.pageWatch.shift,
    moved: window.pageWatch.moved,
  }

  /** Returns the elements that are wider than their container, unless it scrolls or clips on purpose. */
  function findSpilled(): string[] {
    const mayScroll = (element: Element | null): boolean =>
      element !== null && (getComputedStyle(element).overflowX !== 'visible' || mayScroll(element.parentElement?.closest('main *') ?? null))
    return [...document.querySelectorAll('main *')]
      .filter((element) => element.clientWidth > 1 && element.scrollWidth > element.clientWidth + 1)
      .filter((element) => getComputedStyle(element).display !== 'inline' && !mayScroll(element))
      .map((element) => `${element.tagName} ${element.className}: ${element.textContent?.trim().slice(0, 60)}`)
  }
}

function readBackground(): string {
  return getComputedStyle(document.documentElement).backgroundColor
}

/** Marks every control on the screen. The Tab key reaches one radio button of a group. */
function markControls(): { mark: string; html: string }[] {
  const groups = new Set<string>()
  const controls = [...document.querySelectorAll<HTMLElement>('a[href], button, input, select, textarea, summary, [tabindex="0"]')].filter(
    (element) => {
      if (!element.checkVisibility({ visibilityProperty: true }) || element.matches(':disabled, [tabindex="-1"], [inert] *')) return false
      if (!(element instanceof HTMLInputElement) || element.type !== 'radio') return true
      const isFirst = !groups.has(element.name)
      groups.add(element.name)
      return isFirst && element.checked
    },
  )
  return controls.map((element, place) => {
    element.dataset['mark'] = String(place)
    return { mark: String(place), html: element.outerHTML.slice(0, 160) }
  })
}

/** Returns the focused element, and whether it or its label has a visible focus ring. */
function describeFocus(): { mark: string | undefined; isSeen: boolean; html: string } {
  const element = document.activeElement
  if (!(element instanceof HTMLElement) || element === document.body) return { mark: undefined, isSeen: true, html: '' }
  const around = [element, element.parentElement, element.closest('label'), element.nextElementSibling]
  const isSeen = around.some((each) => {
    if (!each) return false
    const { outlineStyle, outlineWidth } = getComputedStyle(each)
    const { width, height } = each.getBoundingClientRect()
    return outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2 && width > 4 && height > 4
  })
  return { mark: element.dataset['mark'], isSeen, html: element.outerHTML.slice(0, 160) }
}
