import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { CLIENT_FILES, CLIENT_LANGUAGES, clientPath } from '#lib/partner/reference.ts'
import { type HttpHarness, openHttpHarness } from '../testing/http-harness.ts'
import { makeClients, readClient } from './client-files.ts'
import { describeApi } from './describe-api.ts'

let harness: HttpHarness
before(async () => {
  harness = await openHttpHarness()
})
after(() => harness.close())

test('equal: each client and what the OpenAPI document makes of it now; otherwise run npm run clients', async () => {
  assert.deepEqual((await readdir(path.join(import.meta.dirname, 'files'))).toSorted(), Object.values(CLIENT_FILES).toSorted())
  for (const { path: file, text, generated } of makeClients()) assert.equal(generated, text, file)
})

test('200 with the file as an attachment and as text, without credentials; 405 for another method', async () => {
  for (const language of CLIENT_LANGUAGES) {
    const answer = await fetch(harness.baseUrl + clientPath(language))
    assert.equal(answer.status, 200)
    assert.equal(answer.headers.get('content-type'), 'text/plain; charset=utf-8')
    assert.equal(answer.headers.get('content-disposition'), `attachment; filename="${CLIENT_FILES[language]}"`)
    assert.equal(await answer.text(), readClient(language))
    assert.equal((await fetch(harness.baseUrl + clientPath(language), { method: 'POST' })).status, 405)
  }
})

test('repeated after a 429 or 503: what reads, and what an Idempotency-Key or its own externalId names; nothing else', () => {
  const once = describeApi().operations.filter(({ isRepeatable }) => !isRepeatable)
  assert.deepEqual(
    once.map(({ id }) => id),
    ['cancelBatch', 'cancelTransaction', 'checkAccount'],
  )
})
