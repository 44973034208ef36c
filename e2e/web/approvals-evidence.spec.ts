import type { Page } from 'playwright/test'
import type { Pool } from '#server/database/pool.ts'
import { expect, expectAccessible, test } from './fixtures.ts'
import { sandboxPool } from './people.ts'
import { sandboxUrl } from './sandbox.ts'
import { another, newQueue, openApprovals, rowOf } from './waiting.ts'

test.describe.configure({ mode: 'default' })

let pool: Pool
test.beforeAll(async () => {
  pool = await sandboxPool()
})
test.afterAll(() => pool.end())

const PHONE = '237690441208'

/** A number paid three times 200,000 as "Amadou NGASSA", then 1,250,000 twice within a minute under another spelling. */
async function suspicious() {
  const queue = await newQueue(pool)
  const before = await queue.wait(
    [200_000, 210_000, 200_000].map((amount) => ({ name: 'Amadou Ngassa', phone: PHONE, amountMinor: BigInt(amount) * 100n })),
  )
  await queue.decide(queue.other, before, 'validated', 'Seen')
  for (const id of before) await expect.poll(() => queue.statusOf(id)).toBe('SUCCESS')
  const [twin] = await queue.wait([{ name: 'Ngassa Amadou', phone: PHONE, amountMinor: 124_500_000n }])
  const [asked] = await queue.wait([{ name: 'Ngassa Amadoú', phone: PHONE, amountMinor: 125_000_000n }])
  return { queue, twin, asked }
}

async function expectAnswers(page: Page, twin: string | undefined): Promise<void> {
  const evidence = page.getByRole('region', { name: 'Before you decide' }).and(page.locator(':visible'))
  await expect(evidence).toContainText(/1,245,000\sXAF for this number in progress/)
  await expect(evidence).toContainText('Different external id, same name.')
  await expect(evidence.getByRole('link', { name: 'Open', exact: true })).toHaveAttribute('href', new RegExp(`/transactions/${twin}$`))
  await expect(evidence).toContainText(/Paid 3 times since .*, usually about 200,000, the largest 210,000\sXAF/)
  await expect(evidence).toContainText('6.3 times the usual amount')
  await expect(evidence).toContainText(/Name spelled Amadou Ngassa last time/)
  // 10,000,000 less 610,000 and its fees of 1.5 %, less 1,250,000 or 2,495,000 and theirs.
  await expect(evidence).toContainText(/MTN Cameroon after this: 8,112,100\sXAF/)
  await expect(evidence).toContainText(/After all 2 waiting: 6,848,425\sXAF/)
  for (const item of await evidence.getByRole('listitem').all()) {
    const isCut = await item.evaluate((element) => element.scrollWidth > element.clientWidth)
    expect(isCut, 'a line of the evidence is cut').toBe(false)
  }
  await expect(page.getByRole('button', { name: 'Validate', exact: true }).and(page.locator(':visible')).last()).toBeInViewport({
    ratio: 1,
  })
}

test('the evidence answers every question beside the list, and in the sheet of a phone', async ({ page, browser }) => {
  const { queue, twin, asked } = await suspicious()
  await openApprovals(page, queue.checker, '?sort=newest')
  await page.keyboard.press('j')
  await page.setViewportSize({ width: 1440, height: 700 })
  await expectAnswers(page, twin)
  await expectAccessible(page)

  const context = await browser.newContext({
    baseURL: sandboxUrl(),
    viewport: { width: 360, height: 740 },
    colorScheme: 'dark',
    hasTouch: true,
    isMobile: true,
  })
  const phone = await context.newPage()
  await openApprovals(phone, queue.checker)
  await rowOf(phone, asked).tap()
  await expectAnswers(phone, twin)
  await expectAccessible(phone)
  await context.close()
})

test('a first payment, and one that the balance does not cover, say so', async ({ page }) => {
  const queue = await newQueue(pool)
  await queue.wait([{ name: 'Okello Stephen', phone: '256772408115', operator: 'UGMTN', amountMinor: 999_000_000n }])
  await openApprovals(page, queue.checker)
  const evidence = page.getByRole('region', { name: 'Before you decide' })
  await expect(evidence).toContainText('First payment to this number')
  await expect(evidence).toContainText(/MTN Uganda balance too low: −139,850\sUGX/)
})

test('who can decide is named, and a transaction that nobody can decide says so before its time is over', async ({ page, browser }) => {
  const queue = await newQueue(pool)
  const [asked] = await queue.wait([{ name: 'Amadou Ngassa' }], { steps: [2] })
  await openApprovals(page, queue.checker)
  const evidence = page.getByRole('region', { name: 'Before you decide' })
  await expect(evidence).toContainText('Can decide: you, Jean Ouattara')
  await queue.decide(queue.checker, [asked ?? ''], 'validated', 'Seen')
  await pool.query('update people set is_blocked = true where person_id = $1', [queue.other.id])
  const maker = await another(browser, queue.maker, '?queue=made')
  const seenByMaker = maker.getByRole('region', { name: 'Before you decide' })
  await expect(seenByMaker).toContainText('Nobody can decide this')
  await expect(seenByMaker).toContainText('Ask an administrator to add a checker before it expires.')
  await maker.context().close()
})
