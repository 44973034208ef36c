import type { Page } from 'playwright/test'
import { expect, expectAccessible, signIn, test } from './fixtures.ts'
import { personWith } from './sandbox.ts'

/** Opens the palette; repeats the keys until the scripts of the page handle them. */
async function openPalette(page: Page): Promise<void> {
  await expect(async () => {
    await page.keyboard.press('Control+k')
    await expect(page.getByRole('combobox', { name: 'Go to or do' })).toBeFocused({ timeout: 250 })
  }).toPass()
}

test('Ctrl K and the start of a name open a page that this person may open, and no other is offered', async ({ page }) => {
  const person = personWith(['checker'])
  await signIn(page, person)
  await openPalette(page)
  await expect(page.getByRole('option', { name: 'Approvals' })).toBeVisible()
  await expect(page.getByRole('option', { name: 'People' })).toHaveCount(0)
  await expectAccessible(page)
  await page.keyboard.type('bal')
  await expect(page.getByRole('option')).toHaveCount(1)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(`/${person.slug}/balances`)
  await expect(page.getByRole('dialog')).toHaveCount(0)
})

test('a customer found by name is paid from the palette: name, number, country and operator are filled in', async ({ page }) => {
  const person = personWith(['maker'])
  await signIn(page, person, `/${person.slug}/transactions?type=DEPOSIT&status=SUCCESS`)
  const id = (await page.locator('tr[id^=row-]').first().getAttribute('id'))?.slice('row-'.length)
  const detail = await (await page.request.get(`/api/back-office/${person.slug}/transactions/${id}`)).json()
  await openPalette(page)
  await page.keyboard.type(detail.phoneNumber)
  const pay = page.getByRole('option', { name: `New payment to ${detail.customerName}` })
  await expect(pay).toBeVisible()
  await page.keyboard.press('ArrowUp')
  await expect(pay).toHaveAttribute('aria-selected', 'true')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/new\?payment=.*to=/)
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue(detail.customerName)
  await expect(page.getByLabel('Phone number')).toHaveValue(new RegExp(detail.phoneNumber.slice(-4)))
  await expect(page.getByLabel('Country')).not.toHaveValue('')
  await expect(page.getByLabel('Operator')).not.toHaveValue('')
})

test('"export" and a month download the transactions of that month', async ({ page }) => {
  const person = personWith(['finance'])
  await signIn(page, person)
  await openPalette(page)
  await page.keyboard.type('export')
  await expect(page.getByRole('option', { name: /^Export/ })).toHaveCount(4)
  const downloading = page.waitForEvent('download')
  await page.keyboard.press('Enter')
  expect((await downloading).suggestedFilename()).toMatch(/\.xlsx$/)
  await expect(page).toHaveURL(`/${person.slug}`)
})

test('Escape closes the palette and returns the focus; a text that fits nothing says so', async ({ page }) => {
  const person = personWith(['finance'])
  await signIn(page, person)
  await openPalette(page)
  await page.keyboard.type('zzzz nothing')
  await expect(page.getByRole('status').filter({ hasText: 'No match' })).toBeVisible()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
})
