import type { Locator, Page } from 'playwright/test'
import type { Pool } from '#server/database/pool.ts'
import { expect, signIn, test, waitForScripts } from './fixtures.ts'
import { newPerson, sandboxPool } from './people.ts'
import { type SandboxPerson, sandboxUrl } from './sandbox.ts'
import { newQueue } from './waiting.ts'

let pool: Pool
test.beforeAll(async () => {
  pool = await sandboxPool()
})
test.afterAll(() => pool.end())

const HEAD = 'Téléphone;Nom;Montant;Opérateur'

function fileOf(name: string, payees: readonly string[]) {
  const lines = payees.map((payee, index) => `23767720934${index};${payee};${1_000 + index};MOMOCM`)
  return { name: `${name}.csv`, mimeType: 'text/csv', buffer: Buffer.from([HEAD, ...lines].join('\n')) }
}

/** Moves the focus with Tab until it is there, as somebody without a mouse does. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await expect(target.first()).toBeEnabled()
  for (let presses = 0; presses < 80; presses++) {
    if (await target.first().evaluate((element) => element === document.activeElement)) return
    await page.keyboard.press('Tab')
  }
  await expect(target.first()).toBeFocused()
}

test('a file by keyboard alone: chosen, checked, submitted by its maker; found, read and validated by a checker', async ({ page }) => {
  const queue = await newQueue(pool)
  await signIn(page, queue.maker, `/${queue.slug}/batches/new`)
  const chooser = page.waitForEvent('filechooser')
  await tabTo(page, page.locator('input[type=file]'))
  await page.keyboard.press('Enter')
  await (await chooser).setFiles(fileOf('Salaries', ['Awa', 'Koffi', 'Jean']))
  await tabTo(page, page.locator('main form button[type=submit]'))
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1, name: 'Salaries' })).toBeVisible()
  await waitForScripts(page)
  await tabTo(page, page.getByRole('button', { name: 'Submit for approval' }))
  await page.keyboard.press('Enter')
  await expect(page.getByText('Waiting for approval', { exact: true }).first()).toBeVisible()

  await page.context().clearCookies()
  await signIn(page, queue.checker, `/${queue.slug}/approvals`)
  await tabTo(page, page.getByRole('region', { name: 'Batches' }).getByRole('link', { name: 'Salaries' }))
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1, name: 'Salaries' })).toBeVisible()
  await tabTo(page, page.getByRole('button', { name: 'Validate', exact: true }))
  await page.keyboard.press('Enter')
  await tabTo(page, page.getByLabel('Payee note'))
  await page.keyboard.type('Matches the signed list')
  await tabTo(page, page.getByRole('button', { name: /^Validate 3/ }))
  await page.keyboard.press('Enter')
  await expect(page.getByText('3 rows validated')).toBeVisible()
})

test('two makers and two checkers at the same time: every row is sent once, each batch is decided once', async ({ browser }) => {
  test.slow()
  const queue = await newQueue(pool)
  const second = await newPerson(pool, ['maker'], queue.applicationId, 'Paul Mensah')
  const open = async (person: SandboxPerson, address: string) => {
    const page = await (await browser.newContext({ baseURL: sandboxUrl(), locale: 'en-GB' })).newPage()
    await signIn(page, person, address)
    return page
  }
  const submit = async (maker: SandboxPerson, name: string) => {
    const page = await open(maker, `/${queue.slug}/batches/new`)
    await page.locator('input[type=file]').setInputFiles(fileOf(name, [`${name} A`, `${name} B`]))
    await page.locator('main form button[type=submit]').click()
    await expect(page.getByRole('heading', { level: 1, name })).toBeVisible()
    await waitForScripts(page)
    await page.getByRole('button', { name: 'Submit for approval' }).click()
    await expect(page.getByText('Waiting for approval', { exact: true }).first()).toBeVisible()
    await page.context().close()
  }
  await Promise.all([submit(queue.maker, 'North'), submit(second, 'South')])
  const validate = async (checker: SandboxPerson, name: string) => {
    const page = await open(checker, `/${queue.slug}/approvals`)
    await page.getByRole('region', { name: 'Batches' }).getByRole('link', { name }).click()
    await page.getByRole('button', { name: 'Validate', exact: true }).click()
    await page.getByLabel('Payee note').fill('Seen')
    await page.getByRole('button', { name: /^Validate 2/ }).click()
    await expect(page.getByText('2 rows validated')).toBeVisible()
    await page.context().close()
  }
  await Promise.all([validate(queue.checker, 'North'), validate(queue.other, 'South')])
  const decisions = await pool.query(
    `select b.name, p.name as checker, count(*)::integer as rows from approval_decisions d join batches b using (application_id, batch_id)
       join people p on p.person_id = d.checker_id where d.application_id = $1 group by 1, 2 order by 1`,
    [queue.applicationId],
  )
  expect(decisions.rows).toEqual([
    { name: 'North', checker: 'Mariam Diallo', rows: 2 },
    { name: 'South', checker: 'Jean Ouattara', rows: 2 },
  ])
  const states = () => pool.query('select status from transactions where application_id = $1', [queue.applicationId])
  await expect.poll(async () => (await states()).rows.map(({ status }) => status), { timeout: 60_000 }).toEqual(Array(4).fill('SUCCESS'))
})

test('a batch that a colleague rejects while somebody writes about it names who and why, keeps the note, and sends nothing', async ({
  page,
  browser,
}) => {
  const queue = await newQueue(pool)
  await signIn(page, queue.maker, `/${queue.slug}/batches/new`)
  await page.locator('input[type=file]').setInputFiles(fileOf('March', ['Awa', 'Koffi']))
  await page.locator('main form button[type=submit]').click()
  await expect(page.getByRole('heading', { level: 1, name: 'March' })).toBeVisible()
  await waitForScripts(page)
  await page.getByRole('button', { name: 'Submit for approval' }).click()
  await expect(page.getByText('Waiting for approval', { exact: true }).first()).toBeVisible()

  const openAs = async (person: SandboxPerson) => {
    const opened = await (await browser.newContext({ baseURL: sandboxUrl(), locale: 'en-GB' })).newPage()
    await signIn(opened, person, `/${queue.slug}/approvals`)
    await opened.getByRole('region', { name: 'Batches' }).getByRole('link', { name: 'March' }).click()
    await waitForScripts(opened)
    return opened
  }
  const writing = await openAs(queue.checker)
  await writing.getByRole('button', { name: 'Validate', exact: true }).click()
  await writing.getByLabel('Payee note').fill('Matches the list')
  const rejecting = await openAs(queue.other)
  await rejecting.getByRole('button', { name: 'Reject the batch', exact: true }).click()
  await rejecting.getByLabel('Reason').fill('Wrong month')
  await rejecting.getByRole('button', { name: /^Reject the batch \(/ }).click()
  await expect(rejecting.getByText('2 rows rejected.')).toBeVisible()

  await expect(writing.getByRole('alert').filter({ hasText: 'Already rejected by Jean Ouattara' })).toContainText('“Wrong month”')
  await expect(writing.getByLabel('Payee note')).toHaveValue('Matches the list')
  await expect(writing.getByRole('button', { name: /^Validate 2/ })).toBeDisabled()
  await expect(writing.getByText('Your decision was not sent.')).toBeVisible()
  await writing.getByRole('button', { name: 'Close', exact: true }).click()
  await expect(writing.getByRole('heading', { name: 'Progress' })).toBeVisible()
  await expect(writing.getByRole('alert').filter({ hasText: 'Already rejected by Jean Ouattara' })).toBeVisible()
  await writing.context().close()
  await rejecting.context().close()
})
