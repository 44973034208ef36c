import type { Page } from 'playwright/test'
import { expect, expectAccessibleEverywhere, signIn, test, waitForScripts } from './fixtures.ts'
import { sandboxPool } from './people.ts'
import { personWith, type SandboxPerson } from './sandbox.ts'
import { importStatement, uploadStatement } from './statements.ts'

const WALLET = 'MLMOOV'
const HEADER =
  'Receipt No.,Completion Time,Initiation Time,Details,Transaction Status,Currency,Paid In,Withdrawn,Balance,Reason Type,Opposite Party,Linked Transaction ID,Remark'

type Payment = { transactionId: string; phone: string; amount: string; at: string }

/** The newest successful collect that no other has the number and amount of. */
async function findPayment(): Promise<Payment> {
  const pool = await sandboxPool()
  try {
    const { rows } = await pool.query<Payment>(
      `select t.transaction_id as "transactionId", t.phone_number as phone, (t.amount_minor / 100)::text as amount,
              to_char(t.final_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS') as at
         from transactions t
        where t.operator = $1 and t.type = 'COLLECT' and t.status = 'SUCCESS'
          and (select count(*) from transactions o where o.phone_number = t.phone_number and o.amount_minor = t.amount_minor and o.type = t.type) = 1
        order by t.final_at desc limit 1`,
      [WALLET],
    )
    const [found] = rows
    if (!found) throw new Error('The sandbox has no such collect')
    return found
  } finally {
    await pool.end()
  }
}

/** A statement of one line without a receipt number: only number and amount can find its payment. */
async function bring(page: Page, person: SandboxPerson, { phone, amount, at }: Payment): Promise<void> {
  await uploadStatement(page, person.slug, {
    wallet: WALLET,
    content: `${HEADER}\n,${at},,Payment,Completed,XOF,${amount},,,Pay,${phone} - X,,`,
  })
  await importStatement(page, 1)
}

async function open(page: Page, person: SandboxPerson): Promise<void> {
  await page.context().clearCookies()
  await signIn(page, person, `/${person.slug}/close/wallets/${WALLET}`)
  await waitForScripts(page)
}

test('finance proposes other matching rules, both people see the replay of 90 days, and an administrator makes them version 2', async ({
  page,
}) => {
  const [fatou, serge] = [personWith(['finance']), personWith(['administrator'])]
  const payment = await findPayment()
  await signIn(page, fatou, `/${fatou.slug}/close`)
  await bring(page, fatou, payment)
  await open(page, fatou)
  const rules = page.getByRole('region', { name: 'Matching by number and amount' })
  await rules.getByRole('button', { name: 'Change rules' }).focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Hours a line may be after its transaction').fill('200')
  await dialog.getByRole('button', { name: 'Propose change' }).click()
  await expect(dialog.getByText('Enter whole hours from 1 to 168.')).toBeVisible()
  await dialog.getByLabel('Hours a line may be after its transaction').fill('48')
  await dialog.getByLabel('Pairs').selectOption('none')
  await dialog.getByRole('button', { name: 'Propose change' }).click()
  const replay = page.getByRole('region', { name: 'Replay of the last 90 days', exact: true })
  await expect(replay).toBeVisible()
  await expect(replay.getByText(/without an id\. Paired: [1-9]\d* by the present rules, 0 by the proposed ones\./)).toBeVisible()
  const lost = replay.getByRole('row', { name: payment.transactionId })
  await expect(lost).toContainText('No transaction')
  await expect(page.getByRole('button', { name: 'Confirm' })).toHaveCount(0)
  await expectAccessibleEverywhere(page)

  await lost.getByRole('link').click()
  await expect(page.getByRole('heading', { name: /Moov Mali/ })).toBeVisible()

  await open(page, serge)
  await expect(lost).toBeVisible()
  await page.getByRole('button', { name: 'Confirm' }).click()
  await dialog.getByRole('button', { name: 'Confirm' }).click()
  await expect(rules.getByText('None: ids only')).toBeVisible()
  await expect(rules.getByText('48', { exact: true })).toBeVisible()
  await expect(replay).toHaveCount(0)
})
