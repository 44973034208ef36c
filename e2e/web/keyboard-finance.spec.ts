import { readFile } from 'node:fs/promises'
import { expect, test, waitForScripts } from './fixtures.ts'
import { goByKeys, pressOn, signInByKeys, tabTo } from './keyboard.ts'
import { personWith } from './sandbox.ts'
import { minorOf, readList } from './transaction-list.ts'

test("a finance officer's day by keyboard alone: signs in, filters and exports the list, opens the pivot and a figure of it, and goes back", async ({
  page,
}) => {
  test.setTimeout(240_000)
  const person = personWith(['finance'])
  await signInByKeys(page, person)
  await goByKeys(page, 'Transactions', /\/transactions/)
  await pressOn(page, page.getByRole('button', { name: /^Status / }))
  await pressOn(page, page.getByRole('checkbox', { name: 'Success' }), 'Space')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/status=SUCCESS/)
  const { count } = await readList(page)
  await pressOn(page, page.getByRole('button', { name: 'Export', exact: true }))
  await tabTo(page, page.locator('[popover]:popover-open').getByRole('button', { name: /CSV/ }))
  const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')])
  const lines = (await readFile(await download.path(), 'utf8')).trim().split('\r\n')
  expect(lines).toHaveLength(count + 1)

  await goByKeys(page, 'Totals', /\/totals/)
  await pressOn(page, page.getByRole('link', { name: 'Pivot table' }))
  await expect(page).toHaveURL(/\/totals\/pivot/)
  await waitForScripts(page)
  for (const [chip, choice] of [
    ['Dates', 'All days'],
    ['Figure', 'Net'],
    ['Columns', 'Direction'],
  ]) {
    await pressOn(page, page.getByRole('button', { name: new RegExp(`^${chip} `) }))
    const open = page.locator('[popover]:popover-open')
    await pressOn(page, open.getByRole('link', { name: choice, exact: true }).or(open.getByRole('button', { name: choice, exact: true })))
    await expect(page.getByRole('button', { name: `${chip} ${choice}` })).toBeVisible()
  }
  await expect(page).toHaveURL(/dates=always&columns=direction&measure=net/)
  const collects = page.getByRole('table', { name: 'Net, XAF' }).getByRole('row').last().getByRole('cell').nth(1)
  const expected = minorOf((await collects.textContent()) ?? '')
  await pressOn(page, collects.getByRole('link'))
  await expect(page).toHaveURL(/\/transactions\?.*currency=XAF/)
  expect((await readList(page)).sums).toEqual({ XAF: expected })
  // Alt and the left arrow are the browser's, which a headless one does not have.
  await page.goBack()
  await expect(page).toHaveURL(/columns=direction&measure=net/)
  await pressOn(page, page.getByRole('button', { name: 'Save this view' }))
  await expect(page.getByRole('dialog').getByLabel('Name')).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
})
