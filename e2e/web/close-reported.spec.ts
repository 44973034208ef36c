import { csv, MTN_HEADER, mtnRow } from '#server/reconciliation/testing/statements.ts'
import { expect, expectAccessible, signIn, test } from './fixtures.ts'
import { sandboxPool } from './people.ts'
import { personWith } from './sandbox.ts'
import { importStatement, uploadStatement } from './statements.ts'

const WALLET = 'UGMTN-collect'
/** Days before today on the operator's clock, which is three hours ahead of UTC. */
const dayBefore = (days: number) => new Date(Date.now() + 3 * 3_600_000 - days * 86_400_000).toISOString().slice(0, 10)

test('lines that the statement lacks are seen in the balances that the operator reported, where the statement prints none', async ({
  page,
}) => {
  const fatou = personWith(['finance'])
  const day = dayBefore(6)
  const pool = await sandboxPool()
  const report = (at: string, collectMinor: number) =>
    pool.query(
      `insert into operator_balance_polls (application_id, operator, checked_at, collect_minor, deposit_minor, reported_minor, ledger_minor)
         select application_id, 'UGMTN', $2::timestamp at time zone 'Africa/Kampala', $3, 0, $3, 0 from applications where slug = $1`,
      [fatou.slug, at, collectMinor],
    )
  await signIn(page, fatou, `/${fatou.slug}/close`)
  const line = { Status: 'Successful', Type: 'Transfer', Currency: 'UGX', From: 'FRI:256772000123/MSISDN', To: 'FRI:256770001201/MSISDN' }
  const content = csv([MTN_HEADER, mtnRow({ ...line, Id: 'RP-1', Date: `${day} 10:00:00`, Amount: '5000' })])
  await uploadStatement(page, fatou.slug, { wallet: WALLET, content })
  await importStatement(page, 1)
  await report(`${dayBefore(7)} 23:57:00`, 1_000_000)
  await page.goto(`/${fatou.slug}/close/days/${WALLET}/${day}`)
  await expect(page.getByRole('heading', { name: 'Signature' })).toBeVisible()
  await expect(page.getByText(/the operator reported/)).toHaveCount(0)
  await report(`${day} 23:58:00`, 1_750_000)
  await page.reload()
  const told = page.getByText(
    /^The statement prints no balance, and its lines differ by 2,500\sUGX from the balances that the operator reported on/,
  )
  await expect(told).toBeVisible()
  await expectAccessible(page)
  await report(`${day} 23:59:00`, 1_500_000)
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Signature' })).toBeVisible()
  await expect(told).toHaveCount(0)
  await pool.end()
})
