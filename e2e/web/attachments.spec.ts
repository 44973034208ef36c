import { createHash } from 'node:crypto'
import type { Page } from 'playwright/test'
import { samplePdf, samplePng } from '#server/attachments/testing/sample-files.ts'
import type { Pool } from '#server/database/pool.ts'
import { expect, expectAccessible, signIn, test } from './fixtures.ts'
import { fillIn, openNewPayment, send, storedIn } from './new-payment.ts'
import { newPerson, sandboxPool } from './people.ts'
import { newQueue, openApprovals, rowsOf } from './waiting.ts'

test.describe.configure({ mode: 'default' })

let pool: Pool
test.beforeAll(async () => {
  pool = await sandboxPool()
})
test.afterAll(() => pool.end())

const PDF = { name: 'Facture n° 4711.pdf', mimeType: 'application/pdf', buffer: samplePdf('Invoice 4711') }
const PICTURE = { name: 'receipt.png', mimeType: 'image/png', buffer: samplePng(600, 400) }

const fieldOf = (page: Page) => page.getByLabel('Invoice or receipt')
const cardOf = (page: Page) => page.getByRole('region', { name: 'Attachment' })

/** Begins an upload for a payment as the page does. Returns the code of the refusal, if it is one. */
async function begin(page: Page, slug: string, externalId: string): Promise<string | undefined> {
  const query = new URLSearchParams({ payment: externalId, fileName: 'other.pdf', bytes: '5', modified: '1' })
  const answer = await page.request.post(`/api/back-office/${slug}/attachments?${query}`, {
    headers: { 'content-type': 'application/octet-stream' },
    data: '',
  })
  const { code }: { code?: string } = await answer.json()
  return code
}

test('a PDF that the maker attached is in a frame beside the decision, in panel and page; after sending it cannot be exchanged', async ({
  page,
  browser,
  baseURL,
}) => {
  const queue = await newQueue(pool)
  await openNewPayment(page, queue.maker)
  await fillIn(page)
  await fieldOf(page).setInputFiles({ name: 'notes.pdf', mimeType: 'application/pdf', buffer: Buffer.from('no PDF') })
  await expect(page.getByText('The file is not a PDF, PNG, JPEG or WebP file.')).toBeVisible()
  await fieldOf(page).setInputFiles(PICTURE)
  await expect(page.getByText(PICTURE.name)).toBeVisible()
  await fieldOf(page).setInputFiles(PDF)
  await expect(page.getByText(PDF.name)).toBeVisible()
  await expectAccessible(page)
  await page.reload()
  await expect(page.getByText(PDF.name)).toBeVisible()
  const externalId = new URL(page.url()).searchParams.get('payment') ?? ''
  await send(page)
  await expect(cardOf(page)).toContainText(PDF.name)
  expect(await begin(page, queue.maker.slug, externalId)).toBe('already_sent')

  const [stored] = await storedIn(pool, queue.applicationId)
  const checker = await (await browser.newContext({ baseURL: baseURL ?? '' })).newPage()
  await openApprovals(checker, queue.checker)
  await rowsOf(checker).first().click()
  const digest = createHash('sha256').update(PDF.buffer).digest('hex')
  for (const address of [null, `/${queue.checker.slug}/transactions/${stored?.transactionId}`]) {
    if (address) await checker.goto(address)
    await expect(cardOf(checker)).toContainText(PDF.name)
    await expect(cardOf(checker)).toContainText(digest.slice(0, 12))
    await expect(cardOf(checker).locator('iframe')).toBeVisible()
    await expectAccessible(checker)
  }
  const file = `/api/back-office/${queue.checker.slug}/transactions/${stored?.transactionId}/attachment`
  const answer = await checker.request.get(file)
  expect(answer.status()).toBe(200)
  expect(PDF.buffer.equals(await answer.body())).toBe(true)
  expect(answer.headers()).toMatchObject({
    'content-type': 'application/pdf',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'SAMEORIGIN',
    'content-security-policy': "sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'",
    'content-disposition': `inline; filename="Facture n_ 4711.pdf"; filename*=UTF-8''Facture%20n%C2%B0%204711.pdf`,
    'cache-control': 'private, no-store',
  })
  expect((await checker.request.get(`${file}?save=1`)).headers()['content-disposition']).toMatch(/^attachment; /)
  expect((await checker.request.get(file, { headers: { 'sec-fetch-site': 'cross-site' } })).status()).toBe(403)
  await queue.decide(queue.checker, [stored?.transactionId ?? ''], 'validated', 'Invoice seen')

  const elsewhere = await newPerson(pool, ['finance', 'checker', 'administrator'])
  const stranger = await (await browser.newContext({ baseURL: baseURL ?? '' })).newPage()
  await signIn(stranger, elsewhere)
  expect((await stranger.request.get(file)).status()).toBe(404)
  expect((await stranger.request.get(file.replace(queue.checker.slug, elsewhere.slug))).status()).toBe(404)
})

test('a picture is shown as it is on a phone and to finance; a removed file is not sent', async ({ page, browser, baseURL }) => {
  const queue = await newQueue(pool)
  await page.setViewportSize({ width: 360, height: 740 })
  await openNewPayment(page, queue.maker)
  await fillIn(page)
  await fieldOf(page).setInputFiles(PDF)
  await page.getByRole('button', { name: 'Remove', exact: true }).click()
  await expect(page.getByText(PDF.name)).toHaveCount(0)
  await fieldOf(page).setInputFiles(PICTURE)
  await expect(page.getByText(PICTURE.name)).toBeVisible()
  await send(page)
  const [stored] = await storedIn(pool, queue.applicationId)
  const finance = await newPerson(pool, ['finance'], queue.applicationId)
  const reader = await (await browser.newContext({ baseURL: baseURL ?? '', viewport: { width: 360, height: 740 } })).newPage()
  await signIn(reader, finance, `/${finance.slug}/transactions/${stored?.transactionId}`)
  const picture = cardOf(reader).getByRole('img', { name: 'Picture of the attachment receipt.png' })
  await picture.scrollIntoViewIfNeeded()
  await expect.poll(() => picture.evaluate((element) => element instanceof HTMLImageElement && element.naturalWidth)).toBe(600)
  const isWide = () => reader.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth)
  expect(await isWide()).toBe(false)
})

test('a rejected payment that is sent again keeps its file by default; without it after one press, and the checker sees the file', async ({
  page,
  browser,
  baseURL,
}) => {
  const queue = await newQueue(pool)
  await openNewPayment(page, queue.maker)
  await fillIn(page)
  await fieldOf(page).setInputFiles(PDF)
  await expect(page.getByText(PDF.name)).toBeVisible()
  await send(page)
  const [first] = await storedIn(pool, queue.applicationId)
  await queue.decide(queue.checker, [first?.transactionId ?? ''], 'rejected', 'Wrong amount')
  await page.goto(`/${queue.slug}/new?from=${first?.transactionId}`)
  const keep = page.getByRole('checkbox', { name: `Keep ${PDF.name}` })
  await expect(keep).toBeChecked()
  await expectAccessible(page)
  await keep.uncheck()
  await expect(keep).not.toBeChecked()
  await keep.check()
  await page.getByLabel('Amount').fill('4500')
  await send(page)
  await expect(cardOf(page)).toContainText(PDF.name)
  const [, second] = await storedIn(pool, queue.applicationId)
  const checker = await (await browser.newContext({ baseURL: baseURL ?? '' })).newPage()
  await openApprovals(checker, queue.checker)
  await rowsOf(checker).first().click()
  await expect(cardOf(checker)).toContainText(PDF.name)
  await checker.context().close()
  const file = `/api/back-office/${queue.slug}/transactions/${second?.transactionId}/attachment`
  expect(PDF.buffer.equals(await (await page.request.get(file)).body())).toBe(true)

  await queue.decide(queue.checker, [second?.transactionId ?? ''], 'rejected', 'No')
  await page.goto(`/${queue.slug}/new?from=${second?.transactionId}`)
  await keep.uncheck()
  await expect(keep).not.toBeChecked()
  await send(page)
  await expect(cardOf(page)).toHaveCount(0)
})
