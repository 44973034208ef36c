import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright/test'
import { expect, expectAccessible, isJudged, LOOKS, moveToFirstRow, test, WIDTHS } from './fixtures.ts'
import { personWith, readSandbox, sandboxUrl } from './sandbox.ts'
import { another, openApprovals, panelOf, rowsOf, sendButton } from './waiting.ts'

test.describe.configure({ mode: 'default' })

/** Large deposits of the second application's program, which its rules hold back. */
async function startLargeDeposits(count: number): Promise<void> {
  const application = readSandbox().applications[1]
  if (!application) throw new Error('The sandbox has one application only')
  const post = async (address: string, headers: Record<string, string>, body: unknown) => {
    const response = await fetch(sandboxUrl() + address, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
    if (response.status !== 200) throw new Error(`${address} answered ${response.status}: ${await response.text()}`)
    return (await response.json()) as Record<string, string>
  }
  const tokens = await post('/public/access_token', {}, { username: application.username, password: application.password })
  const headers = { apiKey: application.apiKey, apiId: application.apiId, authorization: `Bearer ${tokens['access_token']}` }
  for (let n = 0; n < count; n++) {
    await post('/api/v1/transaction/deposit', headers, {
      customerName: `Ndeye Sarr ${n}`,
      externalId: randomUUID(),
      phoneNumber: `22177${String(1_000_000 + Math.floor(Math.random() * 8_999_000)).slice(0, 4)}800`,
      amount: 301_000 + n,
      webhookUrl: 'https://partner.example/hook',
      transferMethod: 'SNOM',
      countryName: 'SENEGAL',
    })
  }
}

const countIn = async (page: Page) =>
  Number(
    (await page.getByRole('navigation', { name: 'Queues' }).locator('a[aria-current=page] span').textContent())?.replace(/\D/g, '') ?? 0,
  )

test('a checker decides twenty transactions without a mouse, and the focus goes on from row to row', async ({ page }) => {
  test.setTimeout(120_000)
  await startLargeDeposits(22)
  const checker = personWith(['checker'], 0, 1)
  await openApprovals(page, checker, '?sort=newest')
  await page.keyboard.press('j')
  for (let n = 0; n < 20; n++) {
    const current = page.locator('tr[aria-current=true]')
    const id = await current.getAttribute('id')
    const isRejection = n % 5 === 4
    await page.keyboard.press(isRejection ? 'r' : 'v')
    const panel = panelOf(page)
    await expect(panel.getByLabel(isRejection ? 'Reason' : 'Payee note', { exact: true })).toBeFocused()
    await page.keyboard.type(isRejection ? 'Duplicate of an earlier one' : `Invoice ${n} seen`)
    await page.keyboard.press('Enter')
    await expect(page.locator(`[id="${id}"]`)).toHaveCount(0)
    await expect(page.locator('tr:focus')).toHaveAttribute('aria-current', 'true')
  }
  await page.goto(`/${checker.slug}/approvals?queue=decided`)
  await expect(
    rowsOf(page)
      .filter({ hasText: `Validated by ${checker.name}` })
      .first(),
  ).toBeVisible()
})

test('a note is mandatory, and that of the last decision is offered but never filled in', async ({ page }) => {
  await startLargeDeposits(2)
  await openApprovals(page, personWith(['checker'], 0, 1), '?sort=newest')
  const first = await rowsOf(page).first().getAttribute('id')
  await rowsOf(page).first().getByRole('button', { name: 'Validate' }).click()
  const panel = panelOf(page)
  await sendButton(page).click()
  await expect(panel.getByText('Required', { exact: true })).toBeVisible()
  await panel.getByLabel('Payee note').fill('List signed')
  await sendButton(page).click()
  await expect(page.locator(`[id="${first}"]`)).toHaveCount(0)
  await expect(panel.getByLabel('Payee note')).toHaveValue('')
  await panel.getByRole('button', { name: 'Use again: List signed' }).click()
  await expect(panel.getByLabel('Payee note')).toHaveValue('List signed')
})

test('two checkers at once: the one who comes second learns who was first, and both lists are refreshed without a reload', async ({
  page,
  browser,
}) => {
  const [mariam, jean] = [personWith(['checker']), personWith(['checker'], 1)]
  await openApprovals(page, mariam, '?max=20000')
  const other = await another(browser, jean, '?max=20000')
  const id = await rowsOf(page).filter({ hasText: '0 of 1 approval' }).last().getAttribute('id')
  const row = (of: Page) => of.locator(`[id="${id}"]`)
  await row(page).getByRole('button', { name: 'Validate' }).click()
  await page.getByLabel('Payee note').fill('Looks right')
  await row(other).getByRole('button', { name: 'Reject' }).click()
  await other.getByRole('button', { name: 'Wrong beneficiary' }).click()
  await sendButton(other, 'Reject').click()
  await expect(row(other)).toHaveCount(0)
  await sendButton(page).click()
  await expect(panelOf(page)).toContainText(`Already rejected by ${jean.name}`)
  await page.keyboard.press('Escape')
  await expect(row(page)).toHaveCount(0)

  const next = await rowsOf(page).filter({ hasText: '0 of 1 approval' }).last().getAttribute('id')
  await other.locator(`[id="${next}"]`).getByRole('button', { name: 'Validate' }).click()
  await other.getByLabel('Payee note').fill('Seen')
  await other.keyboard.press('Enter')
  await expect(page.locator(`[id="${next}"]`)).toHaveCount(0)
  await other.context().close()
})

test('somebody who made a transaction may not decide it: the reason is in place of the buttons', async ({ page }) => {
  const grace = personWith(['maker', 'checker'])
  await openApprovals(page, grace, '?queue=made')
  const row = rowsOf(page).first()
  await expect(row).toContainText('You prepared this')
  await expect(row.getByRole('button', { name: 'Validate' })).toHaveCount(0)
  await row.getByRole('button', { name: 'Recall' }).click()
  await panelOf(page).getByLabel('Reason').fill('Prepared twice')
  const id = await row.getAttribute('id')
  await sendButton(page, 'Recall').click()
  await expect(page.locator(`[id="${id}"]`)).toHaveCount(0)
  await page.goto(`/${grace.slug}/approvals`)
  await expect(rowsOf(page).filter({ hasText: grace.name })).toHaveCount(0)
})

test('finance sees what waits and why it may not decide', async ({ page }) => {
  const finance = personWith(['finance'])
  await openApprovals(page, finance)
  await expect(page.getByText('Nothing waiting for your decision.').first()).toBeVisible()
  await page.getByRole('link', { name: /Waiting for others/ }).click()
  await expect(rowsOf(page).first()).toContainText('Only checkers decide')
  // The reason stays within the two lines of a row.
  expect((await rowsOf(page).first().boundingBox())?.height).toBeLessThanOrEqual(60)
})

test('several are decided at once: count and sums per currency before, one result for each after', async ({ page }) => {
  await openApprovals(page, personWith(['checker']), '?max=20000')
  await moveToFirstRow(page)
  for (const key of ['x', 'j', 'x', 'j', 'x']) await page.keyboard.press(key)
  const bar = page.getByRole('region', { name: 'Selected transactions' })
  await expect(bar).toContainText('3 selected')
  await bar.getByRole('button', { name: 'Validate 3' }).click()
  const panel = panelOf(page)
  await expect(panel.getByRole('button', { name: /^Validate 3 · .*X[AO]F|UGX/ })).toBeVisible()
  await panel.getByLabel('Payee note').fill('Payment run of the week')
  await panel.getByRole('button', { name: /^Validate 3/ }).click()
  await expect(panel).toContainText('3 validated')
  await page.keyboard.press('Escape')
  await expect(bar).toHaveCount(0)
})

test('new transactions appear without a reload', async ({ page }) => {
  await openApprovals(page, personWith(['checker'], 0, 1))
  const before = await countIn(page)
  await startLargeDeposits(1)
  await expect.poll(() => countIn(page)).toBeGreaterThan(before)
})

for (const { locale, colorScheme } of LOOKS) {
  test(`axe finds nothing on the approvals, ${locale} ${colorScheme}, at three widths, list, panel and reason`, async ({ browser }) => {
    const context = await browser.newContext({ baseURL: sandboxUrl(), locale, colorScheme })
    const page = await context.newPage()
    // A few rows show everything that many do, and axe looks at each of them.
    await openApprovals(page, personWith(['checker']), '?operator=UGMTN')
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 })
      if (isJudged(width)) await expectAccessible(page)
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `scrolls sideways at ${width}`).toBe(true)
      await page
        .locator('tbody tr')
        .first()
        .focus()
        .catch(() => undefined)
      await page.keyboard.press('j')
      await page.keyboard.press('Enter')
      await expect(panelOf(page)).toBeVisible()
      if (isJudged(width)) await expectAccessible(page)
      await page.keyboard.press('r')
      await expect(page.locator('#field-note')).toBeVisible()
      if (isJudged(width)) await expectAccessible(page)
      await page.keyboard.press('Escape')
      await page.keyboard.press('Escape')
      await expect(panelOf(page)).toBeVisible({ visible: width >= 1400 })
    }
    await context.close()
  })
}
