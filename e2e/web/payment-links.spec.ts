import type { Page } from 'playwright/test'
import { expect, findAxeViolations, signIn, test, waitForScripts } from './fixtures.ts'
import { personWith, type SandboxPerson } from './sandbox.ts'

/** The slow row of the simulator's table: this customer is quicker than the simulated one. */
const SLOW = '77 209 39 14'
const PHONE = { width: 360, height: 740 }

async function openAs(page: Page, person: SandboxPerson, address: string): Promise<void> {
  await page.context().clearCookies()
  await signIn(page, person, address)
  await waitForScripts(page)
}

/** Creates a link for one payment in Senegal, and returns the address for customers. */
async function createLink(page: Page, maker: SandboxPerson, purpose: string): Promise<string> {
  await openAs(page, maker, `/${maker.slug}/links`)
  await page.getByRole('link', { name: 'New payment link' }).click()
  await page.getByRole('button', { name: 'Create the link' }).click()
  await expect(page.getByLabel('Purpose or reference')).toHaveAttribute('aria-invalid', 'true')
  await page.getByLabel('Purpose or reference').fill(purpose)
  await page.getByLabel('Country').selectOption('SENEGAL')
  await page.getByLabel('Amount in XOF').fill('12,500')
  await page.getByRole('button', { name: 'Create the link' }).click()
  await expect(page.getByRole('heading', { name: purpose })).toBeVisible()
  return (await page.getByRole('link', { name: /\/pay\/link\// }).textContent()) ?? ''
}

async function payAtPhone(page: Page, address: string): Promise<void> {
  await page.setViewportSize(PHONE)
  await page.goto(address)
  expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0)
  expect(await findAxeViolations(page)).toEqual([])
  await page.getByLabel('Wave').check()
  await page.getByLabel('Number that pays').fill('77')
  await page.getByLabel('Your name').fill('Awa Diop')
  await page.getByRole('button', { name: 'Pay' }).click()
  await expect(page.getByText('This is not a complete number of Senegal.')).toBeVisible()
  await expect(page.getByLabel('Your name')).toHaveValue('Awa Diop')
  await page.getByLabel('Number that pays').fill(SLOW)
  await page.getByRole('button', { name: 'Pay' }).dblclick()
  await page.getByRole('link', { name: 'Pay with Wave' }).click({ timeout: 30_000 })
  await page.getByRole('button', { name: 'Pay' }).click()
  await expect(page.getByText('The payment has been made.')).toBeVisible({ timeout: 60_000 })
}

test('a maker creates a link with a QR code, a customer pays it once at phone width, and the maker sees it paid', async ({
  page,
  browser,
}) => {
  const maker = personWith(['maker'])
  const purpose = `Rent of ${Date.now()}`
  const address = await createLink(page, maker, purpose)
  await expect(page.getByRole('img', { name: 'QR code of the payment link' })).toBeVisible()
  for (const format of ['PNG', 'SVG']) {
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: format, exact: true }).click()])
    expect(download.suggestedFilename()).toMatch(new RegExp(`^payment-link-[0-9a-f]{8}\\.${format.toLowerCase()}$`))
  }
  const linkPage = page.url()
  const customer = await browser.newPage({ javaScriptEnabled: true, locale: 'en' })
  await payAtPhone(customer, address)
  await customer.goto(address)
  await expect(customer.getByText('The payment has been made.')).toBeVisible()
  await customer.close()
  await page.goto(linkPage)
  await expect(page.getByText('Paid', { exact: true }).first()).toBeVisible()
  await expect(page.getByRole('link', { name: 'Awa Diop' })).toHaveCount(1)
  await page.goto(`/${maker.slug}/links?q=${encodeURIComponent(purpose)}`)
  await expect(page.getByRole('row', { name: new RegExp(purpose) })).toContainText('12,500')
})

test('a closed link takes no payment, and the page says so in both languages without JavaScript', async ({ page, browser }) => {
  const maker = personWith(['maker'])
  const address = await createLink(page, maker, `Closed at ${Date.now()}`)
  await page.getByRole('button', { name: 'Close the link' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Close the link' }).click()
  await expect(page.getByText('Closed', { exact: true }).first()).toBeVisible()
  const customer = await browser.newPage({ javaScriptEnabled: false, locale: 'en', viewport: PHONE })
  await customer.goto(address)
  await expect(customer.getByText('no longer accepts payments here')).toBeVisible()
  await customer.getByRole('link', { name: 'Français' }).click()
  await expect(customer.getByText('n’accepte plus de paiement ici')).toBeVisible()
  await expect(customer.getByRole('button')).toHaveCount(0)
  await customer.close()
})
