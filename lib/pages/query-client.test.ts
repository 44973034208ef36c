import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { DataError, fetchData, hasParts, isListOf } from './query-client.ts'

type Page = { rows: string[]; total: number }
const isPage = hasParts<Page>('rows', 'total')

let answer = { status: 200, body: '' }
const server = createServer((_request, response) => response.writeHead(answer.status).end(answer.body))
let address: string
before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A server that listens on a port has such an address.
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
})
after(() => new Promise((resolve) => server.close(resolve)))

function answering(body: unknown, status = 200): string {
  answer = { status, body: JSON.stringify(body) }
  return address
}

async function refusalOf(body: unknown, status = 200): Promise<unknown> {
  const error = await fetchData(answering(body, status), isPage).catch((caught: unknown) => caught)
  return error instanceof DataError ? [error.status, error.code] : error
}

test('the data, when its parts are there', async () => {
  assert.deepEqual(await fetchData(answering({ rows: ['a'], total: 1 }), isPage), { rows: ['a'], total: 1 })
  assert.deepEqual(await fetchData(answering([{ rows: [], total: 0 }]), isListOf(isPage)), [{ rows: [], total: 0 }])
})

test('502 for a 200 with something else: no object, a part that is missing, an item of a list', async () => {
  for (const body of [null, 'Sign in to the network', [], { rows: [] }]) assert.deepEqual(await refusalOf(body), [502, 'unreadable_answer'])
  await assert.rejects(fetchData(answering([{ rows: [] }]), isListOf(isPage)), { status: 502 })
})

test('the status and code of a refusal', async () => {
  assert.deepEqual(await refusalOf({ code: 'not_found' }, 404), [404, 'not_found'])
  assert.deepEqual(await refusalOf('Bad gateway', 502), [502, 'unknown'])
})
