import { expect, expectAccessibleEverywhere, signIn, test, waitForScripts } from './fixtures.ts'
import { confirmProposal, newPerson, sandboxPool, storeContradiction } from './people.ts'
import { personWith } from './sandbox.ts'
import { startCollect } from './transaction-list.ts'

test('a collect that its operator doubts is taken back by two administrators: the operator returns the money, the exception is closed, the status stays', async ({
  page,
}) => {
  const pool = await sandboxPool()
  try {
    const serge = personWith(['administrator'])
    const second = await newPerson(pool, ['administrator'])
    const transactionId = await startCollect('256751230044', { transferMethod: 'UGAIRTEL', countryName: 'UGANDA', amount: 900 })
    const status = async () => {
      const { rows } = await pool.query('select status from transactions where transaction_id = $1', [transactionId])
      return rows[0]?.status
    }
    await expect.poll(status, { timeout: 40_000 }).toBe('SUCCESS')
    await storeContradiction(pool, transactionId)

    await signIn(page, serge, `/${serge.slug}/close/exceptions`)
    const { rows } = await pool.query('select operator_reference as reference from transactions where transaction_id = $1', [transactionId])
    const row = page.getByRole('row').filter({ hasText: new RegExp(`${transactionId}|${rows[0]?.reference ?? transactionId}`) })
    await row.getByRole('link', { name: 'Contradicted by the operator' }).click()
    await expect(page.getByRole('heading', { name: 'Contradicted by the operator' })).toBeVisible()
    await waitForScripts(page)
    const address = new URL(page.url()).pathname
    await page.getByRole('button', { name: 'Reverse at the operator' }).click()
    const dialog = page.getByRole('dialog', { name: 'Reverse at the operator' })
    await dialog.getByRole('button', { name: 'Propose the reversal' }).click()
    await expect(dialog.getByText('Enter a reason.')).toBeVisible()
    await expectAccessibleEverywhere(page)
    await dialog.getByLabel('Reason').fill('Paid twice by mistake')
    await dialog.getByRole('button', { name: 'Propose the reversal' }).click()
    await expect(page.getByText('Paid twice by mistake')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Confirm', exact: true })).toHaveCount(0)

    await page.context().clearCookies()
    await signIn(page, second, address)
    await confirmProposal(page)
    // The task runs each minute.
    await pool.query(`update scheduled_tasks set due_at = now() where task = 'carry_out_reversals'`)
    await expect(async () => {
      await page.goto(`/${serge.slug}/transactions/${transactionId}`)
      await expect(page.getByText(/^Reversed by the operator/)).toBeVisible({ timeout: 2_000 })
    }).toPass({ timeout: 90_000 })
    await expectAccessibleEverywhere(page)
    expect(await status()).toBe('SUCCESS')
    await page.goto(address)
    await expect(page.getByRole('region', { name: 'History' })).toContainText('Closed: Adjusted')
    await expect(page.getByRole('button', { name: 'Reverse at the operator' })).toHaveCount(0)
  } finally {
    await pool.end()
  }
})
