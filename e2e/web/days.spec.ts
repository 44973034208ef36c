import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright/test'
import type { Pool } from '#server/database/pool.ts'
import { expect, searchByKeys, test, waitForScripts } from './fixtures.ts'
import { sandboxPool } from './people.ts'
import { personWith, type SandboxPerson } from './sandbox.ts'
import { askByKey, bulkBar, newQueue, panelOf, rowOf, rowsOf, sendButton } from './waiting.ts'

test.describe.configure({ mode: 'default' })

let pool: Pool
test.beforeAll(async () => {
  pool = await sandboxPool()
})
test.afterAll(() => pool.end())

async function arrive(page: Page, person: SandboxPerson): Promise<void> {
  await page.goto(`/${person.slug}`)
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  await page.getByLabel('Email').fill(person.email)
  await page.getByLabel('Password').fill(person.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible()
}

test('the day of a checker: what waits, one by one, the rest at once, a question on the phone, and home', async ({ page }) => {
  const queue = await newQueue(pool)
  const [first, wrong, third, fourth] = await queue.wait([
    { name: 'Amadou Ngassa', amountMinor: 1_250_000n },
    { name: 'Kossi Adjovi', amountMinor: 99_000_000n },
    { name: 'Awa Traoré', phone: '237670112233' },
    { name: 'Clarisse Mbarga' },
  ])
  await arrive(page, queue.checker)
  await page
    .getByRole('main')
    .getByRole('link', { name: /4 transactions waiting for your decision/ })
    .click()
  await expect(rowsOf(page)).toHaveCount(4)

  await page.keyboard.press('j')
  await askByKey(page, 'v')
  await page.keyboard.type('Invoice 118 seen')
  await page.keyboard.press('Enter')
  await expect(rowOf(page, first)).toHaveCount(0)
  await rowOf(page, wrong).getByRole('button', { name: 'Reject' }).click()
  await panelOf(page).getByRole('button', { name: 'Wrong amount' }).click()
  await sendButton(page, 'Reject').click()
  await expect(rowOf(page, wrong)).toHaveCount(0)
  await page.getByRole('checkbox', { name: 'Select all rows on this page' }).check()
  await bulkBar(page).getByRole('button', { name: 'Validate 2' }).click()
  await expect(panelOf(page).getByRole('button', { name: /^Validate 2 · 10,000\sXAF$/ })).toBeVisible()
  await page.getByLabel('Payee note').fill('Payroll of November')
  await page.keyboard.press('Enter')
  await expect(panelOf(page)).toContainText('2 validated')
  await page.keyboard.press('Escape')
  await expect(page.getByText('New transactions appear here automatically.')).toBeVisible()
  for (const id of [first, third, fourth]) await expect.poll(() => queue.statusOf(id ?? '')).toBe('SUCCESS')

  await page.getByRole('navigation', { name: 'Queues' }).getByRole('link', { name: 'Decided' }).click()
  await expect(rowsOf(page)).toHaveCount(4)
  await expect(rowOf(page, wrong)).toContainText('Rejected by Mariam Diallo')

  await searchByKeys(page, '670112233')
  await expect(page.getByText('Awa Traoré').first()).toBeVisible()
  await page.goto(`/${queue.slug}/transactions/${third}`)
  await expect(page.getByText('Payroll of November').first()).toBeVisible()
  await expect(page.getByRole('button', { name: 'Validate', exact: true })).toHaveCount(0)

  await page.getByRole('button', { name: /account menu$/ }).click()
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  await page.goto(`/${queue.slug}/approvals`)
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
})

test('the day of a maker, who may not decide: what was made, why it waits, one taken back, one that came back with a reason', async ({
  page,
}) => {
  const queue = await newQueue(pool)
  const [kept, refused, twice] = await queue.wait([{ name: 'Amadou Ngassa' }, { name: 'Kossi Adjovi' }, { name: 'Awa Traoré' }])
  await queue.decide(queue.checker, [refused ?? ''], 'rejected', 'Wrong beneficiary')
  await arrive(page, queue.maker)
  await expect(page.getByRole('heading', { name: 'Created by me' })).toBeVisible()

  await page.getByRole('navigation', { name: 'Main navigation' }).getByRole('link', { name: 'Approvals' }).click()
  await page
    .getByRole('navigation', { name: 'Queues' })
    .getByRole('link', { name: /Created by me/ })
    .click()
  await expect(rowsOf(page)).toHaveCount(2)
  for (const id of [kept, twice]) {
    await expect(rowOf(page, id)).toContainText('You prepared this')
    await expect(rowOf(page, id).getByRole('button', { name: /Validate|Reject/ })).toHaveCount(0)
  }
  await page.keyboard.press('j')
  await page.keyboard.press('v')
  await expect(page.locator('#field-note')).toHaveCount(0)
  await rowOf(page, twice).getByRole('button', { name: 'Recall' }).click()
  await panelOf(page).getByLabel('Reason').fill('Prepared twice')
  await sendButton(page, 'Recall').click()
  await expect(rowOf(page, twice)).toHaveCount(0)
  await expect.poll(() => queue.statusOf(twice ?? '')).toBe('FAILED')

  await page.getByRole('navigation', { name: 'Queues' }).getByRole('link', { name: 'Decided' }).click()
  await expect(rowOf(page, refused)).toContainText('Wrong beneficiary')
  await page.goto(`/${queue.slug}/transactions/${kept}`)
  await expect(page.getByRole('region', { name: 'Decision' })).toContainText('Can decide: Jean Ouattara, Mariam Diallo')
  await expect(page.getByRole('button', { name: /^(Validate|Reject)$/ })).toHaveCount(0)

  await page.getByRole('navigation', { name: 'Main navigation' }).getByRole('link', { name: 'Transactions' }).click()
  await expect(rowsOf(page)).toHaveCount(3)
  const file = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export', exact: true }).click()
  await page
    .getByRole('button', { name: /as CSV$/ })
    .first()
    .click()
  expect(await readFile(await (await file).path(), 'utf8')).toContain('Kossi Adjovi')
})

test.describe('on a phone of 360 px', () => {
  test.use({ viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true })

  /** Opens a page of the menu next to the four that the bar shows. */
  async function openMore(page: Page, name: string): Promise<void> {
    const bar = page.getByRole('navigation', { name: 'Main navigation' })
    await bar.getByRole('button', { name: 'More' }).tap()
    await bar.getByRole('link', { name, exact: true }).tap()
    await expect(page.getByRole('heading', { level: 1, name })).toBeVisible()
    expect(await page.evaluate(() => document.documentElement.scrollWidth), `${name} is too wide`).toBeLessThanOrEqual(360)
  }

  test('the day of a checker: approve with a note, filter, open a transaction, totals, an export, settings', async ({ page }) => {
    const queue = await newQueue(pool)
    const [first, second] = await queue.wait([{ name: 'Amadou Ngassa' }, { name: 'Kossi Adjovi', operator: 'SNOM', phone: '221771234567' }])
    await arrive(page, queue.checker)
    const bar = page.getByRole('navigation', { name: 'Main navigation' })
    await bar.getByRole('link', { name: /^Approvals/ }).tap()
    await expect(rowsOf(page)).toHaveCount(2)
    await rowOf(page, first).tap()
    await panelOf(page).getByLabel('Payee note').fill('Invoice 118 seen')
    await sendButton(page).tap()
    await expect.poll(() => queue.statusOf(first ?? '')).toBe('SUCCESS')
    await expect(panelOf(page), 'the next one follows').toContainText('Kossi Adjovi')
    await panelOf(page).getByRole('button', { name: 'Close' }).tap()

    await bar.getByRole('link', { name: 'Transactions' }).tap()
    await expect(rowsOf(page)).toHaveCount(2)
    await page.getByRole('button', { name: /^Status/ }).tap()
    await page.getByRole('checkbox', { name: /^Success/ }).check()
    await page.getByRole('button', { name: 'Apply' }).filter({ visible: true }).tap()
    await expect(rowsOf(page)).toHaveCount(1)
    const file = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export', exact: true }).tap()
    await page
      .getByRole('button', { name: /as CSV$/ })
      .first()
      .tap()
    expect(await readFile(await (await file).path(), 'utf8')).toContain('Amadou Ngassa')
    await page.goto(`/${queue.slug}/transactions/${second}`)
    await expect(page.getByText('Kossi Adjovi').first()).toBeVisible()

    await openMore(page, 'Totals')
    await openMore(page, 'Search')
    await openMore(page, 'Settings')
  })

  test('the day of a finance officer: totals, a statement and its export, approvals, search', async ({ page }) => {
    const person = personWith(['finance'])
    await arrive(page, person)
    const bar = page.getByRole('navigation', { name: 'Main navigation' })
    await bar.getByRole('link', { name: 'Totals' }).tap()
    await expect(page.getByRole('heading', { level: 1, name: 'Totals' })).toBeVisible()
    await bar.getByRole('link', { name: 'Balances' }).tap()
    await page
      .getByRole('article', { name: 'MTN Cameroon' })
      .getByRole('link', { name: /^Statement/ })
      .tap()
    await expect(page.getByText('The postings add up to the current balance.')).toBeVisible()
    const file = page.waitForEvent('download')
    await page
      .getByRole('button', { name: /^Export/ })
      .first()
      .tap()
    await page.getByRole('link', { name: 'As CSV' }).tap()
    expect(await readFile(await (await file).path(), 'utf8')).toContain('XAF')

    await openMore(page, 'Approvals')
    await openMore(page, 'Search')
    await waitForScripts(page)
    await page.getByRole('main').getByRole('combobox').fill('2376')
    await page.getByRole('main').getByRole('combobox').press('Enter')
    await expect(page.getByRole('list', { name: 'Search' }).getByRole('link').first()).toBeVisible()
    await openMore(page, 'Settings')
  })
})
