import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { phoneNumberOf } from '#e2e/crash/phone-numbers.ts'
import type { OperatorCode } from '#lib/operators/operators.ts'
import type { TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import { createRandom } from '#lib/seeded-random.ts'
import type { OperatorHarness } from '#server/operators/testing/operator-harness.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import type { IntakeItem } from '#server/transactions/intake.ts'
import { FAULTS, FAULTS_OF_SUBMISSIONS } from './call-faults.ts'
import { type Disturbed, openDisturbed } from './disturbed-harness.ts'
import type { Passing } from './fault-proxy.ts'
import { MissingProtections } from './missing-protections.ts'
import { WrongKeys } from './wrong-keys.ts'

const opened: Disturbed[] = []
afterEach(async () => {
  for (const disturbed of opened.splice(0)) await disturbed.close()
})

type Transfer = readonly [operator: OperatorCode, type: TransactionType]

const WITH_A_KEY: readonly Transfer[] = [
  ['MOMOCM', 'COLLECT'],
  ['MOMOCM', 'DEPOSIT'],
  ['UGAIRTEL', 'COLLECT'],
  ['UGAIRTEL', 'DEPOSIT'],
  ['OMCM', 'COLLECT'],
  ['OMCM', 'DEPOSIT'],
  ['BJMOOV', 'COLLECT'],
  ['MLMOOV', 'DEPOSIT'],
  ['CIWAVE', 'DEPOSIT'],
  ['SNWAVE', 'DEPOSIT'],
  ['SNFREE', 'COLLECT'],
]

/** Nothing recognises a submission that comes again; what protects instead. */
const WITHOUT_A_KEY: readonly (readonly [...Transfer, what: string, document?: Record<string, unknown>])[] = [
  ['SNOM', 'COLLECT', 'a search before each further code of the customer'],
  ['SNOM', 'DEPOSIT', 'a search before each further submission'],
  ['SNOM', 'COLLECT', 'a QR code for a single use', { collectBy: 'qr' }],
  ['SNWAVE', 'COLLECT', 'a search before each further checkout'],
  ['CIOM', 'COLLECT', 'a page whose address nobody got'],
  ['BFOM', 'COLLECT', 'no second call after a lost reply'],
]

async function openWith(disturbance: Parameters<typeof openDisturbed>[0]): Promise<Disturbed> {
  const disturbed = await openDisturbed(disturbance)
  opened.push(disturbed)
  return disturbed
}

async function send(harness: OperatorHarness, operator: OperatorCode, type: TransactionType): Promise<IntakeItem> {
  const item = await harness.make({ operator, type, phoneNumber: phoneNumberOf(operator, createRandom(5), '341') })
  harness.startDispatcher()
  return item
}

async function timesExecuted(harness: OperatorHarness): Promise<number> {
  return [...(await harness.books()).values()].reduce((sum, entry) => sum + entry.timesExecuted, 0)
}

const OVERTAKEN = FAULTS_OF_SUBMISSIONS['carried out after the next submission'] ?? assert.fail()
const LOST_REPLY = FAULTS['reset, carried out'] ?? assert.fail()

for (const [operator, type] of WITH_A_KEY) {
  test(`two executions and a difference in the books of ${operator}, ${type}, if each attempt has a new key`, async () => {
    const wrongKeys = new WrongKeys()
    const { harness, repetitions } = await openWith({ first: OVERTAKEN, spoil: (passing) => wrongKeys.spoil(passing) })
    await send(harness, operator, type)
    await waitUntil('both submissions are executed', async () => (await timesExecuted(harness)) >= 2)
    // Where the key is all that the books have of us, they name nothing of ours any more.
    await assert.rejects(
      harness.compareBooks((entry) => repetitions.causedFor(entry)),
      /executed (?!1 )\d+ times|knows \d+ references that are not stored/,
    )
  })
}

for (const [operator, type, what, document] of WITHOUT_A_KEY) {
  const documents = document && { [operator]: document }
  const first = (passing: Passing) => LOST_REPLY(passing, 0)

  test(`one execution at ${operator}, ${type}, after a lost reply: ${what}`, async () => {
    const { harness } = await openWith({ first, documents })
    const item = await send(harness, operator, type)
    await waitUntil('it has ended, or nobody can be asked', async () => {
      const { status } = await harness.read(item)
      const isLeft = operator === 'BFOM' && (await harness.workOf(item))?.['state'] === 'unconfirmed'
      return status === 'SUCCESS' || isLeft
    })
    await harness.compareBooks()
    assert.equal(await timesExecuted(harness), 1)
  })

  test(`two executions and a difference in the books of ${operator}, ${type}, without what protects: ${what}`, async () => {
    const missingProtections = new MissingProtections()
    const { harness, repetitions } = await openWith({ first, documents, spoil: (passing) => missingProtections.spoil(passing) })
    await send(harness, operator, type)
    await waitUntil('both are executed', async () => (await timesExecuted(harness)) >= 2)
    await assert.rejects(
      harness.compareBooks((entry) => repetitions.causedFor(entry)),
      /executed (?!1 )\d+ times/,
    )
  })
}
