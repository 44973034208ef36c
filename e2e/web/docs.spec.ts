import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Page } from 'playwright/test'
import { OPERATOR_CODES } from '#lib/operators/operators.ts'
import { GUIDES } from '#lib/partner/guides.ts'
import { readReference } from '#server/http/reference/read-reference.ts'
import { expect, expectAccessible, expectAccessibleEverywhere, findAxeViolations, signIn, test, waitForScripts } from './fixtures.ts'
import { EMPTY_PAGE_BYTES, measurePageScripts, SCRIPT_BAR } from './page-javascript.ts'
import { personWith, readSandbox, sandboxUrl } from './sandbox.ts'

const run = promisify(execFile)

type Entry = { title: string; where: string; href: string }

test('200 without a session or a cookie for every page of the reference, and a place in it for everything that the search finds', async ({
  request,
}) => {
  const entries: Entry[] = await (await request.get('/docs/search')).json()
  expect(entries.length).toBeGreaterThan(200)
  const pages = Map.groupBy(entries, ({ href }) => href.split('#')[0] ?? '')
  expect(pages.size).toBeGreaterThanOrEqual(24)
  const missing: string[] = []
  for (const [address, found] of pages) {
    const answer = await request.get(address)
    expect(answer.status(), address).toBe(200)
    expect(answer.headers()['set-cookie'], address).toBeUndefined()
    expect(answer.headers()['content-security-policy'], address).toMatch(/script-src 'self' 'sha256-[^;]*; style-src 'self';/)
    const html = await answer.text()
    expect(html, address).not.toMatch(/<[^>]+ style="/)
    const places = new Set(Array.from(html.matchAll(/ id="([^"]+)"/g), (match) => match[1]))
    for (const { href, title } of found) if (href.includes('#') && !places.has(href.split('#')[1])) missing.push(`${title}: ${href}`)
  }
  expect(missing).toEqual([])
  expect((await request.get('/docs/none')).status()).toBe(404)
  expect((await request.get('/docs/__proto__')).status()).toBe(404)
})

test('a field found by the search, its link, and the language of the examples on the next page', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto('/docs')
  const field = page.getByRole('combobox', { name: 'Search the reference' })
  await expect(async () => {
    await page.keyboard.press('/')
    await expect(field).toBeFocused({ timeout: 250 })
  }).toPass()
  await field.fill('countryName')
  const option = page.getByRole('option').filter({ hasText: 'collect · body' }).first()
  await expect(option).toBeVisible()
  await expectAccessible(page)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/docs\/collect#body-countryName$/)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Debit a customer and credit the application')

  await expect(page.locator(':target')).toContainText('The country of transferMethod')
  await expect(page.locator(':target')).toBeInViewport()

  await page.getByRole('link', { name: 'amount', exact: true }).first().click()
  await expect(page).toHaveURL(/#body-amount$/)
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toMatch(/\/docs\/collect#body-amount$/)

  await page.getByRole('tab', { name: 'curl' }).focus()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowRight')
  await expect(page.getByRole('tab', { name: 'Python' })).toBeFocused()
  await expect(page.getByRole('tabpanel')).toContainText('urlopen(request, timeout=30)')
  await page.getByRole('button', { name: 'Copy: Example' }).click()
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain('from urllib.request import Request')
  await page.goto('/docs/webhooks')
  await expect(page.getByRole('tab', { name: 'Python' })).toHaveAttribute('aria-selected', 'true')
  await expect(page.getByRole('tabpanel')).toContainText('def is_genuine')
  // Only the choice of the language, and no session.
  expect((await context.cookies()).map(({ name }) => name)).toEqual(['countersign.samples'])
})

test('each client as a file, from the guide that shows its use', async ({ page }) => {
  await page.goto('/docs')
  await page.getByRole('navigation', { name: 'Contents' }).getByRole('link', { name: 'Client libraries' }).click()
  await expect(page).toHaveURL(/\/docs\/clients$/)
  for (const [name, use] of [
    ['countersign.ts', 'client.createCollect('],
    ['countersign.py', 'client.create_collect('],
    ['countersign.php', '$client->createCollect('],
  ] as const) {
    await expect(page.getByRole('main')).toContainText(use)
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: `Download ${name}` }).click()])
    expect(file.suggestedFilename()).toBe(name)
    expect(await file.failure()).toBeNull()
  }
})

test('pasted into a shell: the credentials of the guide about approvals, its deposit, and the two decisions', async ({ page }) => {
  await page.goto('/docs/approvals')
  const textOf = async (label: string) => (await page.getByRole('region', { name: label }).locator('pre').first().textContent()) ?? ''
  const credentials = await textOf('Credentials, a token and a checker of the second application')
  const deposit = await page.getByRole('tabpanel').nth(0).locator('pre').textContent()
  for (const [place, wanted] of [
    [1, 'PENDING'],
    [2, 'FAILED'],
  ] as const) {
    const decision = await page.getByRole('tabpanel').nth(place).locator('pre').textContent()
    const script = `set -e\n${credentials}\nanswer=$(${deposit}\n)\necho "$answer"
export TRANSACTION_ID=$(echo "$answer" | node -e 'console.log(JSON.parse(require("fs").readFileSync(0, "utf8")).transactionId)')\n${decision}`
    const { stdout } = await run('bash', ['-c', script])
    expect(stdout).toContain('"transactionStatus":"PENDING_APPROVAL"')
    expect(stdout).toContain(`"status":"${wanted}"`)
  }
})

test('the program that listens as a file, from the guide about webhooks', async ({ page }) => {
  await page.goto('/docs/webhooks#local')
  await expect(page.getByRole('main')).toContainText(`--package=${sandboxUrl()}/api/v2/clients/countersign-1.0.0.tgz`)
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download countersign-1.0.0.tgz' }).click(),
  ])
  expect(await file.failure()).toBeNull()
})

test('the contents in a menu, both themes and French at 360 px, without overflow', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 760 })
  for (const topic of [
    'collect',
    'states',
    'operators',
    'sandbox',
    'errors',
    'clients',
    'approvals',
    'versions',
    'countries',
    'customers',
    'webhooks',
  ]) {
    await page.goto(`/docs/${topic}`)
    for (const width of [360, 320]) {
      await page.setViewportSize({ width, height: 760 })
      const { scrollWidth, clientWidth } = await page.evaluate(() => document.documentElement)
      expect(scrollWidth, `${topic} at ${width}`).toBe(clientWidth)
    }
    expect(await findAxeViolations(page), topic).toEqual([])
  }
  await page.getByRole('button', { name: 'Language, Theme' }).click()
  await page.getByRole('button', { name: 'Français' }).click()
  await expect(page.locator('html')).toHaveAttribute('lang', 'fr')
  await expect(page.getByRole('heading', { name: 'Vérifier la signature' })).toBeVisible()
  await expect(page.getByText('viennent du document OpenAPI et sont en anglais')).toHaveCount(0)
  await page.getByRole('button', { name: 'Sombre' }).click()
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')
  expect(await findAxeViolations(page)).toEqual([])
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Sommaire' }).click()
  await page.locator('#docs-contents').getByRole('link', { name: 'deposit', exact: true }).click()
  await expect(page).toHaveURL(/\/docs\/deposit$/)
  await expect(page.locator('#docs-contents')).toBeHidden()
  await expect(page.getByText('viennent du document OpenAPI et sont en anglais')).toBeVisible()
})

test('200 for Run on a collect with the values of the signed-in engineer, and its transaction in the inspector and the next example', async ({
  page,
}) => {
  const engineer = personWith(['engineer'])
  const { apiId, apiKey } = readSandbox().applications[0] ?? { apiId: '', apiKey: '' }
  await signIn(page, engineer, '/docs')
  const example = page.getByRole('tabpanel').filter({ hasText: '/transaction/collect' })
  await expect(example).toContainText(`"${sandboxUrl()}/api/v1/transaction/collect"`)
  await expect(example).toContainText(`apiId: ${apiId}`)
  expect(await page.content()).not.toContain(apiKey)
  const panel = page.getByRole('region', { name: 'Run: Debit a customer and credit the application' })
  await panel.getByRole('button', { name: 'Run' }).click()
  const answer = panel.getByRole('region', { name: 'Response: Debit a customer' })
  await expect(answer).toContainText('"transactionStatus": "PENDING"')
  await expect(panel.getByText('200', { exact: true })).toBeVisible()
  await expect(panel.getByRole('link', { name: 'Open the customer’s page' })).toHaveAttribute('href', /^\/pay\/[0-9a-f-]{36}$/)
  await expectAccessibleEverywhere(page)
  const { transactionId } = JSON.parse((await answer.textContent()) ?? '')
  // The example below takes the id that this one returned.
  const status = page.getByRole('region', { name: /^Run: .*status/i }).first()
  await expect(status.getByLabel('TRANSACTION_ID')).toHaveValue(transactionId)
  await status.getByRole('button', { name: 'Run' }).click()
  await expect(status.getByRole('region', { name: /^Response/ })).toContainText(transactionId)
  await panel.getByRole('link', { name: 'Request and webhook' }).click()
  await expect(page.getByRole('table', { name: 'Calls of your program' }).getByRole('row', { name: /transaction\/collect/ })).toContainText(
    '200',
  )
})

test('400 with the reason for Run with a wrong amount, and nothing to run for decisions and tokens', async ({ page }) => {
  await signIn(page, personWith(['engineer']), '/docs/collect')
  const panel = page.getByRole('region', { name: 'Run: Example' })
  await panel.getByText('Change the body').click()
  const field = panel.getByRole('textbox', { name: 'Body' })
  await field.fill((await field.inputValue()).replace('5000', '-5'))
  await panel.getByRole('button', { name: 'Run' }).click()
  await expect(panel.getByText('400', { exact: true })).toBeVisible()
  await expect(panel.getByRole('region', { name: 'Response: Example' })).toContainText('amount must be')
  await page.goto('/docs/transactionStatus')
  await waitForScripts(page)
  await panel.getByRole('button', { name: 'Run' }).click()
  await expect(panel.getByRole('alert')).toContainText('Fill in each id')
  const { run } = readReference().operations.get('validateTransaction') ?? { run: null }
  expect(run).toBeUndefined()
  for (const topic of ['validateTransaction', 'accessToken']) {
    await page.goto(`/docs/${topic}`)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await expect(page.getByRole('button', { name: 'Run' })).toHaveCount(0)
  }
})

test('a way to sign in again, and nothing started, for Run after the session has ended', async ({ page, context }) => {
  await signIn(page, personWith(['engineer']), '/docs/collect')
  await context.clearCookies()
  const panel = page.getByRole('region', { name: 'Run: Example' })
  await panel.getByRole('button', { name: 'Run' }).click()
  await expect(panel.getByRole('alert').getByRole('link', { name: 'Sign in' })).toHaveAttribute(
    'href',
    /^\/sign-in\?next=%2Fdocs%2Fcollect/,
  )
})

test('no values, no Run and a hint to sign in for a reader without a session; no Run for a maker', async ({ page }) => {
  await page.goto('/docs/collect')
  await expect(page.getByText('run them from the page')).toBeVisible()
  await expect(page.getByRole('tabpanel')).toContainText('$BASE_URL')
  await expect(page.getByRole('button', { name: 'Run' })).toHaveCount(0)
  await signIn(page, personWith(['maker']), '/docs/collect')
  await expect(page.getByRole('tabpanel')).toContainText('$BASE_URL')
  await expect(page.getByRole('button', { name: 'Run' })).toHaveCount(0)
})

/** Returns the parts of a guide that both languages share, its places and its code as it is pasted, and its headings. */
async function readGuide(page: Page, address: string) {
  await page.goto(address)
  return page.evaluate(() => {
    const article = document.querySelector('article')
    return {
      title: article?.querySelector('h1')?.textContent,
      headings: [...(article?.querySelectorAll('h2') ?? [])].map(({ textContent }) => textContent),
      // React numbers what has no place of its own.
      places: [...(article?.querySelectorAll('[id]') ?? [])].map(({ id }) => id).filter((id) => !id.startsWith('_')),
      code: [...(article?.querySelectorAll('pre') ?? [])].map(({ textContent }) => textContent),
      inline: [...(article?.querySelectorAll('p code, li code') ?? [])].length,
    }
  })
}

test('the same places and the same code in English and in French in every guide, under headings in each language', async ({ browser }) => {
  const [english, french] = await Promise.all(
    ['en', 'fr'].map(async (locale) => (await browser.newContext({ locale, baseURL: sandboxUrl() })).newPage()),
  )
  if (!english || !french) throw new Error('no page')
  for (const guide of Object.keys(GUIDES)) {
    const address = guide === 'start' ? '/docs' : `/docs/${guide}`
    const [first, second] = await Promise.all([readGuide(english, address), readGuide(french, address)])
    expect(second.places, guide).toEqual(first.places)
    expect(second.code, guide).toEqual(first.code)
    expect(second.inline, guide).toBe(first.inline)
    expect(first.places.length, guide).toBeGreaterThan(1)
    if (guide !== 'countries') expect(second.headings, guide).not.toEqual(first.headings)
  }
  await french.goto('/docs')
  await french.getByRole('combobox', { name: 'Rechercher dans la référence' }).fill('vérifier la signature')
  await expect(french.getByRole('option').first()).toContainText('Webhooks')
  await Promise.all([english, french].map((page) => page.context().close()))
})

test('a quick start for each of the seven countries, whose collect is paid by Run', async ({ page }) => {
  await signIn(page, personWith(['engineer']), '/docs/countries')
  await expect(page.getByRole('article').getByRole('heading', { level: 2 })).toHaveCount(7)
  for (const code of OPERATOR_CODES) await expect(page.getByRole('main').getByText(code, { exact: true }).first()).toBeVisible()
  const panel = page.getByRole('region', { name: 'Run: A collect: Uganda' })
  await panel.getByRole('button', { name: 'Run' }).click()
  await expect(panel.getByRole('region', { name: /^Response/ })).toContainText('"transferMethod": "UGMTN"')
})

test('no page of the reference loads more than 1.355 times the JavaScript of an empty page', async () => {
  for (const address of ['/docs', '/docs/collect', '/docs/operators', '/docs/countries']) {
    const { bytes } = await measurePageScripts(sandboxUrl(), address, '')
    expect(bytes, address).toBeLessThanOrEqual(EMPTY_PAGE_BYTES * SCRIPT_BAR)
  }
})
