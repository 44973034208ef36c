import { randomUUID } from 'node:crypto'
import type { Pool } from '#server/database/pool.ts'
import { createTestPartner } from '#server/testing/partner.ts'
import { expect, expectAccessibleEverywhere, signIn, test } from './fixtures.ts'
import { newPerson, sandboxPool } from './people.ts'
import { sandboxUrl } from './sandbox.ts'

let pool: Pool
test.beforeAll(async () => {
  pool = await sandboxPool()
})
test.afterAll(() => pool.end())

const COLLECT = '/api/v1/transaction/collect'

/** A partner whose program signs in, makes a mistake, and starts a collect; and its engineer. */
async function arrange() {
  const partner = await createTestPartner(pool, { name: `Calls ${randomUUID().slice(0, 8)}` })
  const engineer = await newPerson(pool, ['engineer'], partner.applicationId, 'Yannick Tabi')
  const json = { 'content-type': 'application/json' }
  const post = (path: string, body: unknown, headers: Record<string, string>) =>
    fetch(`${sandboxUrl()}${path}`, { method: 'POST', headers: { ...json, ...headers }, body: JSON.stringify(body) })
  const { username, password } = partner
  let token = ''
  // A new application is in the memory of each process within a second.
  await expect(async () => {
    const answer = await post('/public/access_token', { username, password }, {})
    token = (await answer.json()).access_token
    const headers = { apiKey: partner.apiKey, apiId: partner.apiId, authorization: `Bearer ${token}` }
    expect((await post(COLLECT, {}, headers)).status).toBe(400)
  }).toPass()
  const headers = { apiKey: partner.apiKey, apiId: partner.apiId, authorization: `Bearer ${token}` }
  const externalId = randomUUID()
  const body = {
    ...{ transferMethod: 'OMCM', customerName: 'Clarisse Mbarga', externalId, phoneNumber: '237699000000', amount: 5_000 },
    ...{ webhookUrl: 'http://127.0.0.1:9/hook', countryName: 'CAMEROON' },
  }
  const { transactionId } = await (await post(COLLECT, body, headers)).json()
  await fetch(`${sandboxUrl()}/api/v1/transaction/colect`, { headers })
  return { partner, engineer, externalId, transactionId, token }
}

test('listed with the reason of each refusal, filtered, and opened with request, answer, payment and a command', async ({ page }) => {
  const { partner, engineer, externalId, transactionId, token } = await arrange()
  await signIn(page, engineer, `/${engineer.slug}/sandbox/calls`)
  const table = page.getByRole('table', { name: 'Calls of your program' })
  await expect(table.getByRole('row', { name: /transaction\/colect/ })).toContainText('404')
  await expect(table.getByRole('row', { name: /transaction\/colect/ })).toContainText('Endpoint not found.')
  await expect(table.getByRole('row', { name: /public\/access_token/ }).first()).toContainText('200')
  await expect(
    table
      .getByRole('row', { name: /transaction\/collect/ })
      .filter({ hasText: 'is required' })
      .first(),
  ).toContainText('400')
  await expectAccessibleEverywhere(page)

  await page.getByLabel('Text or externalId').fill(externalId.slice(0, 13))
  await page.getByLabel('Status').selectOption('2xx, answered')
  await page.getByRole('button', { name: 'Apply' }).click()
  await expect(table.getByRole('row')).toHaveCount(2)
  await table.getByRole('link').click()
  await expect(page.getByRole('heading', { name: 'Call', exact: true })).toBeVisible()
  await expect(page.getByRole('region', { name: 'Body of the request' })).toContainText(externalId)
  await expect(page.getByRole('region', { name: 'Body of the response' })).toContainText(transactionId)
  const command = page.getByRole('region', { name: 'Send it again with curl' }).last()
  await expect(command).toContainText('apiKey: $API_KEY')
  await expect(command).toContainText('$EXTERNAL_ID')
  const text = (await page.textContent('body')) ?? ''
  expect([partner.apiKey, partner.password, token.slice(0, 40)].filter((secret) => text.includes(secret))).toEqual([])
  await expectAccessibleEverywhere(page)

  await page.getByRole('link', { name: transactionId }).click()
  const timeline = page.getByRole('region', { name: 'Timeline' })
  await expect(timeline.getByRole('listitem').first()).toContainText(`Your program called POST ${COLLECT}`)
  await expect(timeline.getByText('Submitted', { exact: false }).first()).toBeVisible()
  await timeline.getByRole('link', { name: /Your program called/ }).click()
  await expect(page.getByRole('heading', { name: 'Call', exact: true })).toBeVisible()
})

test('a call that arrives appears without a reload', async ({ page }) => {
  const { partner, engineer } = await arrange()
  await signIn(page, engineer, `/${engineer.slug}/sandbox/calls?path=later`)
  await expect(page.getByText('No call matches these filters.')).toBeVisible()
  await fetch(`${sandboxUrl()}/api/v1/transaction/later`, { headers: { apiKey: partner.apiKey, apiId: partner.apiId } })
  await expect(page.getByRole('link', { name: 'GET /api/v1/transaction/later' })).toBeVisible()
})

test('404 for a call of another application, and for an address that is no id', async ({ page }) => {
  const { engineer } = await arrange()
  const other = await arrange()
  await signIn(page, other.engineer, `/${other.engineer.slug}/sandbox/calls`)
  const href = await page.getByRole('table', { name: 'Calls of your program' }).getByRole('link').first().getAttribute('href')
  await page.context().clearCookies()
  await signIn(page, engineer)
  for (const id of [href?.split('/').at(-1), 'none'])
    expect((await page.request.get(`/${engineer.slug}/sandbox/calls/${id}`)).status(), id).toBe(404)
})
