import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRandom } from '#lib/seeded-random.ts'
import { disturbCalls } from './call-faults.ts'
import { FaultCounts } from './fault-counts.ts'
import type { Answer, Passing } from './fault-proxy.ts'
import { Repetitions } from './repetitions.ts'

const CALLS = 2_000

/** How many of many GETs of these addresses, in turn, were answered with something that the operator did not say about that address. */
async function countAltered(answers: readonly (readonly [url: string, body: string])[]): Promise<number> {
  let altered = 0
  const response = { writeHead: () => response, end: () => response, write: () => true, destroy: () => response, socket: null }
  const passings = answers.map(([url, text]): Passing => {
    const answer: Answer = { status: 200, headers: {}, body: Buffer.from(text) }
    return {
      method: 'GET',
      url,
      headers: {},
      body: Buffer.alloc(0),
      // The faults write to it, and nothing reads it.
      response: response as unknown as Passing['response'],
      carryOut: async () => answer,
      answer: (given) => {
        if (!given.body.equals(answer.body)) altered++
      },
    }
  })
  const faults = { share: 0.5, counts: new FaultCounts(), lateMsMax: 0, repetitions: new Repetitions() }
  const disturb = disturbCalls({ ...faults, random: createRandom(1) })
  for (let call = 0; call < CALLS; call++) for (const passing of passings) await disturb(passing)
  return altered
}

test('other amounts and answers about others for queries about payments, and none for those about balances', async () => {
  assert.ok((await countAltered([['/wave/v1/payout/pt-1', '{"receive_amount":"500"}']])) > 0)
  assert.equal(await countAltered([['/wave/v1/balance', '{"amount":"80922555","currency":"XOF"}']]), 0)
  const accounts = ['COLL', 'DISB'].map((type) => [`/airtel/standard/v2/users/balance?type=${type}`, type] as const)
  assert.equal(await countAltered(accounts), 0)
})
