import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright/test'
import readWorkbook from 'read-excel-file/node'
import { rowsXml, sheetXml, workbook } from '#server/testing/batches/workbook.ts'
import { expect, expectAccessibleEverywhere, LOOKS, signIn, test } from './fixtures.ts'
import { sandboxPool } from './people.ts'
import { personWith, type SandboxPerson } from './sandbox.ts'
import { newQueue } from './waiting.ts'

const HEAD = 'Téléphone;Nom;Montant;Opérateur'
const maker = () => personWith(['maker'])

/** Names of one run only, so that no earlier run has the same payments. */
function unique(): string {
  // Letters only: a row with a longer number is not taken for headers.
  return randomUUID()
    .slice(0, 8)
    .replace(/\d/g, (digit) => 'ghijklmnop'[Number(digit)] ?? '')
}

async function upload(page: Page, person: SandboxPerson, content: string | Buffer, name = 'paie.csv'): Promise<void> {
  await page.goto(`/${person.slug}/batches/new`)
  const buffer = Buffer.from(content)
  await expect(async () => {
    await page.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/csv', buffer })
    await page.locator('main form button[type=submit]').click()
    await expect(page).toHaveURL(/\/batches\/[0-9a-f]{8}-/, { timeout: 5_000 })
  }).toPass()
}

const lineOf = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text })

test('a file with repairs: accepted, undone, a row edited, a row left out, submitted, found again', async ({ page }) => {
  const person = maker()
  const id = unique()
  await signIn(page, person, `/${person.slug}/batches`)
  await page.getByRole('link', { name: 'New batch' }).click()
  await expect(page.getByLabel('File')).toBeVisible()
  const lines = [`22997123456;Koffi ${id};12 500,00;MTN Bénin`, `2.37E+11;Jean ${id};5000;MOMOCM`, `237677209341;Awa ${id};700;MOMOCM`]
  await upload(page, person, [HEAD, ...lines].join('\n'), `Paie ${id}.csv`)
  await expect(page.getByRole('heading', { level: 1, name: `Paie ${id}` })).toBeVisible()
  await expect(lineOf(page, `Jean ${id}`)).toContainText('The spreadsheet shortened this phone number')
  // Problems come first; the rest is one press away.
  await expect(lineOf(page, `Koffi ${id}`)).toHaveCount(0)
  await page.locator('a[href*="show=all"]').click()
  const repair = page.getByRole('button', { name: /Accept.*Add 01 to 1 Benin number/ })
  await repair.click()
  await expect(lineOf(page, `Koffi ${id}`)).toContainText('229 01 97 12 34 56')
  await page.getByRole('button', { name: /Undo.*Add 01/ }).click()
  await expect(lineOf(page, `Koffi ${id}`)).toContainText('229 97 12 34 56')
  await lineOf(page, `Jean ${id}`).getByRole('button', { name: /^Edit/ }).click()
  await page.getByRole('dialog').getByLabel('Phone number').fill('+237 6 77 20 93 42')
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await expect(lineOf(page, `Jean ${id}`)).toContainText('237 6 77 20 93 42')
  await lineOf(page, `Awa ${id}`)
    .getByRole('button', { name: /^Leave out/ })
    .click()
  await page.getByRole('dialog').getByLabel('Reason').fill('Left the company')
  await page.getByRole('dialog').getByRole('button', { name: 'Leave out' }).click()
  await expect(lineOf(page, `Awa ${id}`)).toContainText('Left out: Left the company')
  const address = page.url()
  // Nothing is lost with the window.
  await page.goto('about:blank')
  await page.goto(address)
  await page.getByRole('button', { name: 'Submit for approval' }).click()
  await expect(page.getByText('Waiting for approval', { exact: true }).first()).toBeVisible({ timeout: 20_000 })
  await page.goto(`/${person.slug}/batches?q=${id}`)
  await expect(lineOf(page, `Paie ${id}`)).toContainText('Waiting for approval')
  await expect(lineOf(page, `Paie ${id}`)).toContainText(person.name)
  const list = await page.request.get(`/api/back-office/${person.slug}/transactions?batch=${new URL(address).pathname.split('/').at(-1)}`)
  const { transactionId } = ((await list.json()) as { rows: { transactionId: string }[] }).rows[0] ?? {}
  await page.goto(`/${person.slug}/batches?q=${transactionId}`)
  await expect(page.getByRole('link', { name: `Paie ${id}` })).toBeVisible()
})

test('the same payments again: refused without a reason, submitted with one', async ({ page }) => {
  const person = maker()
  const id = unique()
  await signIn(page, person)
  const content = `${HEAD}\n237677209341;Awa ${id};700;MOMOCM\n`
  for (const [index, name] of [`Eins ${id}.csv`, `Zwei ${id}.csv`].entries()) {
    await upload(page, person, content, name)
    const submit = page.getByRole('button', { name: 'Submit for approval' })
    if (index === 1) {
      await expect(page.getByText('The same payments were submitted before')).toBeVisible()
      await submit.click()
      await expect(page.getByText('Required')).toBeVisible()
      await page.getByLabel('Why are the same payments sent again?').fill('A second bonus')
    }
    await submit.click()
    await expect(page.getByText('Waiting for approval', { exact: true }).first()).toBeVisible({ timeout: 20_000 })
  }
})

test('unknown columns are assigned once, by keyboard, in a workbook too', async ({ page }) => {
  const person = maker()
  const id = unique()
  await signIn(page, person)
  const rows = [
    [`A ${id}`, `B ${id}`, `C ${id}`, `D ${id}`],
    ['237677209341', 'Awa', '700', 'MOMOCM'],
  ]
  const file = await workbook({ sheet: sheetXml(rowsXml(rows)) })
  await upload(page, person, file, 'a.xlsx')
  for (const [label, index] of [
    ['Phone number', 0],
    ['Name', 1],
    ['Amount', 2],
  ] as const) {
    await page.getByLabel(label, { exact: true }).focus()
    await page.keyboard.press('ArrowDown')
    await page.getByLabel(label, { exact: true }).selectOption(String(index))
  }
  await page.getByLabel('Operator', { exact: false }).first().selectOption('3')
  await page.getByRole('button', { name: 'Use these columns' }).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: 'Submit for approval' })).toBeVisible()
  await upload(page, person, file, 'b.xlsx')
  await expect(page.getByRole('button', { name: 'Submit for approval' })).toBeVisible()
})

test('a sentence that says what to do for a file that cannot be read; the form stays', async ({ page }) => {
  const person = maker()
  await signIn(page, person, `/${person.slug}/batches/new`)
  await expect(async () => {
    await page.locator('input[type=file]').setInputFiles({ name: 'a.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7') })
    await page.getByRole('button', { name: 'Check the file' }).click()
    await expect(page.getByText('Upload the spreadsheet that it was made from.')).toBeVisible({ timeout: 3_000 })
  }).toPass()
})

test('the downloaded rows have their reasons, keep every digit, and are read again', async ({ page }) => {
  const person = maker()
  const id = unique()
  await signIn(page, person)
  await upload(page, person, `${HEAD}\n237677209341;Awa ${id};1,5;MOMOCM\n`)
  const download = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download rows' }).click()
  const bytes = await readFile(await (await download).path())
  const [sheet] = await readWorkbook(bytes)
  const line = sheet?.data[1]?.map(String) ?? []
  expect(line[0]).toBe('237677209341')
  expect(line.join(' ')).toContain('more decimals than the operator accepts')
  await upload(page, person, bytes, 'again.xlsx')
  await expect(lineOf(page, `Awa ${id}`)).toContainText('more decimals')
})

test('names are checked at the operators in the background: rows with another name or without an account are named, and the file can be submitted', async ({
  page,
}) => {
  const pool = await sandboxPool()
  try {
    const { maker: person } = await newQueue(pool)
    await signIn(page, person, `/${person.slug}/batches`)
    const lines = ['237677209341;Awa Diop;700;MOMOCM', '237677209916;Zacharie Wouters;700;MOMOCM', '237677209905;Jean Mbarga;700;MOMOCM']
    await upload(page, person, [HEAD, ...lines].join('\n'))
    await page.getByRole('button', { name: 'Check names' }).click()
    await expect(page.getByText(/^Checking names, a few each minute: \d of 3 receivers/)).toBeVisible()
    await expect(page.getByRole('button', { name: 'Check names' })).toHaveCount(0)
    // The task runs each minute.
    await pool.query(`update scheduled_tasks set due_at = now() where task = 'check_batch_names'`)
    await expect(async () => {
      await page.reload()
      await expect(page.getByText(/^Names checked: 3 of 3 receivers have an answer/)).toBeVisible({ timeout: 2_000 })
    }).toPass({ timeout: 90_000 })
    await expect(page.getByText(/^Another name or no account that can be paid \(\d\): rows .*3, 4$/)).toBeVisible()
    await expectAccessibleEverywhere(page)
    await expect(page.getByRole('button', { name: 'Submit for approval' })).toBeEnabled()
  } finally {
    await pool.end()
  }
})

test('a checker sees a draft and cannot change it', async ({ page }) => {
  const person = personWith(['checker'])
  await signIn(page, person, `/${person.slug}/batches?q=Primes`)
  await page.getByRole('link', { name: 'Primes du trimestre' }).click()
  await expect(page.getByText('Makers prepare and submit batches.')).toBeVisible()
  await expect(page.getByRole('button', { name: /Edit|Submit|Accept|Discard/ })).toHaveCount(0)
})

for (const look of LOOKS) {
  test.describe(`the dry run, ${look.locale} ${look.colorScheme}`, () => {
    test.use(look)
    test('accessible and within the screen at every width, with its dialog', async ({ page }) => {
      const person = maker()
      await signIn(page, person, `/${person.slug}/batches?q=Primes`)
      await page.getByRole('link', { name: 'Primes du trimestre' }).click()
      await expect(page.getByRole('heading', { level: 1, name: 'Primes du trimestre' })).toBeVisible()
      await expectAccessibleEverywhere(page)
      await page
        .getByRole('button', { name: /^(Edit|Modifier)/ })
        .first()
        .click()
      await expect(page.getByRole('dialog')).toBeVisible()
      await expectAccessibleEverywhere(page)
    })
  })
}
