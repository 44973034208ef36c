import { setTimeout as delay } from 'node:timers/promises'
import { judgeAnswers } from '#e2e/attack/oracle/judge-answers.ts'
import { readSchedule } from '#e2e/attack/oracle/schedule.ts'
import { type Outcome, perform } from '#e2e/attack/wire/perform.ts'
import type { Service } from '#server/testing/service/start-service.ts'
import type { Arsenal } from './arsenal.ts'
import type { AttackCase, MadeRow } from './case.ts'
import type { Finding } from './findings.ts'
import type { PlannedCase } from './plan.ts'

const LANES = 10
/** Cases that wait for time-outs take no lane of their own. */
const LONG_AT_ONCE = 60

const DEATH_SHOWS_MS = 300

/** The times at which each request or scenario was in progress, to name suspects of problems that show only in the whole process. */
type Span = { number: number | undefined; kind: string; fromMs: number; toMs: number }

/** The answers that the attackers received. */
export type Record_ = {
  accepted: Set<string>
  /** Of other tables than the transactions. */
  acceptedRows: MadeRow[]
  uncertain: Set<string>
  refused: Map<string, number>
  acceptedTokens: number
  spans: Span[]
  findings: Finding[]
  performed: number
}

export function emptyRecord(): Record_ {
  return {
    accepted: new Set(),
    acceptedRows: [],
    uncertain: new Set(),
    refused: new Map(),
    acceptedTokens: 0,
    spans: [],
    findings: [],
    performed: 0,
  }
}

type AssaultOptions = {
  service: Service
  arsenal: () => Arsenal
  plan: (number: number) => PlannedCase
  numbers: readonly number[]
  record: Record_
  /** Prints each case before it is sent. */
  isVerbose?: boolean
  say(line: string): void
}

/** Sends the requests of these numbers, several at a time, and judges each answer. */
export async function assault(options: AssaultOptions): Promise<void> {
  const { numbers, plan } = options
  const isLong = (number: number) => plan(number).maker.isLong === true
  const long = numbers.filter(isLong)
  const usual = numbers.filter((number) => !isLong(number))
  await Promise.all([
    inLanes(LANES, usual, (number) => attackOnce(options, number)),
    inLanes(LONG_AT_ONCE, long, (number) => attackOnce(options, number)),
  ])
}

async function inLanes<Item>(lanes: number, items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const queue = items[Symbol.iterator]()
  const lane = async () => {
    for (const item of queue) await work(item)
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}

async function attackOnce(options: AssaultOptions, number: number): Promise<void> {
  const { service, record } = options
  for (let attempt = 0; attempt < 3; attempt++) {
    const { maker, family, random } = options.plan(number)
    const attack = maker.make(random, options.arsenal())
    const kind = `${family}: ${maker.name}`
    if (options.isVerbose) options.say(`${number}  ${kind}: ${attack.what}`)
    const exits = service.exits.length
    const fromMs = Date.now()
    const outcome = await perform(service, attack, { starvedMs: () => readSchedule(service.pid ?? 0).queuedMs })
    record.spans.push({ number, kind, fromMs, toMs: Date.now() })
    // A process that dies resets its connections a moment before its end is known here.
    if (outcome.answers.length === 0 && !outcome.wasCutByUs && outcome.ending !== 'open') await delay(DEATH_SHOWS_MS)
    const hasDied = service.exits.length > exits || outcome.ending === 'refused'
    noteTold(record, attack, outcome, number)
    if (!hasDied) {
      record.performed++
      for (const what of judgeAnswers(attack, outcome))
        record.findings.push({ rule: 'answers', what, sent: attack.what, numbers: [number], kind })
      if (options.isVerbose) options.say(describe(outcome))
      return
    }
    // The exit is a finding of its own; a request that found nobody listening is sent again.
    await service.untilReady('pages')
    if (outcome.ending !== 'refused') return
    await delay(10)
  }
}

/** The transfers and other rows that were accepted, refused, or left unanswered. */
function noteTold(record: Record_, attack: AttackCase, outcome: Outcome, number: number): void {
  const answer = outcome.answers[0]
  if (answer?.status === 200 && attack.expect.path?.startsWith('/public/')) record.acceptedTokens++
  for (const id of attack.starts ?? []) {
    if (answer === undefined || answer.status === 503) record.uncertain.add(id)
    else if (answer.status === 200) record.accepted.add(id)
    else record.refused.set(id, number)
  }
  for (const row of attack.makes ?? []) {
    if (answer === undefined || answer.status === 503) record.uncertain.add(row.mark)
    else if (answer.status < 400) record.acceptedRows.push(row)
    else record.refused.set(row.mark, number)
  }
}

/** The requests in progress at that time, the latest first. */
export function suspectsAt(record: Record_, atMs: number, durationMs = 0): Span[] {
  return record.spans
    .filter((span) => span.fromMs <= atMs + durationMs && span.toMs >= atMs)
    .toSorted((left, right) => right.fromMs - left.fromMs)
    .slice(0, 2 * LANES)
}

function describe({ answers, ending, durationMs }: Outcome): string {
  const seen = answers.map((answer) => `${answer.status} ${JSON.stringify(answer.headers)} ${answer.body.slice(0, 500)}`).join('\n    ')
  return `    ${seen || 'no answer'}\n    ${ending} after ${Math.round(durationMs)} ms`
}
