import type { Browser, Page } from 'playwright/test'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import type { Pool } from '#server/database/pool.ts'
import { setOperator } from '#server/operators/settings/set-operator.ts'
import { anIntakeItem, fund } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { findTransaction } from '#server/transactions/transaction-store.ts'
import { expect, expectAccessibleEverywhere, LOOKS, signIn, test, waitForScripts } from './fixtures.ts'
import { fillIn, openNewPayment, previewOf } from './new-payment.ts'
import { newApplication, newPerson, sandboxPool } from './people.ts'
import { personWith, type SandboxPerson, sandboxUrl } from './sandbox.ts'

let pool: Pool
test.beforeAll(async () => {
  pool = await sandboxPool()
})
test.afterAll(() => pool.end())

const SECRET = 'a secret that no page repeats'

async function openAs(browser: Browser, person: SandboxPerson, place: string): Promise<Page> {
  const page = await (await browser.newContext({ baseURL: sandboxUrl() })).newPage()
  await signIn(page, person, `/${person.slug}/${place}`)
  return page
}

/** Everything that a page receives from now on, as text, except for the stream of events, which has no end and no content. */
function listenTo(page: Page): Promise<string>[] {
  const received: Promise<string>[] = []
  page.on('response', (response) => {
    if (!response.headers()['content-type']?.startsWith('text/event-stream')) received.push(response.text().catch(() => ''))
  })
  return received
}

/** Reloads until the operator is reached through this protocol; a second is what a change may take, the rest is the page's. */
async function expectThrough(page: Page, protocol: string): Promise<void> {
  await expect(async () => {
    await page.reload()
    await expect(page.getByText(`via ${protocol}`).first()).toBeVisible({ timeout: 100 })
  }).toPass({ timeout: 4_000 })
  await waitForScripts(page)
}

test('settings that one administrator proposes are refused, then confirmed by another and in force at once; no page ever has the secret', async ({
  page,
  browser,
}) => {
  const [serge, helene] = [personWith(['administrator'], 0), personWith(['administrator'], 1)]
  const received = listenTo(page)
  await signIn(page, serge, `/${serge.slug}/operators/MLMOOV`)
  const dialog = page.getByRole('dialog')
  const propose = () => dialog.getByRole('button', { name: 'Test and propose' }).click()
  const proposeAnyway = async () => {
    await expect(dialog.getByText(/No answer within/)).toBeVisible()
    await expect(dialog.getByText('No payment is open at this operator.')).toBeVisible()
    await dialog.getByRole('button', { name: 'Propose anyway' }).click()
  }
  await page.getByRole('button', { name: 'Enter settings: Gateway' }).click()
  await dialog.getByLabel('Address', { exact: true }).fill('gateway.example')
  await propose()
  await expect(dialog.getByText('This value does not have the expected form.')).toBeVisible()
  await expect(dialog.getByText('Fill in this field.')).toBeVisible()
  await dialog.getByLabel('Address', { exact: true }).fill('http://127.0.0.1:1')
  await dialog.getByLabel('Shared secret').fill(SECRET)
  await page.keyboard.press('Control+Enter')
  await proposeAnyway()
  await expect(page.getByText('Waiting for another person with the role Administrator.')).toBeVisible()

  const second = await openAs(browser, helene, 'operators')
  received.push(...listenTo(second))
  const proposal = second.getByRole('listitem').filter({ hasText: 'Moov Mali · Gateway' }).first()
  await expect(proposal).toContainText('http://127.0.0.1:1')
  await expect(proposal).toContainText('a new value')
  await proposal.getByRole('button', { name: 'Refuse' }).click()
  await second.getByRole('dialog').getByLabel('Reason').fill('Which gateway is this?')
  await second.getByRole('dialog').getByRole('button', { name: 'Refuse' }).click()
  await expect(second.getByText('Nothing is waiting.')).toBeVisible()

  await page.reload()
  await waitForScripts(page)
  await page.getByText('1 earlier proposal').click()
  await expect(page.getByText('Reason: Which gateway is this?')).toBeVisible()
  await page.getByRole('button', { name: 'Enter settings: Gateway' }).click()
  await dialog.getByLabel('Address', { exact: true }).fill('http://127.0.0.1:1')
  await dialog.getByLabel('Shared secret').fill(SECRET)
  await propose()
  await proposeAnyway()
  await expect(page.getByText('Waiting for another person with the role Administrator.')).toBeVisible()
  await second.reload()
  await waitForScripts(second)
  await expect(second.getByText('Until now: the settings of the environment')).toBeVisible()
  await second.getByRole('button', { name: /^Confirm/ }).click()
  await expect(second.getByRole('dialog').getByText(/No answer within/)).toBeVisible()
  await expectAccessibleEverywhere(second)
  await second.getByRole('dialog').getByRole('button', { name: 'Confirm anyway' }).click()
  await expect(second.getByText('Nothing is waiting.')).toBeVisible()
  await expectThrough(page, 'gateway')
  await page.getByRole('button', { name: 'Test Moov Mali' }).click()
  await expect(page.getByText(/No answer within/)).toBeVisible()

  await page.getByRole('button', { name: 'Change settings: Gateway' }).click()
  await expect(dialog.getByLabel('Shared secret')).toHaveValue('')
  await dialog.getByLabel('Address', { exact: true }).fill('http://127.0.0.1:2')
  await propose()
  await expect(dialog.getByText('The address changes, so enter this secret again.')).toBeVisible()
  await page.keyboard.press('Escape')
  await dialog.getByRole('button', { name: 'Discard' }).click()
  await page.getByRole('button', { name: 'Return to the settings before: Gateway' }).click()
  await expectAccessibleEverywhere(page)
  await dialog.getByRole('button', { name: 'Return to the settings before', exact: true }).click()
  await expect(page.getByText('The settings before are in force again.').last()).toBeVisible()
  await expectThrough(page, 'Moov SOAP')
  for (const text of [...(await Promise.all(received)), await page.content(), await second.content()]) expect(text).not.toContain(SECRET)
  await second.context().close()
})

test('amounts that two administrators set: no test is asked for, and a new payment says what is allowed before and when it is sent', async ({
  page,
  browser,
}) => {
  const [serge, helene] = [personWith(['administrator'], 0), personWith(['administrator'], 1)]
  const { applicationId } = await newApplication(pool)
  const maker = await newPerson(pool, ['maker'], applicationId, 'Awa Sow')
  const dialog = page.getByRole('dialog')
  try {
    await signIn(page, serge, `/${serge.slug}/operators/SNFREE`)
    await page.getByRole('button', { name: 'Enter settings: Amounts' }).click()
    await dialog.getByLabel('Deposits: smallest amount').fill('1,000')
    await dialog.getByLabel('Deposits: largest amount').fill('500')
    await dialog.getByLabel('Deposits: multiple of').fill('5')
    await dialog.getByRole('button', { name: 'Propose' }).click()
    await expect(dialog.getByText('This value is too small or too large.')).toBeVisible()
    await dialog.getByLabel('Deposits: largest amount').fill('200,000')
    await expectAccessibleEverywhere(page)
    await dialog.getByRole('button', { name: 'Propose' }).click()
    await expect(page.getByText('Waiting for another person with the role Administrator.')).toBeVisible()

    const second = await openAs(browser, helene, 'operators')
    const proposal = second.getByRole('listitem').filter({ hasText: 'Free Senegal · Amounts' }).first()
    await expect(proposal).toContainText('200000')
    await expect(proposal).not.toContainText('settings of the environment')
    await proposal.getByRole('button', { name: 'Confirm' }).click()
    await second.getByRole('dialog').getByRole('button', { name: 'Confirm', exact: true }).click()
    await expect(second.getByText('Nothing is waiting.')).toBeVisible()
    await second.context().close()
    await page.reload()
    await expect(page.getByRole('term').filter({ hasText: 'Deposits: multiple of' }).last()).toBeVisible()

    await openNewPayment(page, maker)
    await fillIn(page, { country: 'Senegal', operator: 'Free', phone: '+221 76 720 93 41', name: 'Awa Sow', amount: '1003' })
    await expect(previewOf(page)).toContainText('The amount must be from 1,000\u00a0XOF to 200,000\u00a0XOF and a multiple of 5\u00a0XOF.')
    await page.getByRole('button', { name: 'Send for approval' }).click()
    await expect(page.getByText('a multiple of 5\u00a0XOF. Nothing was sent.')).toBeVisible()
  } finally {
    await setOperator(pool, { operator: 'SNFREE', protocol: 'amounts', changes: undefined, actor: SYSTEM_ACTOR })
  }
})

test("an administrator of another application sees the operator's history and no settings", async ({ page }) => {
  const { applicationId } = await newApplication(pool)
  const anna = await newPerson(pool, ['administrator'], applicationId, 'Anna Ngo')
  await signIn(page, anna, `/${anna.slug}/operators/MOMOCM`)
  await expect(page.getByText('belongs to the installation, not to this application')).toBeVisible()
  await expect(page.getByRole('button', { name: /settings/ })).toHaveCount(0)
  await page.getByRole('button', { name: 'Test MTN Cameroon' }).click()
  await expect(page.getByText(/Works: signed in and read the balance in/)).toBeVisible()
})

test('a closed operator is named on the overview, in the list of operators to choose and beside the payment', async ({ page }) => {
  const { applicationId } = await newApplication(pool)
  const solange = await newPerson(pool, ['maker'], applicationId, 'Solange Mballa')
  const answersNot = 'The operator does not answer. Payments wait and are sent in order when it is back.'
  await pool.query(
    `insert into operator_circuits (operator, type, state, since) values ('UGAIRTEL', 'DEPOSIT', 'CLOSED', now())
       on conflict (operator, type) do update set state = 'CLOSED', since = now()`,
  )
  try {
    await openNewPayment(page, solange)
    await fillIn(page, { country: 'Uganda', operator: 'Airtel (Closed)', phone: '+256 702 20 93 41' })
    await expect(previewOf(page)).toContainText('Airtel Uganda, Deposit: Closed')
    await expect(previewOf(page)).toContainText(answersNot)
    await page.getByLabel('Type').selectOption({ label: 'Collect' })
    await expect(previewOf(page)).not.toContainText(answersNot)
    await page.goto(`/${solange.slug}`)
    await expect(page.getByRole('region', { name: 'Operator availability' })).toContainText('Airtel Uganda, Deposit: Closed')
  } finally {
    await pool.query(`update operator_circuits set state = 'OPERATIONAL', since = now() where operator = 'UGAIRTEL' and type = 'DEPOSIT'`)
  }
})

test('a direction closed for a refused PIN says why, since when and what to do, and one administrator opens it again', async ({ page }) => {
  const serge = personWith(['administrator'], 0)
  const where = "operator = 'BJMOOV' and type = 'COLLECT'"
  const changes = { baseUrl: 'http://127.0.0.1:1', secret: SECRET }
  must(await setOperator(pool, { operator: 'BJMOOV', protocol: 'gateway', changes, actor: SYSTEM_ACTOR }))
  try {
    await pool.query(
      `insert into operator_circuits (operator, type, state, since, fault, fault_version)
         select operator, 'COLLECT', 'CLOSED', now(), 'The operator refuses our PIN (60019)', protocol || ' ' || version || ' ' || operator_settings_id
           from operator_settings where operator = 'BJMOOV'
         on conflict (operator, type) do update set state = 'CLOSED', since = now(), fault = excluded.fault, fault_version = excluded.fault_version`,
    )
    await signIn(page, serge, `/${serge.slug}/operators`)
    const closed = page.getByRole('region', { name: 'Moov Benin is closed: it refuses our credentials' })
    await expect(closed).toContainText('The operator refuses our PIN (60019). Payments wait, none fails')
    await expect(closed.getByText(/since/)).toBeVisible()
    for (const look of LOOKS) {
      await page.emulateMedia({ colorScheme: look.colorScheme })
      await expectAccessibleEverywhere(page)
    }
    await closed.getByRole('link', { name: 'Check the settings' }).click()
    await expect(page.getByRole('heading', { name: 'Moov Benin', level: 1 })).toBeVisible()
    await page.getByRole('button', { name: 'Reopen Moov Benin' }).click()
    await expect(page.getByText('An administrator reopened it. The next payment is sent alone')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Reopen Moov Benin' })).toHaveCount(0)
    await page.goto(`/${serge.slug}/operators`)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await expect(closed).toHaveCount(0)
  } finally {
    await pool.query(`update operator_circuits set state = 'OPERATIONAL', fault = null, fault_version = null, since = now() where ${where}`)
    must(await setOperator(pool, { operator: 'BJMOOV', protocol: 'gateway', changes: undefined, actor: SYSTEM_ACTOR }))
  }
})

test('the count of unconfirmed transactions of a direction leads to the desk, where they are taken, noted on and handed over by keyboard', async ({
  page,
}) => {
  const { applicationId } = await newApplication(pool)
  const anna = await newPerson(pool, ['administrator', 'finance'], applicationId, 'Anna Ngo')
  await newPerson(pool, ['finance'], applicationId, 'Blaise Etoga')
  // The simulated operator leaves it pending.
  const item = anIntakeItem(applicationId, {
    type: 'COLLECT',
    operator: 'OMCM',
    phoneNumber: '237699000912',
    customerName: 'Clarisse Abena',
  })
  const other = anIntakeItem(applicationId, {
    type: 'COLLECT',
    operator: 'MOMOCM',
    phoneNumber: '237677000912',
    customerName: 'Brice Kamga',
  })
  await takeIn(pool, [item, other])
  // As after a call without an answer. The operator is not asked again meanwhile, because it would know them.
  const lose = () =>
    pool.query(
      `update operator_work set state = 'unconfirmed', unconfirmed_since = now(), next_at = now() + interval '1 hour'
         where application_id = $1 and accepted_at is not null and not is_claimed`,
      [applicationId],
    )
  await expect.poll(async () => (await lose()).rowCount).toBe(2)
  await signIn(page, anna, `/${anna.slug}/operators`)
  for (const place of ['operators', 'operators/OMCM']) {
    await page.goto(`/${anna.slug}/${place}`)
    await page.getByRole('main').locator('a[href*="operator=OMCM"]', { hasText: '1 unconfirmed' }).first().click()
    await expect(page).toHaveURL(/\/transactions\/unconfirmed\?(?=.*kind=no_answer)(?=.*operator=)(?=.*type=COLLECT)/)
    const current = page.getByRole('navigation', { name: 'Main navigation' }).locator('[aria-current=page]:visible')
    await expect(current).toHaveText('Unconfirmed money')
    await expect(page.getByRole('main').getByText('Clarisse Abena').first()).toBeVisible()
    await expect(page.getByRole('main').getByText('Brice Kamga')).toHaveCount(0)
  }
  await waitForScripts(page)
  await page.keyboard.press('j')
  await page.keyboard.press('o')
  const row = page.getByRole('row').filter({ hasText: 'Clarisse Abena' })
  await expect(row).toContainText('Anna Ngo')
  await page.keyboard.press('n')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Note').fill('Asked Orange, ticket 123')
  await dialog.getByRole('button', { name: 'Add note' }).click()
  await expect(row).toContainText('Asked Orange, ticket 123')
  await page.keyboard.press('h')
  await dialog.getByLabel('New owner').selectOption('Blaise Etoga')
  await dialog.getByRole('button', { name: 'Hand over' }).click()
  await expect(row).toContainText('Blaise Etoga')
  await page.keyboard.press('Enter')
  await expect(dialog.getByText('Asked Orange, ticket 123')).toBeVisible()
  await expectAccessibleEverywhere(page)
  await dialog.getByRole('link', { name: 'Open the payment' }).click()
  await expect(page.getByRole('region', { name: 'History' })).toContainText('Handed over to Blaise Etoga')
  await page.goto(`/${anna.slug}/transactions/unconfirmed`)
  await expect(page.getByRole('list', { name: 'Sums by operator and direction' }).getByRole('listitem')).toHaveCount(2)
  await expectAccessibleEverywhere(page)
  await page.getByLabel('Owner').selectOption({ label: 'Nobody' })
  await page.getByRole('button', { name: 'Apply' }).click()
  await expect(page.getByRole('row').filter({ hasText: 'Brice Kamga' })).toBeVisible()
  await expect(row).toHaveCount(0)
})

test('deposits that wait for float are named with what is missing, for people as for who runs the installation, who sends them', async ({
  page,
  browser,
}) => {
  const { applicationId } = await newApplication(pool)
  const solange = await newPerson(pool, ['maker'], applicationId, 'Solange Biya')
  // The simulator holds enough: a balance that is read meanwhile would end the wait.
  const readBalancesIn = (minutes: number) =>
    pool.query(
      `update scheduled_tasks set due_at = now() + make_interval(mins => $1) where task in ('poll_short_operators', 'poll_operator_balances')`,
      [minutes],
    )
  await readBalancesIn(10)
  await pool.query(
    `insert into operator_floats as f (operator, waits_since, missing_minor, try_at) values ('SNWAVE', now(), 1250000, 'infinity')
       on conflict (operator) do update set waits_since = now(), missing_minor = 1250000, try_at = 'infinity'`,
  )
  await fund(pool, applicationId, 'SNWAVE', 10_000_00n)
  const deposit = anIntakeItem(applicationId, { operator: 'SNWAVE' })
  await takeIn(pool, [deposit])
  try {
    await openNewPayment(page, solange)
    await fillIn(page, { country: 'Senegal', operator: 'Wave (Waits for float)', phone: '+221 77 720 93 41' })
    await expect(previewOf(page)).toContainText('Wave Senegal, Deposit: Waits for float')
    const running = await openAs(browser, personWith(['administrator'], 0), 'operators')
    const short = running.getByRole('region', { name: 'Deposits wait for float at Wave Senegal' })
    await expect(short).toContainText('lacks 12,500 XOF for the next deposit')
    for (const look of LOOKS) {
      await running.emulateMedia({ colorScheme: look.colorScheme })
      await expectAccessibleEverywhere(running)
    }
    await running.getByRole('button', { name: 'Send anyway: the deposits that wait at Wave Senegal' }).click()
    await expect(running.getByText('The deposits that waited are being sent.').first()).toBeVisible()
    await expect(short).toHaveCount(0)
    await expect.poll(async () => (await findTransaction(pool, applicationId, deposit.transactionId))?.status).toBe('SUCCESS')
    await running.context().close()
  } finally {
    await pool.query("delete from operator_floats where operator = 'SNWAVE'")
    await readBalancesIn(0)
  }
})

for (const look of LOOKS) {
  test.describe(`${look.locale} ${look.colorScheme}`, () => {
    test.use(look)
    test('the page of an operator, its figures as a table and the form of its settings are accessible at every width', async ({ page }) => {
      const serge = personWith(['administrator'], 0)
      await signIn(page, serge, `/${serge.slug}/operators/MOMOCM?period=days`)
      await page
        .getByText(/^(As a table|Sous forme de tableau)$/)
        .first()
        .click()
      await expectAccessibleEverywhere(page)
      await page.getByRole('button', { name: /MTN MoMo/ }).click()
      await expect(page.getByRole('dialog')).toBeVisible()
      await expectAccessibleEverywhere(page)
    })
  })
}
