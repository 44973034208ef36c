import type { Page } from 'playwright/test'
import { expect, signIn, test } from './fixtures.ts'
import { personWith } from './sandbox.ts'
import { rowsOf, startCollect } from './transaction-list.ts'

const headWidths = (page: Page) => page.locator('thead th').evaluateAll((cells) => cells.map((cell) => Math.round(cell.clientWidth)))

test('each day is above its rows once, and a row has only the time', async ({ page }) => {
  const person = personWith(['finance'])
  await signIn(page, person, `/${person.slug}/transactions?size=100`)
  await expect(rowsOf(page).first()).toBeVisible()
  const days = await page.locator('tbody tr:not([id])').allTextContents()
  expect(days.length).toBeGreaterThan(0)
  expect(new Set(days).size).toBe(days.length)
  await expect(rowsOf(page).first().getByRole('cell').nth(1)).toHaveText(/^\d\d:\d\d:\d\d$/)
})

test('the ids of a page differ in what is shown of them, and each can be copied with the keyboard', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const person = personWith(['finance'])
  await signIn(page, person, `/${person.slug}/transactions?size=25`)
  await expect(rowsOf(page).first()).toBeVisible()
  const shown = await page.locator('tbody tr[id^="row-"] span[title].tabular').allTextContents()
  expect([shown.length, new Set(shown).size]).toEqual([25, 25])
  const cut = await page
    .locator('tbody tr[id^="row-"] span[title].tabular')
    .evaluateAll((ids) => ids.filter((each) => each.scrollWidth > each.clientWidth).length)
  expect(cut).toBe(0)
  const button = rowsOf(page).first().getByRole('button', { name: 'Copy: Id' })
  await button.focus()
  await expect(button.locator('xpath=..')).toHaveCSS('opacity', '1')
  await page.keyboard.press('Enter')
  const id = (await rowsOf(page).first().getAttribute('id'))?.slice('row-'.length)
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(id)
})

test('the columns are as wide with other rows, and their heads stay in sight', async ({ page }) => {
  const person = personWith(['finance'])
  await signIn(page, person, `/${person.slug}/transactions?size=50`)
  await expect(rowsOf(page).first()).toBeVisible()
  const widths = await headWidths(page)
  await page.goto(`/${person.slug}/transactions?size=50&operator=UGMTN`)
  await expect(rowsOf(page).first()).toBeVisible()
  expect(await headWidths(page)).toEqual(widths)
  for (const width of [1440, 1024]) {
    await page.setViewportSize({ width, height: 800 })
    await rowsOf(page).nth(30).scrollIntoViewIfNeeded()
    await expect(page.getByRole('columnheader', { name: 'Status' })).toBeInViewport({ ratio: 1 })
    await page.evaluate(() => scrollTo(0, 0))
  }
})

test('a mark on the edge shows that the table goes on at 1024 px, and is gone at its end', async ({ page }) => {
  const person = personWith(['finance'])
  await page.setViewportSize({ width: 1024, height: 800 })
  await signIn(page, person, `/${person.slug}/transactions`)
  const more = page.getByRole('button', { name: 'Show more columns' })
  await expect(more).toBeVisible()
  await more.click()
  await expect(more).toHaveCount(0)
  await expect(page.getByRole('columnheader', { name: 'Id', exact: true })).toBeInViewport({ ratio: 1 })
})

test('a new transaction is counted above the list, and is its first row when somebody wants it', async ({ page }) => {
  const person = personWith(['finance'], 0)
  await signIn(page, person, `/${person.slug}/transactions`)
  const first = await rowsOf(page).first().getAttribute('id')
  const id = await startCollect('237677000912')
  const news = page.getByRole('button', { name: /^\d+ new$/ })
  await expect(news).toBeVisible({ timeout: 40_000 })
  await expect(rowsOf(page).first()).toHaveAttribute('id', first ?? '')
  // Other tests create transactions meanwhile, so the first to be counted may be another one.
  await expect(async () => {
    if (await news.isVisible()) await news.click()
    await expect(page.locator(`[id="row-${id}"]`)).toBeVisible({ timeout: 1_000 })
  }).toPass()
})

test('a line per transaction with its outcome is the report after synchronising several', async ({ page }) => {
  const person = personWith(['checker'])
  const ids = await Promise.all([startCollect('237677000912'), startCollect('237677000912')])
  await signIn(page, person, `/${person.slug}/transactions?status=PENDING&size=25`)
  for (const id of ids) await page.locator(`[id="row-${id}"]`).getByRole('checkbox').check()
  await page.getByRole('button', { name: 'Synchronise 2 pending' }).click()
  const report = page.getByRole('dialog', { name: 'Synchronise with the operators' })
  await expect(report).toContainText('2 of 2 answered')
  await expect(report.getByRole('listitem').filter({ hasText: 'Solange Tchoua' })).toHaveCount(2)
  await expect(report.getByText('The operator has no result yet.')).toHaveCount(2)
})

test('not sent is said of every transaction of a run without a connection, and none is shown as done', async ({ page, context }) => {
  const person = personWith(['checker'])
  const id = await startCollect('237677000912')
  await signIn(page, person, `/${person.slug}/transactions?status=PENDING&size=25`)
  await page.locator(`[id="row-${id}"]`).getByRole('checkbox').check()
  const start = page.getByRole('button', { name: 'Synchronise 1 pending' })
  await expect(start).toBeVisible()
  await context.setOffline(true)
  await start.click()
  const report = page.getByRole('dialog', { name: 'Synchronise with the operators' })
  await expect(report.getByRole('listitem')).toHaveText(/connection/i)
  await context.setOffline(false)
})

test('currency, maker, batch and failure reason narrow the list, and each can be taken off again', async ({ page }) => {
  const person = personWith(['finance'])
  await signIn(page, person, `/${person.slug}/transactions?size=25`)
  await page.getByRole('button', { name: '+ Filter' }).click()
  await page.getByRole('checkbox', { name: 'XOF', exact: true }).check()
  await page.getByRole('checkbox', { name: 'Insufficient funds' }).check()
  await page.getByRole('combobox', { name: 'Created by' }).selectOption({ label: 'API' })
  await page.getByLabel('Batch id').fill('not an id')
  await page.getByRole('button', { name: 'Apply' }).and(page.locator(':visible')).click()
  await expect(page.getByText('A batch id has 36 characters')).toBeVisible()
  await page.getByLabel('Batch id').fill('')
  await page.getByRole('button', { name: 'Apply' }).and(page.locator(':visible')).click()
  await expect(page).toHaveURL(/currency=XOF&maker=api&reason=insufficientFunds/)
  const rows = rowsOf(page)
  await expect(rows.filter({ hasText: 'Solde insuffisant' })).toHaveCount(await rows.count())
  await expect(rows.filter({ hasText: 'XOF' })).toHaveCount(await rows.count())
  await page.getByRole('link', { name: /^XOF/ }).click()
  await expect(page).not.toHaveURL(/currency/)
})

test('busy is shown after a click on a filter while the server has not answered yet', async ({ page }) => {
  const person = personWith(['finance'])
  await signIn(page, person, `/${person.slug}/transactions`)
  await expect(rowsOf(page).first()).toBeVisible()
  let answer: () => void = () => undefined
  const mayAnswer = new Promise<void>((resolve) => {
    answer = resolve
  })
  await page.route(/transactions\?.*status=FAILED/, async (route) => {
    await mayAnswer
    await route.continue()
  })
  await page.getByRole('button', { name: /^Status/ }).click()
  await page.getByRole('checkbox', { name: 'Failed', exact: true }).check()
  await page.getByRole('button', { name: 'Apply' }).and(page.locator(':visible')).click()
  await expect(page.locator('main [aria-busy=true]')).toHaveCount(1)
  answer()
  await expect(page).toHaveURL(/status=FAILED/)
  await expect(page.locator('main [aria-busy=true]')).toHaveCount(0)
})
