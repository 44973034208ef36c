import { setTimeout as delay } from 'node:timers/promises'
import { OPERATOR_CODES, OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'
import type { Random } from '#lib/seeded-random.ts'
import type { AnswerLedger, Sent } from './ledger-of-answers.ts'
import type { Answer, PartnerProgram } from './partner.ts'
import { phoneNumberOf } from './phone-numbers.ts'
import { RECEIVER_PATHS, type Receiver } from './receiver.ts'

export type LoadOptions = { random: Random; partners: PartnerProgram[]; ledger: AnswerLedger; receiver: Receiver }

/** The simulator's endings, by the last three digits; half of the transfers succeed. */
const ENDINGS = ['901', '902', '903', '904', '905', '906', '907', '908', '909', '910', '911', '912', '913'] as const
/** The second application's rule holds back what its program sends above this amount (server/sandbox/seed-applications.ts). */
const APPROVED_BY_CHECKER = { applicationIndex: 1, operator: 'SNWAVE', amount: 400_000 } as const
const PAUSE_MS_MAX = 25
const RETRY_PAUSE_MS = 25

/** One connection's worth of a partner at work: one request after the other until it is told to end. */
export async function keepBusy(options: LoadOptions, isEnding: () => boolean): Promise<void> {
  const acts = [
    ...Array<Act>(9).fill(startOne),
    ...Array<Act>(2).fill(startSeveral),
    startTwiceAtOnce,
    hangUpAndRetry,
    reuseKey,
    ...Array<Act>(2).fill(startApproved),
    ...Array<Act>(2).fill(refundCollect),
    ...Array<Act>(4).fill(readStatus),
    forceSynchronisation,
  ]
  while (!isEnding()) {
    await options.random.pick(acts)(options, isEnding)
    await delay(options.random.between(0, PAUSE_MS_MAX))
  }
}

type Act = (options: LoadOptions, isEnding: () => boolean) => Promise<unknown>

/** Sends one more deposit once, without a second try. True: it was answered with 200. */
export async function tryOnce(options: LoadOptions): Promise<boolean> {
  const sent = newTransfer(options, 'DEPOSIT')
  return (await submit(options, sent))?.status === 200
}

/** A collect and a deposit through every operator, because chance alone leaves one out in a short run now and then. */
export async function startOneOfEach(options: LoadOptions, isEnding: () => boolean): Promise<void> {
  const transfers = OPERATOR_CODES.flatMap((operator) =>
    (['COLLECT', 'DEPOSIT'] as const).map((type) => newTransfer(options, type, options.random.between(0, 1), operator)),
  )
  await Promise.all(transfers.map((sent) => insist(options, sent, isEnding)))
}

async function startOne(options: LoadOptions, isEnding: () => boolean): Promise<void> {
  await insist(options, newTransfer(options, options.random.chance(0.6) ? 'DEPOSIT' : 'COLLECT'), isEnding)
}

async function startSeveral(options: LoadOptions, isEnding: () => boolean): Promise<void> {
  const { random, ledger, partners } = options
  const first = newTransfer(options, 'DEPOSIT')
  const batch = [first, ...Array.from({ length: random.between(1, 11) }, () => newTransfer(options, 'DEPOSIT', first.applicationIndex))]
  do {
    const before = batch.map((sent) => sent.finalStatus)
    const answer = await partners[first.applicationIndex]?.post('depositMultiple', { body: batch.map(bodyOf) })
    if (answer?.status === 200 && Array.isArray(answer.body)) {
      ledger.answered++
      return batch.forEach((sent, index) =>
        ledger.noteAccepted(
          sent,
          (answer.body as never[])[index] ?? { transactionId: '', externalId: '', transactionStatus: '' },
          answer.atMs,
          before[index],
        ),
      )
    }
    noteLost(options, batch, answer)
    await delay(RETRY_PAUSE_MS)
  } while (!isEnding())
}

/** The same request on several connections at the same time. */
async function startTwiceAtOnce(options: LoadOptions, isEnding: () => boolean): Promise<void> {
  const sent = newTransfer(options, options.random.chance(0.6) ? 'DEPOSIT' : 'COLLECT')
  await Promise.all(Array.from({ length: options.random.between(2, 5) }, () => insist(options, sent, isEnding)))
}

async function hangUpAndRetry(options: LoadOptions, isEnding: () => boolean): Promise<void> {
  const sent = newTransfer(options, 'DEPOSIT')
  await submit(options, sent, options.random.between(1, 30))
  await insist(options, sent, isEnding)
}

/** The externalId of an accepted transaction with another amount: never accepted, and never another id. */
async function reuseKey(options: LoadOptions): Promise<void> {
  const { random, ledger, partners } = options
  if (ledger.known.length === 0) return
  const sent = random.pick(ledger.known)
  const answer = await partners[sent.applicationIndex]?.post(sent.type === 'DEPOSIT' ? 'deposit' : 'collect', {
    body: { ...bodyOf(sent), amount: sent.amount + 1 },
  })
  if (answer?.status === 200) ledger.contradictions.push(`${sent.externalId} was accepted with two contents`)
}

/** A deposit that waits for a checker, who decides; now and then two decisions at once. */
async function startApproved(options: LoadOptions, isEnding: () => boolean): Promise<void> {
  const { random, ledger, partners } = options
  const { applicationIndex, operator, amount } = APPROVED_BY_CHECKER
  const sent = newTransfer(options, 'DEPOSIT', applicationIndex, operator, amount)
  await insist(options, sent, isEnding)
  const partner = partners[applicationIndex]
  const checkerId = partner?.application.people.find((person) => person.roles.includes('checker'))?.id
  const { transactionId } = sent
  if (!partner || !checkerId || !transactionId || random.chance(0.1)) return
  const validate = async () => {
    const answer = await partner.post('validateTransaction', { query: { checkerId, transactionId, payeeNote: 'crash run' } })
    if (answer?.status === 200) sent.validated++
    noteOther(ledger, answer)
  }
  const reject = async () => {
    const answer = await partner.post('rejectTransaction', { query: { checkerId, transactionId, reason: 'crash run' } })
    if (answer?.status === 200) sent.rejected++
    noteOther(ledger, answer)
  }
  const decisions = random.pick([[validate], [validate], [reject], [validate, reject], [validate, validate]])
  await Promise.all(decisions.map((decision) => decision()))
}

/** Refunds of a collect that succeeded, at once and each a part of it: together they may ask for more than was collected. */
async function refundCollect(options: LoadOptions, isEnding: () => boolean): Promise<void> {
  const { random, ledger, receiver } = options
  const collects = ledger.known.filter(({ type, finalStatus }) => type === 'COLLECT' && finalStatus === 'SUCCESS')
  if (collects.length === 0) return
  // Among the last ones, so that many collects are refunded more than once.
  const collect = random.pick(collects.slice(-10))
  const refunds = Array.from({ length: random.between(1, 3) }, () =>
    ledger.add({
      applicationIndex: collect.applicationIndex,
      type: 'DEPOSIT',
      operator: collect.operator,
      externalId: random.uuid(),
      phoneNumber: collect.phoneNumber,
      amount: random.between(1, Math.ceil(collect.amount * 0.7)),
      webhookUrl: receiver.url(random.pick(RECEIVER_PATHS)),
      wasLost: false,
      validated: 0,
      rejected: 0,
    }),
  )
  await Promise.all(refunds.map((refund) => insistOnRefund(options, collect, refund, isEnding)))
}

/** Sends one refund again until it is accepted or refused: what is left of the collect decides, so a refusal is an answer too. */
async function insistOnRefund(options: LoadOptions, collect: Sent, refund: Sent, isEnding: () => boolean): Promise<void> {
  const { ledger, partners } = options
  const { externalId, amount, webhookUrl } = refund
  do {
    const before = refund.finalStatus
    const path = `transactions/${collect.transactionId}/refunds`
    const answer = await partners[collect.applicationIndex]?.postSecond(path, { externalId, amount, webhookUrl })
    if (answer?.status === 200) {
      ledger.answered++
      const { transactionId, externalId: named, status } = answer.body as { transactionId: string; externalId: string; status: string }
      return ledger.noteAccepted(refund, { transactionId, externalId: named, transactionStatus: status }, answer.atMs, before)
    }
    if (answer?.status === 400) return void ledger.answered++
    noteLost(options, [refund], answer)
    await delay(RETRY_PAUSE_MS)
  } while (!isEnding())
}

async function readStatus(options: LoadOptions): Promise<void> {
  await ask(options, 'transaction-status', 'id')
}

async function forceSynchronisation(options: LoadOptions): Promise<void> {
  await ask(options, 'chekTransactionStatus', 'transactionId')
}

async function ask({ random, ledger, partners }: LoadOptions, endpoint: string, parameter: string): Promise<void> {
  if (ledger.known.length === 0) return
  const sent = random.pick(random.chance(0.5) ? ledger.known.slice(-100) : ledger.known)
  const before = sent.finalStatus
  const answer = await partners[sent.applicationIndex]?.post(endpoint, { query: { [parameter]: sent.transactionId ?? '' } })
  noteOther(ledger, answer)
  if (answer?.status === 200) ledger.noteStatus(sent, (answer.body as { status: string }).status, before)
  if (answer?.status === 404) ledger.contradictions.push(`${sent.transactionId} was accepted and is not found`)
}

/** Sends the same request again until it is answered, as a partner does after a network timeout. */
async function insist(options: LoadOptions, sent: Sent, isEnding: () => boolean): Promise<void> {
  while ((await submit(options, sent))?.status !== 200 && !isEnding()) await delay(RETRY_PAUSE_MS)
}

async function submit(options: LoadOptions, sent: Sent, cutAfterMs?: number): Promise<Answer> {
  const before = sent.finalStatus
  const answer = await options.partners[sent.applicationIndex]?.post(sent.type === 'DEPOSIT' ? 'deposit' : 'collect', {
    body: bodyOf(sent),
    cutAfterMs,
  })
  if (answer?.status === 200) {
    options.ledger.answered++
    options.ledger.noteAccepted(
      sent,
      answer.body as { transactionId: string; externalId: string; transactionStatus: string },
      answer.atMs,
      before,
    )
  } else noteLost(options, [sent], answer)
  return answer
}

function noteLost({ ledger }: LoadOptions, batch: Sent[], answer: Answer): void {
  for (const sent of batch) sent.wasLost = true
  // 408: the process was away while the request arrived; nothing of it was read.
  const isRead = answer?.status !== 408
  ledger.noteLost(isRead ? answer : undefined)
  if (answer && isRead && answer.status < 500) ledger.contradictions.push(`${batch[0]?.externalId} was refused: ${JSON.stringify(answer)}`)
}

function noteOther(ledger: AnswerLedger, answer: Answer): void {
  if (answer && answer.status < 500) ledger.answered++
  else ledger.noteLost(answer)
}

function newTransfer(
  { random, ledger, receiver }: LoadOptions,
  type: Sent['type'],
  applicationIndex = random.between(0, 1),
  operator: OperatorCode = random.pick(OPERATOR_CODES),
  amount = random.between(10, 5_000),
): Sent {
  const ending = random.chance(0.5) ? String(random.between(100, 899)) : random.pick(ENDINGS)
  return ledger.add({
    applicationIndex,
    type,
    operator,
    externalId: random.uuid(),
    phoneNumber: phoneNumberOf(operator, random, ending),
    // An operator that runs low refuses what the balance does not cover.
    amount: operator === 'SNFREE' && random.chance(0.2) ? 250_000 : amount,
    webhookUrl: receiver.url(random.pick(RECEIVER_PATHS)),
    wasLost: false,
    validated: 0,
    rejected: 0,
  })
}

function bodyOf(sent: Sent): Record<string, unknown> {
  const { operator, externalId, phoneNumber, amount, webhookUrl } = sent
  return {
    transferMethod: operator,
    customerName: 'Clarisse Mbarga',
    externalId,
    phoneNumber,
    amount,
    webhookUrl,
    countryName: OPERATORS[operator].country.name,
  }
}
