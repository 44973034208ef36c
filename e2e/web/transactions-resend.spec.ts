import { expect, expectAccessibleEverywhere, signIn, test } from './fixtures.ts'
import { sandboxPool } from './people.ts'
import { personWith, type SandboxPerson } from './sandbox.ts'

type Delivery = { applicationId: string; transactionId: string; target: string }

/** A delivered webhook of the person's application, another one for each place. */
async function deliveredWebhook(person: SandboxPerson, place: number): Promise<Delivery> {
  const pool = await sandboxPool()
  try {
    const { rows } = await pool.query<Delivery>(
      `select d.application_id as "applicationId", d.transaction_id as "transactionId", d.target
         from webhook_deliveries d join applications a using (application_id)
         where a.name = $1 and d.state = 'delivered' order by d.transaction_id desc offset $2 limit 1`,
      [person.application, place],
    )
    const [found] = rows
    if (!found) throw new Error('The sandbox has no delivered webhook')
    return found
  } finally {
    await pool.end()
  }
}

/** Records ten resends of the last minutes, which is the limit. */
async function resendTenTimes({ applicationId, transactionId, target }: Delivery, person: SandboxPerson): Promise<void> {
  const pool = await sandboxPool()
  try {
    await pool.query(
      `insert into webhook_resends (application_id, transaction_id, number, target, requested_by, requested_at, next_at, started_at, duration_ms, outcome)
         select $1, $2, n, $3, $4, now() - interval '5 minutes', now(), now() - interval '5 minutes', 3, 'connection_refused' from generate_series(1, 10) n`,
      [applicationId, transactionId, target, person.id],
    )
  } finally {
    await pool.end()
  }
}

test('the person and the result are in the history after finance resends a webhook, without a reload', async ({ page }) => {
  const person = personWith(['finance'])
  const { transactionId } = await deliveredWebhook(person, 0)
  await signIn(page, person, `/${person.slug}/transactions/${transactionId}`)
  const attempts = page.getByRole('list', { name: 'Webhook attempts' })
  await expect(attempts.getByRole('listitem')).toHaveCount(await attempts.getByText('Automatic attempt').count())
  await page.getByRole('button', { name: 'Resend webhook' }).click()
  const mine = attempts.getByRole('listitem').filter({ hasText: `Resent by ${person.name}` })
  await expect(mine).toHaveCount(1)
  await expect(mine).toContainText(/\d ms/)
  await expect(page.getByRole('button', { name: 'Resend webhook' })).toBeEnabled()
  await expectAccessibleEverywhere(page)
})

test('the limit is beside the disabled button after ten resends within an hour', async ({ page }) => {
  const person = personWith(['finance'])
  const delivery = await deliveredWebhook(person, 1)
  await resendTenTimes(delivery, person)
  await signIn(page, person, `/${person.slug}/transactions?open=${delivery.transactionId}`)
  await expect(page.getByText('The limit is ten resends per hour. Possible again in 55 minutes.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Resend webhook' })).toBeDisabled()
})

test('the roles that may resend are in the place of the button for a checker', async ({ page }) => {
  const person = personWith(['checker'])
  const { transactionId } = await deliveredWebhook(person, 2)
  await signIn(page, person, `/${person.slug}/transactions/${transactionId}`)
  await expect(page.getByText('Only makers, finance and administrators resend webhooks.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Resend webhook' })).toHaveCount(0)
})
