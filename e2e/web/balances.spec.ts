import { expect, expectAccessibleEverywhere, signIn, test } from './fixtures.ts'
import { personWith } from './sandbox.ts'

test('balances below each other in a table, the largest first where one is chosen, with their sums per currency', async ({ page }) => {
  const person = personWith(['finance'])
  await signIn(page, person, `/${person.slug}/balances`)
  await page.getByRole('link', { name: 'Table' }).click()
  await expect(page).toHaveURL(/\/balances\?view=table$/)
  const table = page.getByRole('table', { name: 'Balances' })
  const amounts = async (column: number) => {
    const rows = await table.getByRole('row').filter({ hasText: 'XOF' }).all()
    const cells = await Promise.all(rows.map((row) => row.getByRole('cell').nth(column).textContent()))
    return cells.map((text) => Number((text ?? '').replaceAll(/[^\d.-]/g, '')))
  }
  await page.getByLabel('Sort by').selectOption({ label: 'Collect balance' })
  const collected = await amounts(2)
  const sum = collected.pop()
  expect(collected.length).toBeGreaterThan(5)
  expect(collected).toEqual(collected.toSorted((left, right) => right - left))
  expect(sum).toBeCloseTo(
    collected.reduce((all, each) => all + each, 0),
    2,
  )
  await expectAccessibleEverywhere(page)
  await table.getByRole('link', { name: /Wave/ }).first().click()
  await expect(page).toHaveURL(/\/balances\/[A-Z]+$/)
})

test('balances of one row of cards are on one line at 1280 px', async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 900 })
  const person = personWith(['finance'])
  await signIn(page, person, `/${person.slug}/balances`)
  await expect(page.getByRole('article')).toHaveCount(13)
  const lines = await page.getByRole('article').evaluateAll((cards) =>
    cards.map((card) => ({
      row: Math.round(card.getBoundingClientRect().top),
      tops: [...card.querySelectorAll('h2, dl > div, a, button')].map((part) => Math.round(part.getBoundingClientRect().top)).join(' '),
    })),
  )
  for (const { row, tops } of lines) expect(tops).toBe(lines.find((line) => line.row === row)?.tops)
})
