import type { Page } from 'playwright/test'
import type { Pool } from '#server/database/pool.ts'
import { expect, expectAccessible, isJudged, signIn, test, WIDTHS } from './fixtures.ts'
import { sandboxPool } from './people.ts'
import { sandboxUrl } from './sandbox.ts'
import { giveDevice, newQueue, panelOf, rowOf } from './waiting.ts'

test.describe.configure({ mode: 'default' })

let pool: Pool
test.beforeAll(async () => {
  pool = await sandboxPool()
})
test.afterAll(() => pool.end())

/** Nothing is wider than the screen, no button's words are cut or broken over lines, and axe finds nothing where it runs. */
async function expectWellLaidOut(page: Page, where: string): Promise<void> {
  if (isJudged(page.viewportSize()?.width ?? 0)) await expectAccessible(page)
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${where}: scrolls sideways`).toBe(true)
  const cut = await page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('table, #approval-panel li')]
      .filter((each) => each.checkVisibility() && each.scrollWidth > (each.parentElement?.clientWidth ?? 0))
      .map((each) => each.textContent.slice(0, 80)),
  )
  expect(cut, `${where}: wider than its place`).toEqual([])
  const broken = await page.evaluate(() =>
    [...document.querySelectorAll<HTMLButtonElement>('main button')]
      .filter((button) => button.checkVisibility() && button.textContent.trim() !== '')
      // A button must show its whole label; the one that lists sums may take a second line on a phone.
      .filter((button) => button.scrollWidth > button.clientWidth + 1 || (button.type !== 'submit' && button.clientHeight > 46))
      .map((button) => button.textContent),
  )
  expect(broken, `${where}: words of buttons`).toEqual([])
}

for (const [locale, theme] of [
  ['en-GB', 'dark'],
  ['fr-FR', 'light'],
] as const) {
  test(`codes, sums in three currencies, a report and the card on a transaction's page fit at three widths, ${locale} ${theme}`, async ({
    browser,
  }) => {
    const queue = await newQueue(pool)
    const rule = { rule: { name: 'Very large payout with a rather long name of a rule (XAF)', parts: [] }, steps: [1, 1], needsCode: true }
    const long = { name: 'Marie-Thérèse Emmanuelle Nkoulou épouse Abessolo Mvondo', amountMinor: 80_000_000n }
    const [asking] = await queue.wait([long], rule)
    await queue.wait([
      { ...long, operator: 'SNOM', phone: '221771234567', amountMinor: 98_765_432_100n },
      { ...long, operator: 'UGMTN', phone: '256772408115', amountMinor: 98_765_432_100n },
    ])
    const context = await browser.newContext({ baseURL: sandboxUrl(), locale, colorScheme: theme })
    const page = await context.newPage()
    await signIn(page, queue.checker, `/${queue.slug}/approvals`)
    await expect(rowOf(page, asking)).toBeVisible()
    await expectWellLaidOut(page, 'without a second factor')
    await giveDevice(pool, queue.checker)
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 760 })
      const [quicker = '', mine = ''] = await queue.wait([long, long], rule)
      await page.goto(`/${queue.slug}/approvals`)
      await page.locator('tbody tr').first().waitFor()
      if (width >= 640) {
        const second = await rowOf(page, mine).boundingBox()
        expect(second?.height, `a row takes two lines at ${width}`).toBeLessThan(60)
      }
      for (const box of await page.locator('tbody input[type=checkbox]').all()) await box.check()
      await expectWellLaidOut(page, `selection at ${width}`)
      await page.keyboard.press('v')
      await expect(page.locator('#field-code')).toBeVisible()
      await expectWellLaidOut(page, `question at ${width}`)
      await page.keyboard.press('Escape')
      await page.goto(`/${queue.slug}/transactions/${mine}`)
      await expectWellLaidOut(page, `page of a transaction at ${width}`)
      await page.goto(`/${queue.slug}/approvals`)
      await rowOf(page, quicker).getByRole('checkbox').check()
      await rowOf(page, mine).getByRole('checkbox').check()
      await page.keyboard.press('r')
      // On a busy machine the panel of the one transaction, which has a note too, is still there for a moment.
      await expect(page.locator('#field-note')).toHaveCount(1)
      await page.locator('#field-note').fill('x')
      await queue.decide(queue.other, [quicker], 'rejected', 'Quicker')
      await panelOf(page).locator('button[type=submit]').click()
      await expect(panelOf(page)).toContainText('Jean Ouattara')
      await expectWellLaidOut(page, `report at ${width}`)
      await page.keyboard.press('Escape')
    }
    await context.close()
  })
}
