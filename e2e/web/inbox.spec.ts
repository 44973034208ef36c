import { proposeChange } from '#server/changes/propose-change.ts'
import type { Pool } from '#server/database/pool.ts'
import { must } from '#server/testing/partner.ts'
import { expect, expectAccessibleEverywhere, LOOKS, signIn, test } from './fixtures.ts'
import { newPerson, sandboxPool } from './people.ts'
import { newQueue } from './waiting.ts'

let pool: Pool
test.beforeAll(async () => {
  pool = await sandboxPool()
})
test.afterAll(() => pool.end())

/** A checker who is an administrator too, two payments that wait for them, and a change that another administrator proposed. */
async function desk() {
  const queue = await newQueue(pool)
  const { applicationId } = queue
  const person = await newPerson(pool, ['administrator', 'checker'], applicationId, 'Hélène Ngo Bell')
  const administrator = await newPerson(pool, ['administrator'], applicationId, 'Serge Talla')
  const rows = await pool.query<{ id: string; email: string }>('select person_id as id, email from people where email = any ($1)', [
    [administrator.email, queue.maker.email],
  ])
  const idOf = (email: string) => rows.rows.find((row) => row.email === email)?.id ?? ''
  const actor = { kind: 'person' as const, id: idOf(administrator.email), applicationId, roles: ['administrator' as const] }
  const propose = async () => {
    const input = { personId: idOf(queue.maker.email), roles: ['maker', 'finance'], isActive: true }
    must(await proposeChange(pool, { applicationId, kind: 'person.roles', input, actor }))
  }
  return { ...queue, person, propose }
}

test('what waits is listed with its place, counted in the navigation, and updated without a reload', async ({ page }) => {
  const { person, wait, propose } = await desk()
  await signIn(page, person, `/${person.slug}/waiting`)
  await expect(page.getByText('Nothing waits for you')).toBeVisible()
  await wait([{ name: 'Clarisse Mbarga' }, { name: 'Aminata Diop', operator: 'SNOM' }])
  await propose()
  const navigation = page.getByRole('navigation', { name: 'Main navigation' }).first()
  await expect(page.getByRole('heading', { name: 'Payments to approve' })).toBeVisible()
  await expect(navigation.getByRole('link', { name: /^Waiting for you.*3 waiting for you/ })).toBeVisible()
  await expect(navigation.getByRole('link', { name: /^Approvals.*2 waiting for you/ })).toBeVisible()
  await expect(navigation.getByRole('link', { name: /^People.*1 waiting for you/ })).toBeVisible()
  await expect(page.getByRole('link', { name: /Clarisse Mbarga/ })).toContainText('from Awa Kaboré')
  await page.getByRole('link', { name: /^Roles, Awa Kaboré/ }).click()
  await expect(page.getByRole('button', { name: 'Confirm' })).toBeVisible()
})

test('a returned payment is dismissed by its maker, and the others stay', async ({ page }) => {
  const { maker, checker, wait, decide } = await newQueue(pool)
  await decide(checker, await wait([{ name: 'Clarisse Mbarga' }, { name: 'Aminata Diop', operator: 'SNOM' }]), 'rejected', 'Wrong month')
  await signIn(page, maker, `/${maker.slug}/waiting`)
  await expect(page.getByRole('link', { name: /Aminata Diop/ })).toBeVisible()
  await expectAccessibleEverywhere(page)
  await page.getByRole('button', { name: 'Dismiss Clarisse Mbarga' }).click()
  await expect(page.getByRole('link', { name: /Clarisse Mbarga/ })).toHaveCount(0)
  await expect(page.getByRole('link', { name: /Aminata Diop/ })).toBeVisible()
})

for (const look of LOOKS) {
  test.describe(`${look.locale} ${look.colorScheme}`, () => {
    test.use(look)
    test('the list of what waits is accessible at every width', async ({ page }) => {
      const { person, wait, propose } = await desk()
      await wait([{ name: 'Clarisse Mbarga' }, { name: 'Aminata Diop', operator: 'SNOM' }])
      await propose()
      await signIn(page, person, `/${person.slug}/waiting`)
      await expect(page.getByRole('link', { name: /Clarisse Mbarga/ })).toBeVisible()
      await expectAccessibleEverywhere(page)
    })
  })
}
