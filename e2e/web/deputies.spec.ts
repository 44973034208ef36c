import type { Pool } from '#server/database/pool.ts'
import { expect, expectAccessibleEverywhere, LOOKS, signIn, test } from './fixtures.ts'
import { confirmProposal, newPerson, sandboxPool } from './people.ts'
import { newQueue } from './waiting.ts'

let pool: Pool
test.beforeAll(async () => {
  pool = await sandboxPool()
})
test.afterAll(() => pool.end())

/** A queue with a checker who will be absent, an administrator, and somebody who can be the deputy. */
async function team() {
  const queue = await newQueue(pool)
  const administrator = await newPerson(pool, ['administrator'], queue.applicationId, 'Serge Talla')
  const deputy = await newPerson(pool, ['finance'], queue.applicationId, 'Yannick Essomba')
  /** After the sign-in of the test, which has no device for codes. */
  const enrol = () => pool.query('update people set totp_enabled_at = now() where email = $1', [deputy.email])
  return { ...queue, administrator, deputy, enrol }
}

test('a checker names a deputy, an administrator confirms, and the deputy decides until either ends it', async ({ browser, baseURL }) => {
  const { checker, administrator, deputy, enrol, wait, statusOf } = await team()
  const [first, second, third] = await Promise.all(
    [0, 1, 2].map(async () => (await browser.newContext({ baseURL: baseURL ?? '' })).newPage()),
  )
  if (!first || !second || !third) throw new Error('A page is missing')
  const [transactionId = ''] = await wait([{ name: 'Clarisse Mbarga' }])
  await signIn(third, deputy, `/${deputy.slug}/transactions/${transactionId}`)
  await expect(third.getByText('Only checkers decide')).toBeVisible()
  await enrol()

  await signIn(first, checker, `/${checker.slug}/settings`)
  await first.getByRole('button', { name: 'Name a deputy' }).click()
  const dialog = first.getByRole('dialog')
  await dialog.getByLabel('Until, including this day').fill(new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 10))
  await dialog.getByRole('button', { name: 'Propose change' }).click()
  await expect(first.getByText('Waiting for another person with the role Administrator.')).toBeVisible()

  await signIn(second, administrator, `/${administrator.slug}/people`)
  await confirmProposal(second, second.getByRole('listitem').filter({ hasText: 'Deputy of an absent checker' }))
  await expect(second.getByText('Yannick Essomba decides for Mariam Diallo')).toBeVisible()

  await third.reload()
  await expect(third.getByText(/^You decide for Mariam Diallo until/)).toBeVisible()
  await third.getByRole('button', { name: 'Validate' }).click()
  await third.getByRole('textbox').fill('Invoice seen')
  await third.getByRole('button', { name: /^Validate/ }).click()
  await expect.poll(() => statusOf(transactionId)).not.toBe('PENDING_APPROVAL')
  await expect(third.getByText('Yannick Essomba for Mariam Diallo').first()).toBeVisible()

  await first.reload()
  await first.getByRole('button', { name: 'End: Yannick Essomba for Mariam Diallo' }).click()
  await first.getByRole('dialog').getByRole('button', { name: 'End now' }).click()
  await expect(first.getByRole('button', { name: 'End: Yannick Essomba for Mariam Diallo' })).toHaveCount(0)
  const [later = ''] = await wait([{ name: 'Aminata Diop' }])
  await third.goto(`/${deputy.slug}/transactions/${later}`)
  await expect(third.getByText(/^You decide for/)).toHaveCount(0)
  await expect(third.getByRole('button', { name: 'Validate' })).toHaveCount(0)
  await Promise.all([first, second, third].map((page) => page.context().close()))
})

for (const look of LOOKS) {
  test.describe(`${look.locale} ${look.colorScheme}`, () => {
    test.use(look)
    test('the form of a deputy is accessible at every width', async ({ page }) => {
      const { administrator, enrol } = await team()
      await enrol()
      await signIn(page, administrator, `/${administrator.slug}/people`)
      await page.locator('section[aria-labelledby=deputies]').getByRole('button').click()
      await expect(page.getByRole('dialog')).toBeVisible()
      await expectAccessibleEverywhere(page)
    })
  })
}
