import { readFileSync } from 'node:fs'
import path from 'node:path'
import { parseAmountMinor } from '#lib/money/money.ts'
import type { Pool } from '#server/database/pool.ts'
import { simulatedOperators } from '#server/operators/simulator/simulated-operators.ts'
import { transactionIdOf } from '#server/operators/testing/compare-books.ts'
import { verifyDatabase } from '#server/reports/verify/verify-books.ts'
import { checkFiles } from './check-files.ts'
import { checkRefunds } from './check-refunds.ts'
import type { SentFile } from './files.ts'
import { judge, type Verdict } from './judge.ts'
import type { AnswerLedger, Sent } from './ledger-of-answers.ts'
import type { Arrival, Receiver } from './receiver.ts'

type Evidence = {
  pool: Pool
  ledger: AnswerLedger
  files: readonly SentFile[]
  receiver: Receiver
  folder: string
  applicationApiIds: string[]
  open: string[]
}

type Row = {
  transaction_id: string
  api_id: string
  external_id: string
  type: string
  status: string
  operator: string
  amount_minor: bigint
  phone_number: string
  message: string | null
  decisions: string[]
  was_refused: boolean
  /** Made by this run, not by the sandbox's history. */
  is_ours: boolean
  has_webhook: boolean
}
type Attempt = { number: number; outcome: string }

/** Everything that must hold after any number of kills, each as a promise of its own. */
export async function checkEverything(evidence: Evidence): Promise<Verdict[]> {
  const { pool, ledger } = evidence
  const rows = await readTransactions(pool, evidence.files)
  const ours = rows.filter((row) => row.is_ours)
  const byExternalId = Map.groupBy(rows, (row) => `${row.api_id} ${row.external_id}`)
  const attempts = await readAttempts(pool)
  const apiIdOf = (sent: Sent) => evidence.applicationApiIds[sent.applicationIndex] ?? ''
  const rowsOf = (sent: Sent) => byExternalId.get(`${apiIdOf(sent)} ${sent.externalId}`) ?? []
  const known = [...ledger.known]
  const all = [...ledger.sent.values()]
  const differences = await verifyDatabase(pool)
  return [
    judge('every transfer ended', ours, () => undefined, evidence.open),
    judge('what was answered 200 exists, with the same id and content', known, (sent) => checkAccepted(sent, rowsOf(sent)[0])),
    judge('one transaction per application and externalId', all, (sent) =>
      rowsOf(sent).length > 1 ? `${sent.externalId} is there ${rowsOf(sent).length} times` : undefined,
    ),
    judge('answers never contradict each other', known, () => undefined, ledger.contradictions),
    judge('a request that fails is answered 503 with Retry-After', Array(ledger.lost), () => undefined, ledger.wrongFailures),
    judge(
      'a status that was told final is the one that is stored',
      known.filter((sent) => sent.finalStatus),
      (sent) => {
        const status = rowsOf(sent)[0]?.status
        return status === sent.finalStatus ? undefined : `${sent.transactionId} was told ${sent.finalStatus} and is ${status}`
      },
    ),
    judge(
      'decisions that were answered 200 are recorded, one per waiting transaction',
      known.filter((sent) => sent.validated + sent.rejected > 0),
      (sent) => checkDecision(sent, rowsOf(sent)[0]),
    ),
    judge('entries, balances, counters, roll-ups, sequences, events and audit chains equal a recount', rows, () => undefined, differences),
    ...checkOperators(evidence, ours),
    ...checkWebhooks(
      evidence,
      ours.filter((row) => row.has_webhook),
      attempts,
      known,
    ),
    ...(await checkRefunds(pool, readBooks(evidence.folder).books)),
    ...(await checkFiles(pool, evidence.files)),
  ]
}

function checkAccepted(sent: Sent, row: Row | undefined): string | undefined {
  if (!row) return `${sent.transactionId} was answered 200 and is lost`
  if (row.transaction_id !== sent.transactionId)
    return `${sent.externalId} was answered as ${sent.transactionId} and is stored as ${row.transaction_id}`
  const isSame =
    row.type === sent.type &&
    row.operator === sent.operator &&
    row.phone_number === sent.phoneNumber &&
    row.amount_minor === parseAmountMinor(String(sent.amount))
  return isSame ? undefined : `${sent.transactionId} is stored with other content`
}

function checkDecision(sent: Sent, row: Row | undefined): string | undefined {
  const expected = [...Array<string>(sent.validated).fill('validated'), ...Array<string>(sent.rejected).fill('rejected')]
  const isRight =
    row?.decisions.length === 1 &&
    expected.length === 1 &&
    row.decisions[0] === expected[0] &&
    (sent.rejected === 0 || row.status === 'FAILED')
  return isRight
    ? undefined
    : `${sent.transactionId}: answered ${expected.join(' and ')}, stored ${row?.decisions.join(' and ')} and ${row?.status}`
}

/** The operators' own books, read line by line from what they wrote, against ours. */
function checkOperators({ folder }: Evidence, rows: readonly Row[]): Verdict[] {
  const { books, routes } = readBooks(folder)
  return [
    judge('every operator was reached by its own protocol', simulatedOperators('', ''), ({ operator, protocol }) =>
      routes.has(`${operator} ${protocol}`) ? undefined : `${operator} was never reached by ${protocol}`,
    ),
    judge('each transaction was executed at most once', [...books.keys()], (reference) => {
      const times = books.get(reference)?.executed ?? 0
      return times > 1 ? `${reference} was executed ${times} times` : undefined
    }),
    judge('nothing was sent again that the operator had taken', [...books.keys()], (reference) => {
      const times = books.get(reference)?.duplicates ?? 0
      return times > 0 ? `${reference} was sent ${times + 1} times` : undefined
    }),
    judge("SUCCESS in our books and executed in the operator's are the same transactions", rows, (row) => {
      const isExecuted = (books.get(row.transaction_id)?.executed ?? 0) > 0
      // Nobody can ask this operator; settle.ts lets only those pass that are listed with the unconfirmed money.
      if (row.status === 'PENDING' && row.operator === 'BFOM' && row.type === 'COLLECT') return undefined
      return (row.status === 'SUCCESS') === isExecuted
        ? undefined
        : `${row.transaction_id} (${row.phone_number}) is ${row.status} and was ${isExecuted ? '' : 'not '}executed`
    }),
    judge(
      'what was refused for lack of funds never reached an operator',
      rows.filter((row) => row.was_refused),
      (row) => (books.has(row.transaction_id) ? `${row.transaction_id} reached the operator` : undefined),
    ),
  ]
}

type Entry = { executed: number; duplicates: number }
type Line = { what: string; operator?: string; protocol?: string; reference?: string; request?: { reference: string; context: string } }

/** The operators' entries by transaction, and the protocols by which each operator took transfers. */
export function readBooks(folder: string): { books: Map<string, Entry>; routes: Set<string> } {
  const books = new Map<string, Entry>()
  const routes = new Set<string>()
  const idOf = new Map<string, string>()
  for (const line of readFileSync(path.join(folder, 'simulator', 'books.jsonl'), 'utf8').split('\n')) {
    // The last line may be half written when an operator was killed; nobody was told about it.
    if (!line.endsWith('}')) continue
    const { what, operator, protocol, reference, request } = JSON.parse(line) as Line
    if (what === 'turned_away') continue
    if (what === 'accepted') routes.add(`${operator} ${protocol}`)
    if (request) idOf.set(request.reference, transactionIdOf({ protocol, ...request }))
    const own = reference ?? request?.reference ?? ''
    const key = idOf.get(own) ?? own
    const known = books.get(key)
    const entry = known ?? { executed: 0, duplicates: 0 }
    // Orders of Orange Web Payment are replaced; under another reference every other operator pays again.
    if (what === 'accepted' && known && protocol !== 'orange-web') entry.duplicates++
    if (what === 'executed') entry.executed++
    if (what === 'duplicate') entry.duplicates++
    books.set(key, entry)
  }
  return { books, routes }
}

function checkWebhooks({ receiver }: Evidence, rows: readonly Row[], attempts: Map<string, Attempt[]>, known: readonly Sent[]): Verdict[] {
  const arrivalsOf = (id: string) => receiver.arrivals.get(id) ?? []
  const attemptsOf = (id: string) => attempts.get(id) ?? []
  const byId = new Map(rows.map((row) => [row.transaction_id, row]))
  const isFinal = (row: Row) => row.status === 'SUCCESS' || row.status === 'FAILED'
  return [
    judge('1 to 4 webhooks per final state, none before', rows, (row) => {
      const arrivals = arrivalsOf(row.transaction_id)
      if (!isFinal(row))
        return arrivals.length === 0 ? undefined : `${row.transaction_id} is ${row.status} and had ${arrivals.length} webhooks`
      return checkCount(row.transaction_id, arrivals, attemptsOf(row.transaction_id))
    }),
    judge('a webhook says what is stored', [...receiver.arrivals.values()].flat(), (arrival) => {
      const row = byId.get(arrival.transactionId)
      return row?.status === arrival.status && row.external_id === arrival.externalId
        ? undefined
        : `${arrival.transactionId}: webhook ${arrival.status}, stored ${row?.status}`
    }),
    judge('no webhook after a 200, except for an attempt that a kill interrupted', [...receiver.arrivals.keys()], (id) =>
      checkRepeats(id, arrivalsOf(id), attemptsOf(id)),
    ),
    judge(
      'no webhook before the initiation was answered',
      known.filter((sent) => !sent.wasLost && sent.transactionId),
      (sent) => {
        const first = arrivalsOf(sent.transactionId ?? '')[0]
        return first && first.atMs < (sent.firstAnswerAtMs ?? 0)
          ? `${sent.transactionId}: webhook ${Math.round((sent.firstAnswerAtMs ?? 0) - first.atMs)} ms too early`
          : undefined
      },
    ),
  ]
}

/** A receiver may miss attempts that a kill interrupted; everything else arrives, and nothing more than was written down. */
function checkCount(id: string, arrivals: readonly Arrival[], attempts: readonly Attempt[]): string | undefined {
  const interrupted = attempts.filter((one) => one.outcome === 'interrupted').length
  const isPlausible =
    attempts.length >= 1 &&
    attempts.length <= 4 &&
    arrivals.length <= attempts.length &&
    arrivals.length >= attempts.length - interrupted &&
    (arrivals.length >= 1 || interrupted === 4)
  return isPlausible ? undefined : `${id}: ${arrivals.length} arrived, recorded ${attempts.map((one) => one.outcome).join(', ') || 'none'}`
}

function checkRepeats(id: string, arrivals: readonly Arrival[], attempts: readonly Attempt[]): string | undefined {
  const first = arrivals.findIndex((one) => one.answered === 200)
  const repeats = first < 0 ? 0 : arrivals.length - first - 1
  const interrupted = attempts.filter((one) => one.outcome === 'interrupted').length
  return repeats <= interrupted
    ? undefined
    : `${id}: ${repeats} more after a 200, recorded ${attempts.map((one) => one.outcome).join(', ')}`
}

async function readTransactions(pool: Pool, files: readonly SentFile[]): Promise<Row[]> {
  const { rows } = await pool.query<Row>(
    `select coalesce(t.webhook_url like 'http://127.0.0.1:%' or t.batch_id = any ($1), false) as is_ours, t.webhook_url is not null as has_webhook,
            t.transaction_id, a.api_id, t.external_id, t.type, t.status, t.operator, t.amount_minor, t.phone_number, t.message,
            coalesce(d.decisions, '{}') as decisions,
            exists (select 1 from transaction_events e where e.application_id = t.application_id and e.transaction_id = t.transaction_id
              and e.event = 'refused_for_funds') as was_refused
       from transactions t join applications a using (application_id)
       left join lateral (select array_agg(decision order by decided_at) as decisions from approval_decisions d
         where d.application_id = t.application_id and d.transaction_id = t.transaction_id) d on true`,
    [files.map((file) => file.batchId)],
  )
  return rows
}

async function readAttempts(pool: Pool): Promise<Map<string, Attempt[]>> {
  const { rows } = await pool.query<{ transaction_id: string; number: number; outcome: string }>(
    `select w.transaction_id, w.number, w.outcome from all_webhook_attempts w join transactions t using (application_id, transaction_id)
       where t.webhook_url like 'http://127.0.0.1:%' order by w.transaction_id, w.number`,
  )
  return Map.groupBy(rows, (row) => row.transaction_id)
}
