import { readFile } from 'node:fs/promises'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import type { Pool } from '#server/database/pool.ts'
import { changeOwnPreferences } from '#server/people/accounts.ts'
import { setTimeZone } from '#server/reports/business-days/set-time-zone.ts'
import { anIntakeItem } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { inSimulatedTime } from '#server/testing/simulated-time.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { transition } from '#server/transactions/transition.ts'
import { expect, expectAccessibleEverywhere, LOOKS, signIn, test } from './fixtures.ts'
import { newApplication, newPerson, sandboxPool } from './people.ts'
import type { SandboxPerson } from './sandbox.ts'
import { rowsOf } from './transaction-list.ts'

test.describe.configure({ mode: 'default' })

let pool: Pool
test.beforeAll(async () => {
  pool = await sandboxPool()
})
test.afterAll(() => pool.end())

/** In Douala 14 March begins at 23:00 UTC. */
const LATE_ON_13 = new Date('2026-03-13T22:30:00Z')
const EARLY_ON_14 = new Date('2026-03-13T23:30:00Z')

/** A finance officer of a new application in Douala, which collected 1,000 XAF late on 13 March and 2,000 early on 14 March. */
async function financeInDouala(): Promise<SandboxPerson> {
  const { applicationId } = await newApplication(pool, false, 'Africa/Douala')
  const collects = [
    { at: LATE_ON_13, amountMinor: 100_000n },
    { at: EARLY_ON_14, amountMinor: 200_000n },
  ]
  await inSimulatedTime(pool, async (trx, setTime) => {
    for (const { at, amountMinor } of collects) {
      const item = anIntakeItem(applicationId, { type: 'COLLECT', amountMinor })
      await setTime(at)
      await takeIn(trx, [item])
      const actor = { kind: 'operator', id: null } as const
      await transition(trx, [{ applicationId, transactionId: item.transactionId, event: 'succeeded', actor }])
    }
  })
  return newPerson(pool, ['finance'], applicationId)
}

test('a collect at 00:30 in Douala is of the new day: list, filter, totals, statement and their files', async ({ page }) => {
  const person = await financeInDouala()
  await signIn(page, person, `/${person.slug}/transactions`)
  await expect(page.locator('tbody')).toContainText('14 Mar 2026')
  await expect(page.locator('tbody')).toContainText('13 Mar 2026')
  await expect(rowsOf(page).first()).toContainText('00:30')
  await expect(page.getByText('Days in Douala time', { exact: true })).toHaveCount(1)
  await page.goto(`/${person.slug}/transactions?from=2026-03-14&to=2026-03-14`)
  await expect(rowsOf(page)).toHaveCount(1)
  await expect(rowsOf(page)).toContainText('2,000')

  await page.goto(`/${person.slug}/totals?from=2026-03-13&to=2026-03-13`)
  const header = page.locator('main header').first()
  await expect(header).toContainText('13 Mar 2026')
  await expect(page.getByText('Days in Douala time', { exact: true })).toHaveCount(1)
  await expect(page.getByRole('heading', { name: 'XAF', exact: true }).locator('xpath=ancestor::li')).toContainText('1,000')
  await expect(page.getByText('The API counts the same dates as UTC days.')).toContainText('3,000')
  const totals = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export' }).click()
  await page.getByRole('link', { name: 'As CSV' }).click()
  const totalsFile = await readFile(await (await totals).path(), 'utf8')
  expect(totalsFile).toContain('From (Africa/Douala)')
  expect(totalsFile).toContain('2026-03-13')

  await page.goto(`/${person.slug}/balances/MOMOCM?from=2026-03-14&to=2026-03-14`)
  await expect(page.getByText('Days in Douala time', { exact: true })).toHaveCount(1)
  const days = page.getByRole('table', { name: 'By day' }).locator('tbody tr')
  await expect(days).toHaveCount(1)
  await expect(days).toContainText('14 Mar')
  const statement = page.waitForEvent('download')
  await page.getByRole('button', { name: /^Export/ }).click()
  await page.getByRole('link', { name: 'As CSV' }).click()
  const statementFile = await readFile(await (await statement).path(), 'utf8')
  expect(statementFile).toContain('Day (Africa/Douala)')
  expect(statementFile).toMatch(/2026-03-14,1,/)
})

test('"Today" at 00:30 in Douala is the new day, while it is still the day before in UTC', async ({ page }) => {
  const person = await financeInDouala()
  await page.clock.setFixedTime(EARLY_ON_14)
  await signIn(page, person, `/${person.slug}/transactions`)
  await expect(rowsOf(page)).toHaveCount(2)
  await page.getByRole('button', { name: /^Dates/ }).click()
  await page.getByRole('button', { name: 'Today', exact: true }).click()
  await expect(page).toHaveURL(/from=2026-03-14&to=2026-03-14/)
  await expect(rowsOf(page)).toHaveCount(1)
  await page.getByRole('button', { name: /^Dates/ }).click()
  await expect(page.getByText('Days in Douala time, both included')).toBeVisible()
})

test('an open page has the days of a new business time zone without a reload', async ({ page }) => {
  const person = await financeInDouala()
  await signIn(page, person, `/${person.slug}/transactions`)
  await expect(page.getByText('Days in Douala time', { exact: true })).toBeVisible()
  await page.evaluate(() => document.body.setAttribute('data-same', ''))
  const { rows } = await pool.query<{ id: string }>('select application_id as id from applications where slug = $1', [person.slug])
  must(await setTimeZone(pool, { applicationId: rows[0]?.id ?? '', timeZone: 'UTC', actor: SYSTEM_ACTOR }))
  await expect(page.getByText('Days in UTC', { exact: true })).toBeVisible()
  await expect(page.locator('tbody')).not.toContainText('14 Mar 2026')
  await expect(page.locator('body')).toHaveAttribute('data-same')
})

test('a person who reads clock times in another zone sees the same days, both zones named, and rows with their own date', async ({
  page,
}) => {
  const person = await financeInDouala()
  must(await changeOwnPreferences(pool, { personId: person.id, timeZone: 'America/New_York' }))
  await signIn(page, person, `/${person.slug}/transactions`)
  await expect(page.getByText('Days in Douala time, clock times in New York time', { exact: true })).toHaveCount(1)
  await expect(page.locator('tbody')).toContainText('14 Mar 2026')
  await expect(rowsOf(page).first()).toContainText('13 Mar, 19:30')
  await page.goto(`/${person.slug}/settings`)
  await expect(page.getByText('Days are the same for everybody in the application: Douala time.')).toBeVisible()
})

for (const look of LOOKS) {
  test.describe(`${look.locale}, ${look.colorScheme}`, () => {
    test.use(look)
    test('pages that name the zone are accessible at every width', async ({ page }) => {
      const person = await financeInDouala()
      await signIn(page, person, `/${person.slug}/transactions`)
      for (const path of ['transactions', 'totals?dates=always', 'balances/MOMOCM?dates=always', 'approvals?queue=decided']) {
        await page.goto(`/${person.slug}/${path}`)
        const words = look.locale === 'fr-CM' ? 'Jours, heure locale (Douala)' : 'Days in Douala time'
        await expect(page.getByText(words, { exact: true })).toHaveCount(1)
        await expectAccessibleEverywhere(page)
      }
    })
  })
}
