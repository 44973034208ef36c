import type { Locator, Page } from 'playwright/test'
import type { Pool } from '#server/database/pool.ts'
import { expect, expectAccessible, signIn, test } from './fixtures.ts'
import { sandboxPool } from './people.ts'
import { sandboxUrl } from './sandbox.ts'
import { askByKey, bulkBar, newQueue, openApprovals, panelOf, rowOf, rowsOf, sendButton } from './waiting.ts'

test.describe.configure({ mode: 'default' })

let pool: Pool
test.beforeAll(async () => {
  pool = await sandboxPool()
})
test.afterAll(() => pool.end())

const PHONE = '237690441208'
const EVERY_WIDTH = [360, 640, 768, 1024, 1280, 1399, 1400, 1465, 1920, 2560]

/** A number paid 20,000 three times as Amadou Ngassa; then 1,920,000 to it under another name, and two numbers under one name. */
async function flagged() {
  const queue = await newQueue(pool)
  const before = await queue.wait(Array.from({ length: 3 }, () => ({ name: 'Amadou Ngassa', phone: PHONE, amountMinor: 2_000_000n })))
  await queue.decide(queue.other, before, 'validated', 'Seen')
  for (const id of before) await expect.poll(() => queue.statusOf(id)).toBe('SUCCESS')
  const [unusual] = await queue.wait([{ name: 'Jean Fotso', phone: PHONE, amountMinor: 192_000_000n }], { steps: [1, 1] })
  const twins = await queue.wait([
    { name: 'Clarisse Mbarga', phone: '237677209341', amountMinor: 8_400_000n },
    { name: 'Clarisse Mbarga', phone: '237677209342', amountMinor: 6_000_000n },
  ])
  const [usual] = await queue.wait([{ name: 'Amadou Ngassa', phone: PHONE, amountMinor: 2_100_000n }])
  return { queue, unusual, twins, usual }
}

/** Expects that each of these controls that is visible has its whole text, and that nothing lies over it or cuts off an edge. */
async function expectWhole(page: Page, controls: Locator): Promise<void> {
  await expect(controls.first()).toBeVisible()
  const broken = () =>
    controls.evaluateAll((elements) => {
      const isBroken = (element: Element) => {
        const { left, right, top, bottom } = element.getBoundingClientRect()
        const [x, y] = [(left + right) / 2, (top + bottom) / 2]
        const middleAndEdges = [
          [x, y],
          [left + 2, y],
          [right - 2, y],
          [x, top + 2],
          [x, bottom - 2],
        ] as const
        const isOnTop = middleAndEdges.every(([pointX, pointY]) => element.contains(document.elementFromPoint(pointX, pointY)))
        return !isOnTop || element.scrollWidth > element.clientWidth + 1
      }
      return elements.filter((element) => element.checkVisibility() && isBroken(element)).map((element) => element.textContent)
    })
  // A panel that was just opened may still be moving.
  await expect.poll(broken, { message: `not whole at ${page.viewportSize()?.width}` }).toEqual([])
}

test('rows carry their risk flags as badges, and a usual payment carries none', async ({ page }) => {
  const { queue, unusual, twins, usual } = await flagged()
  await openApprovals(page, queue.checker)
  await expect(rowOf(page, unusual)).toContainText('96 times the usual amount')
  await expect(rowOf(page, unusual)).toContainText('Name differs from last time')
  for (const twin of twins) await expect(rowOf(page, twin)).toContainText('Two people with this name')
  await expect(rowOf(page, usual)).toContainText('Created by a person')
  const colours = await rowOf(page, unusual)
    .getByText('96 times the usual amount')
    .evaluate((badge) => [getComputedStyle(badge).backgroundColor, getComputedStyle(badge.closest('td') ?? badge).backgroundColor])
  expect(colours[0]).not.toBe(colours[1])
})

for (const locale of ['en-GB', 'fr-FR']) {
  test(`evidence is above the details, and no button is cut off at any width, ${locale}`, async ({ browser }) => {
    const { queue, unusual } = await flagged()
    const context = await browser.newContext({ baseURL: sandboxUrl(), locale })
    const page = await context.newPage()
    await page.setViewportSize({ width: 1440, height: 700 })
    await signIn(page, queue.checker, `/${queue.slug}/approvals`)
    for (const width of EVERY_WIDTH) {
      await page.setViewportSize({ width, height: 700 })
      await rowOf(page, unusual).click({ position: { x: 150, y: 20 } })
      const panel = panelOf(page)
      const evidence = panel.getByRole('region')
      await expect(evidence).toContainText('96')
      await expect(evidence.getByRole('listitem').first()).toBeInViewport({ ratio: 1 })
      const details = await panel.locator('dl').boundingBox()
      expect((await evidence.boundingBox())?.y, `evidence first at ${width}`).toBeLessThan(details?.y ?? 0)
      await expectWhole(page, panel.getByRole('button'))
      await page.keyboard.press('r')
      await expect(page.locator('#field-note')).toBeFocused()
      await expectWhole(page, panel.locator('button[type=submit], button[type=submit] ~ button'))
      // The first Escape closes the reason, the second the panel.
      for (const part of [page.locator('#field-note'), panel.getByRole('heading').first()]) {
        if (await part.isVisible()) await page.keyboard.press('Escape')
      }
    }
    await context.close()
  })
}

test('the panel is not modal: the list and its keys work while it lies over the side, and it goes with Escape', async ({ page }) => {
  const { queue, unusual, twins } = await flagged()
  await page.setViewportSize({ width: 1024, height: 700 })
  await openApprovals(page, queue.checker)
  await expect(panelOf(page)).toBeHidden()
  await rowOf(page, unusual).click({ position: { x: 150, y: 20 } })
  await expect(panelOf(page)).toContainText('Jean Fotso')
  await expect(page.locator('dialog[open]')).toHaveCount(0)
  await rowOf(page, twins[0]).click({ position: { x: 150, y: 20 } })
  await expect(panelOf(page)).toContainText('Clarisse Mbarga')
  await page.keyboard.press('k')
  await expect(panelOf(page)).toContainText('Jean Fotso')
  await panelOf(page).getByRole('button', { name: 'Next item' }).click()
  await expect(panelOf(page)).toContainText('2 of 4')
  await expect(panelOf(page)).toBeFocused()
  await panelOf(page).getByRole('button', { name: 'Previous item' }).click()
  await expect(panelOf(page)).toContainText('1 of 4')
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expect(panelOf(page)).toBeHidden()
  await expect(rowOf(page, unusual)).toBeFocused()
})

test('V opens what it is about before it can be sent, and a decision takes five keys', async ({ page }) => {
  const { queue, unusual, twins } = await flagged()
  await page.setViewportSize({ width: 1024, height: 700 })
  await openApprovals(page, queue.checker, '?sort=newest')
  await page.keyboard.press('j')
  await askByKey(page, 'v')
  await expect(panelOf(page)).toContainText('Amadou Ngassa')
  await page.keyboard.press('Enter')
  await expect(panelOf(page).getByText('Required', { exact: true })).toBeVisible()
  await page.keyboard.press('ArrowUp')
  await expect(page.getByLabel('Payee note')).toHaveValue('Invoice checked')
  await page.keyboard.press('Enter')
  const toast = page.getByRole('region', { name: 'Notifications' })
  await expect(toast).toContainText(/Validated: 21,000\sXAF to Amadou Ngassa/)
  await expect(toast.getByRole('button', { name: /^Next: 60,000\sXAF, Clarisse Mbarga$/ })).toBeVisible()
  await expect(rowOf(page, twins[1])).toBeFocused()
  await expect(page.getByLabel('Payee note')).toHaveValue('')
  expect(await queue.statusOf(unusual ?? '')).toBe('PENDING_APPROVAL')
})

test('the panel sums up a selection, and its buttons and V decide exactly that', async ({ page }) => {
  const { queue, unusual, twins, usual } = await flagged()
  const [senegal] = await queue.wait([{ name: 'Ibrahima Sarr', operator: 'SNOM', phone: '221771234567', amountMinor: 30_000_000n }])
  await openApprovals(page, queue.checker)
  for (const id of [unusual, usual, senegal]) await rowOf(page, id).getByRole('checkbox').check()
  const panel = panelOf(page)
  await expect(panel).toHaveAccessibleName('3 selected')
  await expect(panel).toContainText(/1,941,000 XAF× 2/)
  await expect(panel).toContainText(/300,000 XOF× 1/)
  await expect(panel.getByRole('list', { name: 'Operator' }).getByRole('listitem')).toHaveText(['MTNCameroon 2', 'OrangeSenegal 1'])
  const marked = panel.getByRole('list', { name: '2 with risk flags' })
  await expect(marked).toContainText('237 6 90 44 12 08')
  await expect(marked).toContainText('96 times the usual amount')
  await expect(marked).toContainText('First payment to this number')
  await expect(panel.getByRole('list', { name: '1 without' })).toContainText('Amadou Ngassa')
  await expectAccessible(page)
  await askByKey(page, 'v')
  await page.keyboard.type('Run of the week')
  await page.keyboard.press('Enter')
  await expect(panel).toContainText('2 validated')
  await expect(panel).toContainText('1 approved by you, waits for another approval')
  await expect(rowsOf(page)).toHaveCount(2)
  for (const id of twins) expect(await queue.statusOf(id)).toBe('PENDING_APPROVAL')
})

test('a payment that a colleague decides while somebody writes about it stays in the panel with the note, who decided and why, and nothing can be sent', async ({
  page,
}) => {
  const queue = await newQueue(pool)
  const [first, second] = await queue.wait([{ name: 'Kossi Adjovi' }, { name: 'Awa Traoré' }])
  await openApprovals(page, queue.checker)
  await page.keyboard.press('j')
  await askByKey(page, 'v')
  await page.keyboard.type('Contract seen')
  await queue.decide(queue.other, [first ?? ''], 'rejected', 'Duplicate')
  await expect(rowOf(page, first)).toHaveCount(0)
  const panel = panelOf(page)
  await expect(panel.getByRole('alert')).toContainText('Already rejected by Jean Ouattara')
  await expect(panel.getByRole('alert')).toContainText('“Duplicate”')
  await expect(panel).toContainText('Kossi Adjovi')
  await expect(panel.getByLabel('Payee note')).toHaveValue('Contract seen')
  await expect(sendButton(page)).toBeDisabled()
  await expect(rowsOf(page).and(page.locator('[aria-current=true]'))).toHaveCount(0)
  await page.keyboard.press('Enter')
  await panel.getByRole('button', { name: 'Close', exact: true }).last().click()
  await expect(panel).toContainText('Awa Traoré')
  expect(await queue.statusOf(second ?? '')).toBe('PENDING_APPROVAL')
})

test('a payment that a colleague decides while somebody only reads it stays in the panel, and J goes to the next one', async ({ page }) => {
  const queue = await newQueue(pool)
  const [first, second] = await queue.wait([{ name: 'Kossi Adjovi' }, { name: 'Awa Traoré' }])
  await page.setViewportSize({ width: 1440, height: 900 })
  await openApprovals(page, queue.checker)
  await expect(panelOf(page)).toContainText('Kossi Adjovi')
  await queue.decide(queue.other, [first ?? ''], 'rejected', 'Duplicate')
  await expect(rowOf(page, first)).toHaveCount(0)
  await expect(panelOf(page).getByRole('alert')).toContainText('Already rejected by Jean Ouattara')
  await expect(panelOf(page)).toContainText('Kossi Adjovi')
  await page.keyboard.press('j')
  await expect(rowOf(page, second)).toBeFocused()
  await expect(panelOf(page)).toContainText('Awa Traoré')
  await expect(sendButton(page)).toBeEnabled()
})

test('a note that was not sent is there again after another payment, after a reload, and not for another person in the same tab', async ({
  page,
}) => {
  const queue = await newQueue(pool)
  await queue.wait([{ name: 'Kossi Adjovi' }, { name: 'Awa Traoré' }])
  await page.setViewportSize({ width: 1440, height: 900 })
  await openApprovals(page, queue.checker)
  await page.keyboard.press('j')
  await askByKey(page, 'v')
  await page.keyboard.type('Contract seen')
  await page.keyboard.press('Escape')
  await page.keyboard.press('j')
  await expect(panelOf(page)).toContainText('Awa Traoré')
  await expect(panelOf(page).getByLabel('Payee note')).toHaveValue('')
  await page.keyboard.press('k')
  await expect(panelOf(page).getByLabel('Payee note')).toHaveValue('Contract seen')
  await page.reload()
  await expect(panelOf(page).getByLabel('Payee note')).toHaveValue('Contract seen')
  await page.context().clearCookies()
  await openApprovals(page, queue.other)
  await expect(panelOf(page)).toContainText('Kossi Adjovi')
  await expect(panelOf(page).getByLabel('Payee note')).toHaveValue('')
})

test('"Next" in a toast opens nothing if somebody has decided that payment meanwhile', async ({ page }) => {
  const queue = await newQueue(pool)
  const [, second, third] = await queue.wait([{ name: 'Kossi Adjovi' }, { name: 'Awa Traoré' }, { name: 'Jean Fotso' }])
  await openApprovals(page, queue.checker)
  await page.keyboard.press('j')
  await askByKey(page, 'r')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  const next = page.getByRole('button', { name: /^Next: .*Awa Traoré/ })
  await expect(next).toBeVisible()
  await next.hover()
  await queue.decide(queue.other, [second ?? ''], 'rejected', 'Duplicate')
  await expect(rowOf(page, second)).toHaveCount(0)
  await next.click()
  await expect(page.getByRole('region', { name: 'Notifications' }).getByText('Awa Traoré was decided meanwhile.')).toBeVisible()
  await expect(panelOf(page)).not.toContainText('Jean Fotso')
  expect(await queue.statusOf(third ?? '')).toBe('PENDING_APPROVAL')
})

test('toasts cover neither the selection bar nor the buttons of the panel, and the focused row is not under the bar', async ({ page }) => {
  const queue = await newQueue(pool)
  await queue.wait(Array.from({ length: 30 }, (_, n) => ({ name: `Beneficiary ${n}` })))
  for (const width of [360, 768, 1440]) {
    await page.context().clearCookies()
    await page.setViewportSize({ width, height: 740 })
    await openApprovals(page, queue.checker)
    await page.keyboard.press('j')
    await askByKey(page, 'r')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await expect(page.getByRole('region', { name: 'Notifications' }).getByRole('listitem')).toBeVisible()
    if (width < 1400) await expectWhole(page, sendButton(page))
    await page.keyboard.press('Escape')
    await rowsOf(page).nth(0).getByRole('checkbox').check()
    await expectWhole(page, bulkBar(page).getByRole('button', { name: 'Clear' }))
    for (let n = 0; n < 12; n++) await page.keyboard.press('j')
    const bar = await bulkBar(page).boundingBox()
    const row = await page.locator('tr:focus').boundingBox()
    expect((row?.y ?? 0) + (row?.height ?? 0), `focused row above the bar at ${width}`).toBeLessThanOrEqual(bar?.y ?? 0)
  }
})

test('new rows wait behind "2 new" instead of pushing the list down, and the buttons of rows name their item', async ({ page }) => {
  const queue = await newQueue(pool)
  const [first] = await queue.wait([{ name: 'محمد الأمين' }])
  await openApprovals(page, queue.checker, '?sort=newest')
  const before = await rowOf(page, first).boundingBox()
  const late = await queue.wait([{ name: 'Came later' }, { name: 'Came last' }])
  const more = page.getByRole('button', { name: '2 new' })
  await expect(more).toBeVisible()
  expect(await rowOf(page, first).boundingBox()).toEqual(before)
  await more.click()
  await expect(rowOf(page, late[1])).toBeVisible()
  for (const name of ['Validate', 'Reject'])
    await expect(page.getByRole('button', { name: new RegExp(`^${name}: 5,000\\sXAF, Came later$`) })).toBeVisible()
  await expect(rowOf(page, first).locator('[dir=auto]')).toHaveText('محمد الأمين')
})
