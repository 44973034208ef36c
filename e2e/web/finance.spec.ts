import { readFile } from 'node:fs/promises'
import type { Locator, Page } from 'playwright/test'
import { expect, expectAccessible, expectAccessibleEverywhere, LOOKS, signIn, test } from './fixtures.ts'
import { sandboxPool } from './people.ts'
import { personWith } from './sandbox.ts'
import { minorOf, readList } from './transaction-list.ts'

const textOf = async (place: Locator) => (await place.textContent()) ?? ''

/** A figure of a currency, by its name. */
function figureOf(page: Page, currency: string, name: string): Locator {
  const card = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: currency, exact: true }) })
  return card.locator('dl > div').filter({ has: page.getByText(name, { exact: true }) })
}

/** The `Opening` and `Closing` of a statement and the movements between, in hundredths. */
async function readSums(page: Page): Promise<Record<string, bigint>> {
  const found: Record<string, bigint> = {}
  for (const row of await page.locator('main dl').first().locator('div').all()) {
    const name = await row.locator('dt').textContent()
    found[name ?? ''] = minorOf((await row.locator('dd').textContent()) ?? '')
  }
  return found
}

test('the finance officer closes the day: overview, totals, the list that adds up, balances, statement, export', async ({ page }) => {
  test.setTimeout(150_000)
  const person = personWith(['finance'])
  await signIn(page, person)
  await expect(page.getByRole('heading', { name: 'Unconfirmed money' })).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Today', exact: true })).toBeVisible()

  await page.getByRole('link', { name: 'Totals' }).first().click()
  await expect(page.getByText(/^Compared with .* to .*\d{4}$/)).toBeVisible()
  await page.getByRole('button', { name: /^Dates/ }).click()
  await page.getByRole('button', { name: 'All days' }).click()
  await expect(page).toHaveURL(/dates=always/)
  const collected = figureOf(page, 'XOF', 'Collected')
  const amount = await textOf(collected.getByRole('link'))
  const count = await textOf(collected.getByText(/^[\d,]+ transactions$/))
  await collected.getByRole('link').click()
  await expect(page).toHaveURL(/\/transactions\?/)
  await expect(page.locator('main header p').first()).toContainText(count.replace(/\D+$/, '').trim())
  await expect(page.locator('main header p').first()).toContainText(amount.replace(/\.00$/, ''))
  await page.goBack()

  await page.getByRole('button', { name: /^Operator/ }).click()
  await page.getByRole('checkbox', { name: 'Wave Senegal' }).check()
  await page.getByRole('checkbox', { name: 'Wave Senegal' }).press('Enter')
  await expect(page).toHaveURL(/operator=SNWAVE/)
  await expect(page.getByRole('table', { name: 'Totals by operator' }).locator('tbody tr')).toHaveCount(1)
  await page.getByText('As a table').click()
  await expect(page.getByRole('table', { name: /^By (day|month), XOF/ })).toBeVisible()
  const totalsFile = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export' }).click()
  await page.getByRole('link', { name: 'As CSV' }).click()
  const totalsText = await readFile(await (await totalsFile).path(), 'utf8')
  expect(totalsText.trim().split('\r\n')).toHaveLength(2)
  expect(totalsText).toContain('SNWAVE')

  await page.getByRole('link', { name: 'Balances' }).first().click()
  await expect(page.getByText(/^As of /)).toBeVisible()
  await expect(page.getByRole('article')).toHaveCount(13)
  await page
    .getByRole('article', { name: 'MTN Cameroon' })
    .getByRole('link', { name: /^Statement/ })
    .click()
  await expect(page.getByText('The postings add up to the current balance.')).toBeVisible()
  await page.emulateMedia({ media: 'print' })
  await expect(page.getByText(`${person.application} · Printed by ${person.name}`)).toBeVisible()
  await expect(page.getByText(/^Printed on \d+ \w+ \d{4}, /)).toBeVisible()
  await page.emulateMedia({ media: 'screen' })
  const sums = await readSums(page)
  const { Opening = 0n, Collected = 0n, Funded = 0n, Fees = 0n, Closing = -1n } = sums
  expect(Opening + Collected + Funded - (sums['Paid out'] ?? 0n) - Fees).toBe(Closing)
  await page.getByRole('table', { name: 'By day' }).locator('tbody a').last().click()
  await expect(page).toHaveURL(/view=lines/)
  const lines = page.getByRole('table', { name: 'Lines' })
  await expect(lines.locator('tbody tr').first()).toBeVisible()
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export lines' }).click()
  await page.getByRole('link', { name: 'As CSV' }).click()
  const text = await readFile(await (await download).path(), 'utf8')
  expect(text).toContain('Transaction id')
  await lines.locator('tbody a').first().click()
  await expect(page).toHaveURL(/\/transactions\/[0-9a-f-]{36}/)
})

/** Follows a link, compares the list that it opens, and returns. */
async function expectList(page: Page, link: Locator, expected: { count?: number; amount?: bigint; currency?: string }): Promise<void> {
  const from = page.url()
  await link.click()
  await expect(page).toHaveURL(/\/transactions\?/)
  const { count, sums } = await readList(page)
  if (expected.count !== undefined) expect(count).toBe(expected.count)
  // Shortly after midnight an operator may have no volume yet: then the list is empty and has no sum.
  if (expected.amount !== undefined) expect(sums).toEqual(expected.amount === 0n ? {} : { [expected.currency ?? '']: expected.amount })
  await page.goBack()
  await expect(page).toHaveURL(from)
}

const countOf = (text: string) => Number(minorOf(/^[\d,]+/.exec(text.trim())?.[0] ?? '') / 100n)

test('collected less paid out is the net, service and application fees are the fees, and each figure opens its list', async ({ page }) => {
  test.setTimeout(120_000)
  const person = personWith(['finance'], 0, 1)
  await signIn(page, person, `/${person.slug}/totals?dates=always`)
  const amountOf = async (name: string) => minorOf(await textOf(figureOf(page, 'XAF', name).getByRole('link')))
  const [collected, paidOut, net, fees] = [
    await amountOf('Collected'),
    await amountOf('Paid out'),
    await amountOf('Net'),
    await amountOf('Fees'),
  ]
  const isNegative = (await textOf(figureOf(page, 'XAF', 'Net').getByRole('link'))).startsWith('−')
  expect(collected - paidOut).toBe(isNegative ? -net : net)
  const parts = await textOf(figureOf(page, 'XAF', 'Fees').getByText(/^Service/))
  const [, system = '', application = ''] = /([\d,.]+), application\s([\d,.]+)$/.exec(parts) ?? []
  expect(minorOf(system) + minorOf(application)).toBe(fees)
  for (const [name, amount] of [
    ['Collected', collected],
    ['Paid out', paidOut],
  ] as const)
    await expectList(page, figureOf(page, 'XAF', name).getByRole('link'), { amount, currency: 'XAF' })
  await figureOf(page, 'XAF', 'Fees').getByRole('link').click()
  await expect(page).toHaveURL(/\/transactions\?/)
  expect((await readList(page)).fees).toBe(fees)
  await expect(page.getByRole('columnheader', { name: 'Fees' })).toBeVisible()
  await page.goBack()
  // The API's single total comes last, after every figure that means something.
  await expect(page.locator('main p').last()).toContainText('the API returns one total across currencies and directions')
})

test('the same days of the month before are named, and all days are compared with none', async ({ page }) => {
  const person = personWith(['finance'])
  await signIn(page, person, `/${person.slug}/totals`)
  const change = figureOf(page, 'XAF', 'Collected').getByText(/^([+−][\d,.]+( \([+−]?[\d,.]+%\)|, none before)?|No change)$/)
  await expect(page.getByText(/^Compared with 1 \w+ \d{4}( to \d+ \w+ \d{4})?$/)).toBeVisible()
  await expect(change).toBeVisible()
  await page.goto(`/${person.slug}/totals?dates=always`)
  await expect(figureOf(page, 'XAF', 'Collected')).toBeVisible()
  await expect(page.getByText(/^Compared with/)).toHaveCount(0)
  await expect(change).toHaveCount(0)
})

test('a scale of three or four values above zero, and each label of a few days below its bars', async ({ page }) => {
  const person = personWith(['finance'])
  await signIn(page, person, `/${person.slug}/totals?dates=last7`)
  const [axis, labels] = await page.getByRole('figure').evaluate((figure) => {
    const texts = (svg: Element | undefined) => [...(svg?.querySelectorAll('text') ?? [])]
    const svgs = [...figure.querySelectorAll('svg')]
    const days = texts(svgs[2]).map((text) => {
      const { left, width } = text.getBoundingClientRect()
      return { text: text.textContent, middle: left + width / 2 }
    })
    const groups = [...(svgs[1]?.querySelectorAll('a') ?? [])].map((link) => {
      const { left, width } = link.querySelector('rect')?.getBoundingClientRect() ?? { left: 0, width: 0 }
      return { hint: link.querySelector('title')?.textContent ?? '', middle: left + width / 2 }
    })
    return [
      texts(svgs[0]).map((text) => text.textContent),
      groups.map(({ hint, middle }) => Math.abs((days.find((day) => hint.startsWith(`${day.text}:`))?.middle ?? Number.NaN) - middle)),
    ] as const
  })
  expect(axis[0]).toBe('0')
  expect(axis.length - 1).toBeGreaterThanOrEqual(3)
  expect(axis.length - 1).toBeLessThanOrEqual(4)
  expect(labels.length).toBeGreaterThan(0)
  for (const distance of labels) expect(distance).toBeLessThan(2)
})

for (const [roles, headings] of [
  [['checker'], ['To decide']],
  [['finance'], ['Today']],
  [['administrator'], ['Operators', 'Webhooks, last 24 hours']],
  [
    ['maker', 'checker'],
    ['To decide', 'Created by me'],
  ],
  [['maker'], ['Created by me']],
] as const) {
  test(`the parts ${headings.join(', ')} in the overview of ${roles.join(' and ')}, which fit a phone`, async ({ page }) => {
    const person = personWith([...roles])
    await signIn(page, person)
    const known = ['To decide', 'Today', 'Created by me', 'Operators', 'Webhooks, last 24 hours']
    await expect(page.getByRole('heading', { level: 2, name: headings[0], exact: true })).toBeVisible()
    const shown = await page.getByRole('heading', { level: 2 }).allTextContents()
    expect(shown.filter((heading) => known.includes(heading))).toEqual([...headings])
    await page.setViewportSize({ width: 360, height: 740 })
    await expectNothingCutOff(page)
  })
}

/** Every surface that scrolls shows all of its content. */
async function expectNothingCutOff(page: Page): Promise<void> {
  const cut = await page
    .locator('main section')
    .evaluateAll((sections) => sections.filter((each) => each.scrollWidth > each.clientWidth).map((each) => each.textContent))
  expect(cut).toEqual([])
}

test('the figures of the totals fit a phone', async ({ page }) => {
  const person = personWith(['finance'])
  await page.setViewportSize({ width: 360, height: 740 })
  await signIn(page, person, `/${person.slug}/totals`)
  await expect(page.getByRole('table', { name: 'Totals by operator' })).toBeVisible()
  await expectNothingCutOff(page)
})

test('every figure of the overview opens a list with as many transactions, and the filter can be taken off', async ({ page }) => {
  test.setTimeout(120_000)
  const person = personWith(['administrator'], 0, 1)
  await signIn(page, person)
  const webhooks = page.getByRole('region', { name: /^Webhooks/ })
  const receivers = page.getByRole('table', { name: 'Receivers with undelivered webhooks' }).getByRole('link')
  // The second application has no traffic: nothing changes between the figure and its list.
  for (const link of [...(await webhooks.getByRole('list').getByRole('link').all()), ...(await receivers.all()).slice(0, 3)])
    await expectList(page, link, { count: countOf(await textOf(link)) })
  await webhooks
    .getByRole('list')
    .getByRole('link', { name: /delivered$/ })
    .first()
    .click()
  const chip = page.getByRole('link', { name: /^Webhook delivered · .* – .*Remove this filter$/ })
  await expect(chip).toBeVisible()
  await expectAccessible(page)
  await chip.click()
  await expect(page).toHaveURL(/\/transactions$/)
  await page.goBack()
  await page.goBack()
  const operators = page.getByRole('table', { name: 'Operators' }).locator('tbody tr').first()
  for (const cell of [2, 3])
    for (const figure of await operators.getByRole('cell').nth(cell).getByRole('link').all())
      await expectList(page, figure, { count: countOf(await textOf(figure)) })
  await operators.getByRole('link', { name: /^Succeeded transactions of/ }).click()
  await expect(page).toHaveURL(/\/totals\?.*operator=/)
})

test('every period, card and operator of the totals opens a list that adds up to it, by bar and by table', async ({ page }) => {
  test.setTimeout(120_000)
  const person = personWith(['finance'], 0, 1)
  await signIn(page, person, `/${person.slug}/totals?dates=last7&status=FAILED`)
  const chart = page.getByRole('figure')
  await page.getByText('As a table').click()
  const row = chart
    .locator('tbody tr')
    .filter({ has: page.getByRole('link') })
    .last()
  const place = await row.evaluate((element) => [...(element.parentElement?.children ?? [])].indexOf(element))
  const cells = await row.getByRole('cell').allTextContents()
  const currency = /, (XAF|XOF|UGX)$/.exec(await textOf(chart.locator('caption')))?.[1] ?? ''
  const [collected, paidOut] = [
    minorOf(/^[\d,.]*\d/.exec(cells[1] ?? '')?.[0] ?? ''),
    minorOf(/^[\d,.]*\d/.exec(cells[3] ?? '')?.[0] ?? ''),
  ]
  const [collects, deposits] = [countOf(cells[2] ?? ''), countOf(cells[4] ?? '')]
  const bars = await chart
    .locator('tbody tr')
    .evaluateAll((rows, last) => rows.slice(0, last).filter((each) => each.querySelector('a')).length, place)
  await chart.locator('svg a').nth(bars).click()
  expect(await readList(page)).toEqual({ count: collects + deposits, sums: { [currency]: collected + paidOut } })
  await page.goBack()
  await page.getByText('As a table').click()
  const figure = collects > 0 ? { cell: 1, amount: collected, count: collects } : { cell: 3, amount: paidOut, count: deposits }
  // By keyboard: without a pointer, the lists are reached through the table.
  await row.getByRole('cell').nth(figure.cell).getByRole('link').press('Enter')
  await expect(page).toHaveURL(/from=(\d{4}-\d\d-\d\d)&to=\1/)
  expect(await readList(page)).toEqual({ count: figure.count, sums: { [currency]: figure.amount } })
  await page.goBack()
  const operators = page.getByRole('table', { name: 'Totals by operator' })
  const sum = operators.getByRole('link', { name: /(XAF|XOF|UGX)\s?, (Collects|Deposits)$/ }).first()
  const total = sum.locator('xpath=ancestor::tr').getByRole('cell').nth(3).getByRole('link')
  const amount = await textOf(sum.locator('span').first())
  await expectList(page, total, { count: countOf(await textOf(total)) })
  await expectList(page, sum, { amount: minorOf(amount), currency: /(XAF|XOF|UGX)$/.exec(amount)?.[1] ?? '' })
})

test('each movement of a statement opens its lines, which say the same sum', async ({ page }) => {
  const person = personWith(['finance'], 0, 1)
  await signIn(page, person, `/${person.slug}/balances`)
  const card = page
    .getByRole('article')
    .filter({ has: page.getByRole('link', { name: /^Statement/ }) })
    .first()
  // The figure itself: its statement ends with it.
  await card.locator('dl a').first().click()
  await expect(page).toHaveURL(/\/balances\/[A-Z]+$/)
  await page.goto(`${page.url()}?dates=thisYear`)
  await expect(page.getByText('The postings add up to the current balance.')).toBeVisible()
  for (const [name, minor] of Object.entries(await readSums(page))) {
    if (minor === 0n || name === 'Opening' || name === 'Closing') continue
    const link = page.locator('main dl div').filter({ hasText: name }).getByRole('link')
    const [kind = ''] = /kind=[a-z]+/.exec((await link.getAttribute('href')) ?? '') ?? []
    await link.click()
    await expect(page).toHaveURL(new RegExp(`view=lines&${kind}$`))
    const sum = page.getByText(/^[\d,]+ lines?:/)
    await expect.poll(async () => minorOf((await textOf(sum)).replace(/^.*:/, ''))).toBe(minor)
  }
  await page.getByRole('link', { name: /Show all lines$/ }).click()
  await expect(page).not.toHaveURL(/kind=/)
  await expect(page.getByRole('table', { name: 'Lines' }).getByRole('columnheader', { name: 'Balance', exact: true })).toBeVisible()
})

test('finance sets a threshold, the balance is marked for everybody, and a maker is not offered to', async ({ page, browser }) => {
  test.setTimeout(120_000)
  const person = personWith(['finance'], 0, 1)
  await signIn(page, person, `/${person.slug}/balances`)
  const card = page
    .getByRole('article', { name: 'Orange Mali' })
    .or(page.getByRole('article', { name: 'Moov Benin' }))
    .first()
  await card.getByRole('button', { name: /alert/i }).click()
  await page.getByLabel(/^Alert below/).fill('abc')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Enter an amount above zero')).toBeVisible()
  await expectAccessible(page)
  await page.getByLabel(/^Alert below/).fill('9,999,999,999')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(card.getByText(/^Below 9,999,999,999 XOF/)).toBeVisible()
  const context = await browser.newContext({ baseURL: new URL(page.url()).origin, locale: 'en-GB' })
  const other = await context.newPage()
  const maker = personWith(['maker'], 0, 1)
  await signIn(other, maker, `/${maker.slug}/balances`)
  await expect(other.getByText(/^Below 9,999,999,999 XOF/)).toBeVisible()
  await expect(other.getByRole('button', { name: /alert/i })).toHaveCount(0)
  await expect(
    other
      .getByRole('article')
      .first()
      .getByRole('link', { name: /^Statement/ }),
  ).toHaveCount(0)
  await other.goto(`/${maker.slug}/balances/MOMOCM`)
  await expect(other.getByRole('heading', { level: 1, name: 'Your roles do not include this page' })).toBeVisible()
  await context.close()
  await card.getByRole('button', { name: /^Low-balance alert: below/ }).click()
  await page.getByLabel(/^Alert below/).fill('')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(card.getByText(/^Below/)).toHaveCount(0)
})

test('a connection that is lost leaves the figures on the screen and says so', async ({ page, context }) => {
  test.setTimeout(90_000)
  const person = personWith(['finance'])
  await signIn(page, person, `/${person.slug}/balances`)
  await expect(page.getByRole('article')).toHaveCount(13)
  await context.setOffline(true)
  await expect(page.getByText('You are offline.')).toBeVisible()
  await expect(page.getByRole('article')).toHaveCount(13)
  await context.setOffline(false)
})

for (const { locale, colorScheme } of LOOKS) {
  test.describe(`${locale} ${colorScheme}`, () => {
    test.use({ locale, colorScheme })
    // sweep.spec.ts checks the pages without parameters.
    test('the lines of a statement and a list of webhooks are accessible and fit at every width', async ({ page }) => {
      const person = personWith(['finance'])
      await signIn(page, person)
      if (locale === 'fr-CM') await expect(page.getByRole('heading', { name: 'Montants non confirmés' })).toBeVisible()
      for (const place of ['/balances/SNFREE?view=lines&kind=fees', '/transactions?webhook=exhausted&size=25']) {
        await page.goto(`/${person.slug}${place}`)
        await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
        await expectAccessibleEverywhere(page)
      }
    })
  })
}

/** A day that is over and an operator, with what succeeded there on the day, in hundredths. */
async function findDay(name: string): Promise<{ day: string; operator: string; succeededMinor: bigint }> {
  const pool = await sandboxPool()
  try {
    const { rows } = await pool.query<{ day: string; operator: string; succeededMinor: bigint }>(
      `select (t.final_at at time zone a.time_zone)::date::text as day, t.operator, sum(t.amount_minor)::bigint as "succeededMinor"
         from transactions t join applications a using (application_id)
        where a.name = $1 and t.type = 'COLLECT' and t.status = 'SUCCESS'
          and (t.final_at at time zone a.time_zone)::date < (now() at time zone a.time_zone)::date - 1
        group by 1, 2 order by 1 desc, 3 desc limit 1`,
      [name],
    )
    const [found] = rows
    if (!found) throw new Error('The sandbox has no collect that succeeded before yesterday')
    return found
  } finally {
    await pool.end()
  }
}

test('totals counted by the day of success are what succeeded on the day, as the statement has it, and say so', async ({ page }) => {
  const person = personWith(['finance'])
  const { day, operator, succeededMinor } = await findDay(person.application)
  await signIn(page, person, `/${person.slug}/totals?from=${day}&to=${day}&type=COLLECT&operator=${operator}`)
  const collected = page
    .locator('main dl > div')
    .filter({ has: page.getByText('Collected', { exact: true }) })
    .locator('dd > span')
    .first()
  await expect(page.getByText('Each transaction counts on the day on which it was created.')).toBeVisible()
  await page.getByRole('button', { name: /^Counted by/ }).click()
  await page.getByRole('link', { name: 'Day of success' }).click()
  await expect(page).toHaveURL(/basis=completed/)
  await expect(page.getByText('Each transaction counts on the day on which it succeeded, as in the statements.')).toBeVisible()
  await expect.poll(async () => minorOf(await textOf(collected))).toBe(succeededMinor)
  await expectAccessible(page)

  await page.goto(`/${person.slug}/balances/${operator}?from=${day}&to=${day}`)
  expect((await readSums(page))['Collected']).toBe(succeededMinor)
})
