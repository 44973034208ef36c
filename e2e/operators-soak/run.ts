import { setTimeout as delay } from 'node:timers/promises'
import { DryWallets } from '#e2e/crash/dry-wallets.ts'
import type { Verdict } from '#e2e/crash/judge.ts'
import { OwnTransfers } from '#e2e/crash/own-transfers.ts'
import { PartnerProgram } from '#e2e/crash/partner.ts'
import { Receiver } from '#e2e/crash/receiver.ts'
import { shortenWaits } from '#e2e/crash/settle.ts'
import { createRandom } from '#lib/seeded-random.ts'
import { freePort } from '#server/database/embedded/embedded.ts'
import { createPool, type Pool } from '#server/database/pool.ts'
import type { OperatorSettings } from '#server/operators/settings/operator-settings.ts'
import { simulatedOperators } from '#server/operators/simulator/simulated-operators.ts'
import { type Sandbox, startSandbox } from '#server/testing/service/start-sandbox.ts'
import { disturbCalls } from './call-faults.ts'
import { disturbCallbacks } from './callback-faults.ts'
import { checkEverything } from './checks.ts'
import { FaultCounts } from './fault-counts.ts'
import { FaultProxy, type Passing } from './fault-proxy.ts'
import { type Sent, sendAll } from './load.ts'
import { MissingProtections } from './missing-protections.ts'
import { setOperators } from './pass-through.ts'
import { endQrCodes, judgeQrCodes, QrCodes } from './qr-codes.ts'
import { refundCollects } from './refunds.ts'
import { Repetitions } from './repetitions.ts'
import { judgeDifferences, readDifferences } from './reported-balances.ts'
import { WrongKeys } from './wrong-keys.ts'

type SoakOptions = {
  transactions: number
  faultShare: number
  seed: number
  keepsFolder: boolean
  /** Sends every submission with a new key, and removes what protects where there is none: the run must detect the double payments. */
  hasWrongKeys: boolean
  say(line: string): void
}
type SoakReport = { verdicts: Verdict[]; counts: FaultCounts; loadMs: number; settleMs: number; folder: string; statuses: string }

/** Longer than a connector waits, and shorter than the time until a transfer may be sent again: 2 s and at least 3 s more. */
const LATE_CALL_MS_MAX = 4_000
const LATE_CALLBACK_MS_MAX = 6_000
/** Two processes take turns at each transaction. */
const WORKERS = 2
const OUTAGE_MS = 4_000
const SIMULATOR_DELAY_MS = 300
const SETTLE_LIMIT_MS = 900_000
/** For collects that succeed after the last transaction was sent. */
const REFUNDS_TAIL_MS = 15_000
const LOOK_EVERY_MS = 1_000
const SAY_EVERY_MS = 15_000

/**
 * The soak: a sandbox whose calls to the operators and whose callbacks pass a proxy that disturbs a share of them, `transactions` transactions over
 * all codes, and in the middle an outage in which no operator can be reached.
 */
export async function runSoak(options: SoakOptions): Promise<SoakReport> {
  const counts = new FaultCounts()
  const port = await freePort()
  const callbacks = await FaultProxy.start({
    target: () => `http://127.0.0.1:${port}`,
    disturb: disturbCallbacks({
      random: createRandom(options.seed * 3 + 1),
      share: options.faultShare,
      counts,
      lateMsMax: LATE_CALLBACK_MS_MAX,
    }),
  })
  const service = await startSandbox({
    port,
    environment: { PUBLIC_URL: callbacks.url, SIMULATOR_DELAY_MS: String(SIMULATOR_DELAY_MS), WORKER_CONCURRENCY: String(WORKERS) },
  })
  service.keepRunning()
  const simulator = service.simulator()
  const repetitions = new Repetitions()
  const calls = await FaultProxy.start({
    target: () => simulator.url,
    disturb: disturbCalls({
      random: createRandom(options.seed * 3 + 2),
      share: options.faultShare,
      counts,
      lateMsMax: LATE_CALL_MS_MAX,
      repetitions,
      spoil: options.hasWrongKeys ? breakConnectors() : undefined,
    }),
  })
  const receiver = await Receiver.start()
  const partners = service.readSandbox().applications.map((application) => new PartnerProgram(service.baseUrl, application))
  let isBroken = true
  try {
    for (const partner of partners) await partner.signIn()
    const settings = simulatedOperators(calls.url, simulator.secret)
    await setOperators(settings, service.folder)
    options.say(`Service in ${service.folder}, seed ${options.seed}`)
    const report = await loadAndCheck(options, {
      service,
      calls,
      settings,
      partners,
      receiver,
      counts,
      repetitions,
      simulatorUrl: simulator.url,
    })
    isBroken = report.verdicts.some(({ broken }) => broken.length > 0)
    return report
  } finally {
    await Promise.all(partners.map((partner) => partner.close()))
    await service.stop({ keepsFolder: options.keepsFolder || isBroken })
    await Promise.all([receiver.close(), calls.close(), callbacks.close()])
  }
}

type Stage = {
  service: Sandbox
  calls: FaultProxy
  /** Of every operator, through the proxy. */
  settings: readonly OperatorSettings[]
  partners: PartnerProgram[]
  receiver: Receiver
  counts: FaultCounts
  repetitions: Repetitions
  simulatorUrl: string
}

async function loadAndCheck(options: SoakOptions, stage: Stage): Promise<SoakReport> {
  const { service, receiver, repetitions, counts, simulatorUrl } = stage
  const pool = createPool({ databaseUrl: service.databaseUrl(), connectionsMax: 2, applicationName: 'soak' })
  const { say } = options
  try {
    const transfers = new OwnTransfers(service)
    const wallets = new DryWallets(service, transfers, amountsFor(options.transactions))
    await wallets.empty()
    const differences = await readDifferences(pool)
    await wallets.untilKnown()
    const startedMs = performance.now()
    const qrCodes = new QrCodes({ pool, settings: stage.settings, dataFolder: service.folder })
    const { sent, refunds } = await load(options, stage, wallets, qrCodes)
    const sentMs = performance.now()
    const all = [...sent, ...refunds]
    const seconds = Math.round((sentMs - startedMs) / 1_000)
    say(`${sent.length} transactions, ${refunds.length} refunds and ${transfers.count} own transfers after ${seconds} s`)
    const { open, unanswerable } = await settle(pool, all, receiver, say)
    const settledMs = performance.now()
    const verdicts = [
      ...(await checkEverything({ pool, simulatorUrl, sent: all, receiver, open, unanswerable, repetitions })),
      ...(await wallets.judge(pool)),
      await judgeDifferences(pool, differences),
      ...(await judgeQrCodes(
        simulatorUrl,
        sent,
        service.readSandbox().applications.map(({ name }) => name),
      )),
    ]
    const { rows } = await pool.query<{ line: string }>(
      `select string_agg(message || ': ' || count, ', ' order by count desc) as line
         from (select message, count(*) from transactions where transaction_id = any ($1) group by 1) as ended`,
      [all.map(({ transactionId }) => transactionId)],
    )
    const times = { loadMs: sentMs - startedMs, settleMs: settledMs - sentMs }
    return { verdicts, counts, ...times, folder: service.folder, statuses: rows[0]?.line ?? '' }
  } finally {
    await pool.end()
  }
}

/** Sends everything, with an outage in the middle, refunds what succeeds meanwhile, and leaves enough in the wallets for what waits. */
async function load(
  { transactions, seed }: SoakOptions,
  stage: Stage,
  wallets: DryWallets,
  qrCodes: QrCodes,
): Promise<{ sent: Sent[]; refunds: Sent[] }> {
  const { calls, partners, receiver } = stage
  const sent: Sent[] = []
  const refunds: Sent[] = []
  let endsAtMs = Number.POSITIVE_INFINITY
  const isOver = () => performance.now() > endsAtMs
  const plan = { transactions, random: createRandom(seed), partners, webhookUrl: receiver.url('ok') }
  const sending = sendAll({ ...plan, beforeSending: (...order) => qrCodes.beforeSending(...order) }, sent).finally(() => {
    endsAtMs = performance.now() + REFUNDS_TAIL_MS
  })
  await Promise.all([
    sending,
    goAwayInTheMiddle(calls, sent, transactions, qrCodes),
    refundCollects({ random: createRandom(seed * 3), partners, receiver, sent }, refunds, isOver),
    wallets.keepLow(isOver),
  ])
  await wallets.fill()
  return { sent, refunds }
}

/** A quarter of what the load asks a wallet for, and so little at a time that it waits again and again. */
function amountsFor(transactions: number): { first: number; topUp: number; last: number } {
  const first = Math.max(1_000, transactions * 5)
  return { first, topUp: Math.ceil(first / 4), last: 10_000_000 }
}

/** When half of the transactions are sent, nothing listens at the operators for some seconds, and customers pay by QR code from then on. */
async function goAwayInTheMiddle(calls: FaultProxy, sent: readonly Sent[], transactions: number, qrCodes: QrCodes): Promise<void> {
  while (sent.length < transactions / 2) await delay(20)
  await Promise.all([qrCodes.turn(), calls.beAwayMs(OUTAGE_MS, async (durationMs) => void (await delay(durationMs)))])
}

type Settled = { open: string[]; unanswerable: ReadonlySet<string> }

/**
 * Waits until every transaction has its result and its webhook; returns those that were still open when the time was up, and those that no query
 * can end.
 */
async function settle(pool: Pool, sent: readonly Sent[], receiver: Receiver, say: (line: string) => void): Promise<Settled> {
  const ids = sent.map(({ transactionId }) => transactionId)
  const endsAtMs = performance.now() + SETTLE_LIMIT_MS
  let toldAtMs = performance.now()
  for (;;) {
    // No process died: leases are left alone. A call that is carried out late arrives before the service submits again, so that pause stays.
    await shortenWaits(pool, new Date(0), ['submitted', 'unconfirmed'])
    await endQrCodes(pool)
    const { rows } = await pool.query<{ transaction_id: string; what: string; is_unanswerable: boolean }>(
      `select t.transaction_id, t.operator || ' ' || t.type || ' ' || t.phone_number || ' ' || t.transaction_id || ' is ' || coalesce(w.state, t.status) as what,
                -- This operator answers no queries: a collect whose reply was lost stays open until people have asked.
                coalesce(t.operator = 'BFOM' and t.type = 'COLLECT' and w.state = 'unconfirmed', false) as is_unanswerable
         from transactions t left join operator_work w using (application_id, transaction_id)
         where t.transaction_id = any ($1) and t.status = 'PENDING'`,
      [ids],
    )
    const isOpen = new Set(rows.map((row) => row.transaction_id))
    const untold = ids.filter((id) => !isOpen.has(id) && !receiver.arrivals.has(id))
    const unanswerable = new Set(rows.filter((row) => row.is_unanswerable).map((row) => row.transaction_id))
    const open = [...rows.filter((row) => !row.is_unanswerable).map((row) => row.what), ...untold.map((id) => `nobody was told of ${id}`)]
    if (open.length === 0 || performance.now() > endsAtMs) return { open, unanswerable }
    if (performance.now() - toldAtMs > SAY_EVERY_MS) {
      say(`${open.length} are open, among them: ${open[0]}`)
      toldAtMs = performance.now()
    }
    await delay(LOOK_EVERY_MS)
  }
}

/** Connectors that pay twice, in every protocol. */
function breakConnectors(): (passing: Passing) => Passing {
  const wrongKeys = new WrongKeys()
  const missingProtections = new MissingProtections()
  return (passing) => missingProtections.spoil(wrongKeys.spoil(passing))
}
