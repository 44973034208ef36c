import type { Pool } from '#server/database/pool.ts'
import { expect, signIn, test, waitForScripts } from './fixtures.ts'
import { newPerson, sandboxPool } from './people.ts'

let pool: Pool
test.beforeAll(async () => {
  pool = await sandboxPool()
})
test.afterAll(() => pool.end())

test('a choice about e-mails is stored and shown again; the sandbox shows the mails to members, written in their language', async ({
  page,
}) => {
  const person = await newPerson(pool, ['engineer', 'checker'])
  await signIn(page, person, `/${person.slug}/settings`)
  await waitForScripts(page)
  await page.getByLabel('Your batch has ended').selectOption('Daily digest')
  await page.getByLabel('Daily digest at').selectOption('08:00')
  await page.getByLabel('Quiet hours from').selectOption('22:00')
  await page.getByLabel('Until').selectOption('06:00')
  await page.getByRole('button', { name: 'Apply' }).click()
  await expect
    .poll(
      async () =>
        (await pool.query('select delivery from notice_preferences where person_id = $1 and cause = $2', [person.id, 'batch_ended'])).rows,
    )
    .toEqual([{ delivery: 'digest' }])
  await page.reload()
  await expect(page.getByLabel('Your batch has ended')).toHaveValue('digest')
  await expect(page.getByLabel('Daily digest at')).toHaveValue('8')
  await expect(page.getByLabel('Quiet hours from')).toHaveValue('22')
  await expect(page.getByLabel('Until')).toHaveValue('6')
  await pool.query(
    `insert into sandbox_mails values ('<' || gen_random_uuid() || '>', $1, 'Votre lot est terminé', 'https://pay.example/x')`,
    [person.email],
  )
  await pool.query(`insert into sandbox_mails values ('<' || gen_random_uuid() || '>', 'stranger@elsewhere.example', 'A secret', 'x')`)
  await page.goto(`/${person.slug}/sandbox`)
  await page.getByRole('link', { name: 'Mails', exact: true }).click()
  await expect(page.getByRole('main').getByText(person.email)).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Votre lot est terminé' }).first()).toBeVisible()
  await expect(page.getByText('stranger@elsewhere.example')).toHaveCount(0)
})
