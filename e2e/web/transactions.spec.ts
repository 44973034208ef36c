import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { verifyWorkbook } from '#server/reports/export/verify-workbook.ts'
import { expect, expectAccessible, expectAccessibleEverywhere, LOOKS, searchByKeys, signIn, test } from './fixtures.ts'
import { personWith, readSandbox, sandboxUrl } from './sandbox.ts'
import { minorOf, panelOf, rowsOf, startCollect } from './transaction-list.ts'

test('finance filters, sends the link, looks at one, and takes the list out as a file that can be checked later', async ({
  page,
  context,
}) => {
  test.setTimeout(150_000)
  const person = personWith(['finance'])
  await signIn(page, person, `/${person.slug}/transactions?size=25`)
  await expect(page.getByRole('heading', { name: 'Transactions' })).toBeVisible()
  await page.getByRole('button', { name: /^Status/ }).click()
  await page.getByRole('checkbox', { name: 'Failed', exact: true }).check()
  await page.getByRole('button', { name: 'Apply' }).and(page.locator(':visible')).click()
  await expect(page).toHaveURL(/status=FAILED/)
  await page.getByRole('button', { name: /^Operator/ }).click()
  await page.getByRole('checkbox', { name: 'MTN Cameroon' }).check()
  await page.getByRole('checkbox', { name: 'MTN Cameroon' }).press('Enter')
  await expect(page).toHaveURL(/operator=MOMOCM/)
  await expect(rowsOf(page).first()).toContainText('Failed')
  await expect(rowsOf(page).filter({ hasText: 'Success' })).toHaveCount(0)
  const lead = await page.locator('main header p').first().textContent()

  const elsewhere = await context.newPage()
  await elsewhere.goto(page.url())
  await expect(elsewhere.locator('main header p').first()).toHaveText(lead ?? '')
  await elsewhere.close()

  await page.getByRole('link', { name: 'Amount' }).click()
  await expect(page).toHaveURL(/sort=amount-desc/)
  await expect(page.getByText('Largest amount first.')).toBeVisible()
  await page.goBack()
  await expect(page.getByText('Newest first.')).toBeVisible()

  await rowsOf(page).first().getByRole('link').click()
  const panel = panelOf(page)
  await expect(panel.getByText('Next step:')).toBeVisible()
  await expect(panel.getByRole('heading', { name: 'Timeline' })).toBeVisible()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expect(panel).toHaveCount(0)
  await expect(page).toHaveURL(/status=FAILED&operator=MOMOCM&size=25$/)

  await page.getByRole('button', { name: 'Export', exact: true }).click()
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: /rows as CSV$/ }).click()
  const file = await download
  expect(file.suggestedFilename()).toMatch(/^transactions-kora-stores-.*Z\.csv$/)
  const path = await file.path()
  const bytes = await readFile(path)
  const rows = bytes.toString('utf8').trimEnd().split('\r\n').length - 1
  expect(lead).toContain(`${rows} transactions`)

  await page.goto(`/${person.slug}/transactions/exports`)
  await page.getByLabel('Select an exported file').setInputFiles(path)
  await expect(page.getByText(`Unchanged. Exported by ${person.name}`)).toBeVisible()
  await expect(page.locator(`code[title="${createHash('sha256').update(bytes).digest('hex')}"]`)).toBeVisible()
  await page
    .getByLabel('Select an exported file')
    .setInputFiles({ name: 'changed.csv', mimeType: 'text/csv', buffer: Buffer.concat([bytes, Buffer.from(' ')]) })
  await expect(page.getByText('No export of this application has this SHA-256')).toBeVisible()
  await expectAccessible(page)
})

test('a selection is kept over pages, summed per currency, and taken out as a workbook with just its rows', async ({ page }) => {
  const person = personWith(['finance'])
  await signIn(page, person, `/${person.slug}/transactions?size=25`)
  await rowsOf(page).nth(0).getByRole('checkbox').check()
  await rowsOf(page).nth(1).getByRole('checkbox').check()
  await page.getByRole('link', { name: 'Next' }).click()
  await expect(page).toHaveURL(/page=2/)
  await rowsOf(page).nth(0).getByRole('checkbox').check()
  const bar = page.getByRole('region', { name: 'Selected transactions' })
  await expect(bar).toContainText('3 selected')
  await expect(bar).toContainText(/(XAF|XOF|UGX) .*\d/)
  await expectAccessible(page)
  const download = page.waitForEvent('download')
  await bar.getByRole('button', { name: 'Export XLSX' }).click()
  const verified = verifyWorkbook(await readFile(await (await download).path()))
  expect(verified.ok && verified.value.record.get('Rows')).toBe('3')
})

test('in less out is the net of a selection, whichever of them was selected first', async ({ page }) => {
  const person = personWith(['finance'])
  await signIn(page, person, `/${person.slug}/transactions?status=SUCCESS&operator=MOMOCM&size=100`)
  const bar = page.getByRole('region', { name: 'Selected transactions' })
  for (const order of [
    ['Deposit', 'Collect'],
    ['Collect', 'Deposit'],
  ]) {
    for (const type of order) await rowsOf(page).filter({ hasText: type }).first().getByRole('checkbox').check()
    await expect(bar).toContainText('2 selected')
    const text = (await bar.textContent()) ?? ''
    const [, collected = '', paidOut = '', sign = '', net = ''] = /in ([\d,.]+).*out ([\d,.]+).*net (−?)([\d,.]*\d)/.exec(text) ?? []
    expect(minorOf(collected) - minorOf(paidOut), text).toBe(minorOf(net) * (sign === '' ? 1n : -1n))
    await bar.getByRole('button', { name: 'Clear' }).click()
  }
})

test('a view is saved, found again by its name, and deleted', async ({ page }) => {
  const person = personWith(['administrator'])
  await signIn(page, person, `/${person.slug}/transactions?operator=CIWAVE&min=1000`)
  await page.getByRole('button', { name: 'Save this view' }).click()
  await page.getByLabel('Name').and(page.locator('dialog input')).fill('Wave from a thousand')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Save view' }).click()
  await expect(page.getByText('View Wave from a thousand saved').first()).toBeVisible()
  await page.goto(`/${person.slug}/transactions`)
  await page.getByRole('button', { name: /^View/ }).click()
  await page.getByRole('link', { name: 'Wave from a thousand' }).click()
  await expect(page).toHaveURL(/operator=CIWAVE&min=1000/)
  await page.getByRole('button', { name: /^View/ }).click()
  await page.getByRole('button', { name: 'Delete view Wave from a thousand' }).click()
  await expect(page.getByText('View Wave from a thousand deleted').first()).toBeVisible()
})

test('a view that is shared is offered to a colleague with the name of its owner, who alone can change it', async ({ page, browser }) => {
  const owner = personWith(['administrator'])
  const colleague = personWith(['finance'])
  await signIn(page, owner, `/${owner.slug}/transactions?operator=SNWAVE&min=2000`)
  await page.getByRole('button', { name: 'Save this view' }).click()
  await page.getByLabel('Name').and(page.locator('dialog input')).fill('Wave of the month')
  await page.getByLabel('Share with everybody in this application').check()
  await page.getByRole('button', { name: 'Save view' }).click()
  await expect(page.getByText('View Wave of the month saved').first()).toBeVisible()
  const other = await (await browser.newContext({ baseURL: sandboxUrl() })).newPage()
  await signIn(other, colleague, `/${colleague.slug}/transactions`)
  await other.getByRole('button', { name: /^View/ }).click()
  await expect(other.getByRole('link', { name: `Wave of the month ${owner.name}` })).toBeVisible()
  await expect(other.getByRole('button', { name: 'Change view Wave of the month' })).toHaveCount(0)
  await expectAccessible(other)
  await page.getByRole('button', { name: /^View/ }).click()
  await page.getByRole('button', { name: 'Change view Wave of the month' }).click()
  await page.getByLabel('Name').and(page.locator('dialog input')).fill('Wave only for me')
  await page.getByLabel('Share with everybody in this application').uncheck()
  await page.getByRole('button', { name: 'Save view' }).click()
  await expect(page.getByText('View Wave only for me saved').first()).toBeVisible()
  await other.reload()
  await other.getByRole('button', { name: /^View/ }).click()
  await expect(other.getByRole('link', { name: 'All transactions' })).toBeVisible()
  await expect(other.getByText('Wave of the month')).toHaveCount(0)
  await other.context().close()
})

test('support finds a transaction by its id, synchronises it, and reads what the operator says', async ({ page }) => {
  const person = personWith(['checker'])
  // The callback of 912 never arrives and the operator has no result; that of 906 is lost, and a query finds the result.
  const [pending, lost] = await Promise.all([startCollect('237677000912'), startCollect('237677000906')])
  await signIn(page, person)
  await searchByKeys(page, pending)
  await expect(page).toHaveURL(new RegExp(`/transactions/${pending}$`))
  await page.getByRole('button', { name: 'Synchronise with the operator' }).click()
  await expect(page.getByText('The operator has no result yet.').first()).toBeVisible()
  await page.goto(`/${person.slug}/transactions/${lost}`)
  await expect
    .poll(
      async () => {
        const button = page.getByRole('button', { name: 'Synchronise with the operator' })
        if (await button.isVisible()) await button.click({ timeout: 1_000 }).catch(() => undefined)
        return page.getByText('Success', { exact: true }).first().isVisible()
      },
      { timeout: 20_000 },
    )
    .toBe(true)
  await expect(page.getByText('Added to the collect balance', { exact: true })).toBeVisible()
  await expect(page.getByRole('region', { name: 'Ledger entries' }).getByText('Settlement').first()).toBeVisible()
})

test('an operator that was asked for days: the first and the last question, how many between, and every call on demand', async ({
  page,
}) => {
  const person = personWith(['finance'])
  await signIn(page, person, `/${person.slug}/transactions?unconfirmed=1&sort=oldest`)
  const id = (await rowsOf(page).first().getAttribute('id'))?.slice('row-'.length) ?? ''
  await page.goto(`/${person.slug}/transactions/${id}`)
  const asked = Number(/Queried (\d+) times/.exec((await page.getByRole('main').textContent()) ?? '')?.[1])
  expect(asked).toBeGreaterThan(12)
  await expect(page.getByText(`Queried ${asked - 2} more times`)).toBeVisible()
  const calls = page.getByRole('list', { name: 'Operator calls' }).getByRole('listitem')
  await expect(calls).toHaveCount(10)
  await page.getByRole('button', { name: `Show all ${asked + 1}` }).click()
  await expect(calls).toHaveCount(asked + 1)
  await page.getByRole('button', { name: 'Show latest 10' }).click()
  await expect(calls).toHaveCount(10)
})

test('the list works without a mouse: J, K, X, Enter, and focus comes back', async ({ page }) => {
  const person = personWith(['maker'])
  await signIn(page, person, `/${person.slug}/transactions`)
  await expect(rowsOf(page).first()).toBeVisible()
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await expect(rowsOf(page).nth(1)).toHaveAttribute('aria-current', 'true')
  await page.keyboard.press('x')
  await expect(page.getByText('1 selected')).toBeVisible()
  await page.keyboard.press('Enter')
  await expect(panelOf(page).getByRole('heading', { name: 'Details' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(panelOf(page)).toHaveCount(0)
  await expect(rowsOf(page).nth(1)).toBeFocused()
  await page.keyboard.press('k')
  await expect(rowsOf(page).nth(0)).toHaveAttribute('aria-current', 'true')
})

test('columns are chosen and remembered, and the first paint already has them', async ({ page }) => {
  const person = personWith(['finance'])
  await signIn(page, person, `/${person.slug}/transactions`)
  await page.getByRole('button', { name: 'Columns' }).click()
  await page.getByRole('checkbox', { name: 'Fees' }).check()
  await page.getByRole('checkbox', { name: 'Note' }).uncheck()
  await expect(page.getByRole('columnheader', { name: 'Fees' })).toBeVisible()
  const html = await (await page.request.get(`/${person.slug}/transactions`)).text()
  expect(html).toMatch(/<th[^>]*>Fees<\/th>/)
  expect(html).not.toMatch(/<th[^>]*>Note<\/th>/)
})

test('only this application’s transactions exist, and nobody outside it takes a file', async ({ page }) => {
  const outsider = personWith(['checker'], 0, 1)
  const [home] = readSandbox().applications
  await signIn(page, personWith(['checker']), '/kora-stores/transactions')
  const id = (await rowsOf(page).first().getAttribute('id'))?.slice('row-'.length) ?? ''
  await page.context().clearCookies()
  await signIn(page, outsider)
  expect(home?.name).toBe('Kora Stores')
  expect((await page.goto(`/teranga-logistics/transactions/${id}`))?.status()).toBe(404)
  await expect(page.getByText('Page not found')).toBeVisible()
  expect((await page.request.get(`/api/back-office/teranga-logistics/transactions/${id}`)).status()).toBe(404)
  expect((await page.request.get('/api/back-office/kora-stores/transactions')).status()).toBe(404)
  const refused = await page.request.post('/api/back-office/kora-stores/transactions/export', { form: { format: 'csv' }, maxRedirects: 0 })
  expect([refused.status(), refused.headers()['content-disposition']]).toEqual([303, undefined])
})

test('an empty list, a page past the end and a lost connection say what to do next', async ({ page, context }) => {
  const person = personWith(['finance'])
  await signIn(page, person, `/${person.slug}/transactions?name=nobody+is+called+this`)
  await expect(page.getByText('No transactions match these filters')).toBeVisible()
  await expectAccessible(page)
  await page.locator('main').getByRole('link', { name: 'Clear filters' }).last().click()
  await expect(rowsOf(page).first()).toBeVisible()
  await page.goto(`/${person.slug}/transactions?page=100000`)
  await expect(page.getByText('This page does not exist')).toBeVisible()
  await expect(page.getByText(/^Page [\d,]+ of/)).toHaveCount(0)
  await page.getByRole('link', { name: 'Previous' }).click()
  await expect(rowsOf(page).first()).toBeVisible()
  await page.goto(`/${person.slug}/transactions`)
  await expect(rowsOf(page).first()).toBeVisible()
  await context.setOffline(true)
  await expect(page.getByText('You are offline.')).toBeVisible()
  await expect(rowsOf(page).first()).toBeVisible()
  await context.setOffline(false)
})

for (const { locale, colorScheme } of LOOKS) {
  test.describe(`${locale} ${colorScheme}`, () => {
    test.use({ locale, colorScheme })
    test('a filtered list and the panel are accessible at every width, and nothing is wider than the screen', async ({ page }) => {
      const person = personWith(['checker'], 1)
      await signIn(page, person, `/${person.slug}/transactions?status=FAILED`)
      const id = (await rowsOf(page).first().getAttribute('id'))?.slice('row-'.length) ?? ''
      const base = `/${person.slug}/transactions`
      // sweep.spec.ts checks the pages without parameters. A few rows are enough, because axe checks each of them.
      for (const address of [`${base}?status=FAILED&phone=237&name=a&min=1&country=CAMEROON&size=25`, `${base}?size=25&open=${id}`]) {
        await page.goto(address)
        if (address.includes('open=')) await expect(panelOf(page).locator('dl').first()).toBeVisible()
        await expectAccessibleEverywhere(page)
      }
    })
  })
}
