import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { z } from 'zod'
import type { SampleLanguage } from '#lib/partner/reference.ts'
import { initiationSchema, keyedInitiationSchema, recordSchema } from '#lib/schemas/api/responses.ts'
import { readReference } from '#server/http/reference/read-reference.ts'
import { writeDeposit } from '#server/http/reference/samples/samples.ts'
import { runSample } from './run-sample.ts'

/** The line of each language that ends an example after thirty seconds, and the same with one second. */
const LIMITS: Record<SampleLanguage, readonly [shown: string, short: string]> = {
  curl: ['--max-time 30', '--max-time 1'],
  typescript: ['AbortSignal.timeout(30_000)', 'AbortSignal.timeout(1_000)'],
  python: ['timeout=30', 'timeout=1'],
  php: ['CURLOPT_TIMEOUT => 30', 'CURLOPT_TIMEOUT => 1'],
}

/** The examples as somebody uses them: one after the other, twice, and against a server that does not answer. */
export function describePasted(language: SampleLanguage, variablesFor: (id: string) => Promise<Record<string, string>>): void {
  const sampleOf = (id: string) => readReference().operations.get(id)?.samples[language] ?? assert.fail(id)

  test(`a payment of its own for each run of an example in ${language}, also after another example`, async () => {
    const started: string[] = []
    for (const id of ['collect', 'deposit', 'depositMultiple', 'createDeposit', 'collect', 'deposit', 'depositMultiple', 'createDeposit']) {
      const answer: unknown = JSON.parse(await runSample(language, sampleOf(id), await variablesFor(id)))
      const schema = id === 'createDeposit' ? keyedInitiationSchema : initiationSchema
      const initiated = z.array(schema).parse(Array.isArray(answer) ? answer : [answer])
      started.push(...initiated.map(({ transactionId }) => transactionId))
    }
    assert.equal(new Set(started).size, 10)
  })

  for (const [id, statuses] of [
    ['validateTransaction', ['PENDING', 'SUCCESS']],
    ['rejectTransaction', ['FAILED']],
  ] as const) {
    test(`${id} in ${language} decides the deposit of the guide that waits for approval`, async () => {
      const variables = await variablesFor('')
      const waiting = initiationSchema.parse(JSON.parse(await runSample(language, writeDeposit(100_001).samples[language], variables)))
      assert.equal(waiting.transactionStatus, 'PENDING_APPROVAL')
      const printed = await runSample(language, sampleOf(id), { ...variables, TRANSACTION_ID: waiting.transactionId })
      assert.ok(
        statuses.some((status) => status === recordSchema.parse(JSON.parse(printed)).status),
        printed,
      )
    })
  }

  test(`an end of every example in ${language} after its limit, when nothing answers`, async () => {
    const [shown, short] = LIMITS[language]
    for (const [id, { samples }] of readReference().operations) assert.ok(samples[language].includes(shown), id)
    const silent = createServer().listen(0, '127.0.0.1')
    await once(silent, 'listening')
    try {
      const address = silent.address()
      if (address === null || typeof address === 'string') assert.fail('no port')
      const variables = { ...(await variablesFor('')), BASE_URL: `http://127.0.0.1:${address.port}` }
      const startedAt = performance.now()
      await assert.rejects(runSample(language, sampleOf('transactionStatus').replace(shown, short), variables))
      // Without a limit, the program is ended after a minute.
      assert.ok(performance.now() - startedAt < 30_000)
    } finally {
      silent.close()
    }
  })
}
