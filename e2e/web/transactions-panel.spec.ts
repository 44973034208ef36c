import { expect, signIn, test } from './fixtures.ts'
import { personWith } from './sandbox.ts'
import { panelOf, rowsOf } from './transaction-list.ts'

test('J, K and the buttons of the panel move it through the rows, and its head stays in sight', async ({ page }) => {
  const person = personWith(['finance'])
  await signIn(page, person, `/${person.slug}/transactions?status=SUCCESS&size=25`)
  await rowsOf(page).first().getByRole('link').click()
  const panel = panelOf(page)
  await expect(panel.getByRole('heading', { name: 'Details' })).toBeVisible()
  await panel.getByRole('heading', { name: 'Ledger entries' }).scrollIntoViewIfNeeded()
  for (const name of ['Close', 'Previous item', 'Next item'])
    await expect(panel.getByRole('button', { name }).first()).toBeInViewport({ ratio: 1 })
  await expect(panel.getByRole('link', { name: 'Open full page' })).toBeInViewport({ ratio: 1 })
  await page.keyboard.press('j')
  await expect(rowsOf(page).nth(1)).toHaveAttribute('aria-current', 'true')
  await expect(rowsOf(page).nth(1)).toBeFocused()
  await expect(panel).toContainText((await rowsOf(page).nth(1).getByRole('link').textContent()) ?? '')
  await panel.getByRole('button', { name: 'Next item' }).click()
  // Rows that new ones push to the next page are no longer among them.
  await expect(panel).toContainText(/3 of 2\d/)
  await page.keyboard.press('Escape')
  await expect(panel).toHaveCount(0)
  await expect(rowsOf(page).nth(2)).toBeFocused()
  await expect(page).toHaveURL(/status=SUCCESS&size=25$/)
})

test('a new tab is opened by Ctrl or the middle button on a row, and its way back has the filters and the page', async ({
  page,
  context,
}) => {
  const person = personWith(['finance'])
  await signIn(page, person, `/${person.slug}/transactions?status=SUCCESS&page=2&size=25`)
  const cell = rowsOf(page).nth(1).getByRole('cell').nth(3)
  for (const how of [{ modifiers: ['Control' as const] }, { button: 'middle' as const }]) {
    const opened = context.waitForEvent('page')
    await cell.click(how)
    const tab = await opened
    await tab.getByRole('link', { name: 'All transactions' }).click()
    await expect(tab).toHaveURL(/\/transactions\?status=SUCCESS&size=25&page=2$/)
    await tab.close()
  }
  await expect(panelOf(page)).toHaveCount(0)
})

test('nothing in the panel is cut off at any width', async ({ page }) => {
  const person = personWith(['finance'])
  await signIn(page, person, `/${person.slug}/transactions?unconfirmed=1&size=25`)
  await rowsOf(page).first().getByRole('link').click()
  const panel = panelOf(page)
  for (const width of [1440, 1024, 360]) {
    await page.setViewportSize({ width, height: 800 })
    await expect(panel.getByRole('list', { name: 'Operator calls' })).toBeVisible()
    const cut = await panel.evaluate((element) =>
      [...element.querySelectorAll('*')]
        .filter((each) => each.scrollWidth > each.clientWidth + 1 && each.clientWidth > 1 && getComputedStyle(each).display !== 'inline')
        .map((each) => each.outerHTML.slice(0, 120)),
    )
    expect(cut, `at ${width}`).toEqual([])
  }
})

test('an offline panel offers to try again, and shows the transaction once the connection is back', async ({ page, context }) => {
  const person = personWith(['finance'])
  await signIn(page, person, `/${person.slug}/transactions`)
  await expect(rowsOf(page).first()).toBeVisible()
  await context.setOffline(true)
  await rowsOf(page).first().getByRole('link').click()
  await expect(panelOf(page)).toBeVisible()
  await expect(page.getByText('Something broke')).toHaveCount(0)
  await context.setOffline(false)
  const retry = panelOf(page).getByRole('button', { name: 'Try again' })
  const details = panelOf(page).getByRole('heading', { name: 'Details' })
  await expect(retry.or(details).first()).toBeVisible()
  if (await retry.isVisible()) await retry.click()
  await expect(details).toBeVisible()
})
