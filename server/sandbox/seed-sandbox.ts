import { existsSync, readFileSync, renameSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { OPERATOR_CODES, type OperatorCode } from '#lib/operators/operators.ts'
import type { Role } from '#lib/people/permissions.ts'
import { ok, type Result } from '#lib/result.ts'
import { type ApprovalPolicy, approvalRulesSchema } from '#lib/rules/approval-policy.ts'
import { createRandom } from '#lib/seeded-random.ts'
import { createApiKey } from '#server/applications/access/api-keys.ts'
import { allowAddress } from '#server/applications/access/change-networks.ts'
import { createApplication } from '#server/applications/create-application.ts'
import { setCustomerPage } from '#server/applications/customer-page.ts'
import { changeApplication } from '#server/applications/terms.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { storeBatchEnds } from '#server/batches/store-batch-ends.ts'
import type { Pool, TrxClient } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { setBalanceThreshold } from '#server/ledger/set-balance-threshold.ts'
import { createApiUser } from '#server/partner-auth/api-users.ts'
import { createPerson } from '#server/people/accounts.ts'
import { activatePolicy, proposePolicy } from '#server/policy/policies.ts'
import { writePrivateFile } from '#server/process/instance.ts'
import { saveDraft } from '#server/transactions/payments.ts'
import { withAuditDated } from './history/date-audit.ts'
import { DAY_MS, HISTORY_DAYS, planHistory } from './history/plan-history.ts'
import { poolOfOne } from './history/pool-of-one.ts'
import { simulateHistory } from './history/simulate-history.ts'
import type { Brought, LiveTransaction } from './history/simulation.ts'
import { FIRST_RULES, SECOND_RULES, SEED_APPLICATIONS, type SeedApplication } from './seed-applications.ts'
import { seedAccountChecks, seedDraftBatch, seedRefund, seedWaiting } from './seed-open-work.ts'
import { seedSignedDays } from './seed-signed-days.ts'
import {
  analyse,
  backdateSetup,
  forgetPastNotices,
  hasNoApplication,
  insertBatches,
  lockSeeding,
  passOverSecondLooks,
} from './seed-store.ts'
import { seedWallets } from './seed-wallets.ts'
import { writeSimulatorBooks } from './simulator-books.ts'
import { planCases } from './statement-cases.ts'

type SandboxPerson = { id: string; name: string; email: string; password: string; roles: Role[] }
export type SandboxApplication = {
  name: string
  apiId: string
  apiKey: string
  username: string
  password: string
  webhookSecret: string
  people: SandboxPerson[]
}
/** The content of DATA_DIR/sandbox.json. */
export type SandboxFile = { baseUrl: string; applications: SandboxApplication[] }

/** The part of the file that a later start reads; the rest is kept as it is. */
const storedFileSchema = z.looseObject({ baseUrl: z.string() })

type SeedOptions = { pool: Pool; dataDirectory: string; baseUrl: string; simulatorFolder: string; now: Date }

const SEED = 20_261_120
/** Large enough to try things out; two operators run low. */
const USUAL_TARGET_MINOR = 4_000_000_000n
const LOW_TARGETS: Partial<Record<OperatorCode, bigint>> = { SNFREE: 30_000_000n, MLMOOV: 60_000_000n }

/** A draft that the first maker has not sent: the number is written as before Benin added 01. */
const SEED_DRAFT = {
  externalId: '5b0c1d7e-8a34-4c1f-9e02-7d3f6a9b1c24',
  originId: null,
  content: {
    type: 'DEPOSIT',
    country: 'BENIN',
    operator: 'BJMTN',
    phoneNumber: '22997451208',
    customerName: 'Kossi Adjovi',
    purpose: 'Facture 2026-118',
    amount: '45000',
  },
}

/** Below which balance finance is warned. The two operators with low targets fall below theirs from time to time. */
const THRESHOLDS: readonly { operator: OperatorCode; thresholdMinor: bigint }[] = [
  { operator: 'SNFREE', thresholdMinor: 20_000_000n },
  { operator: 'MLMOOV', thresholdMinor: 50_000_000n },
  { operator: 'OMCM', thresholdMinor: 1_000_000_000n },
]

/**
 * Fills an empty database with the sandbox: two applications, their people and four months of history, in one database
 * transaction, and writes their secrets to DATA_DIR/sandbox.json. A database that holds any application is left alone.
 * A process that is killed meanwhile leaves either nothing or everything. Returns true if it was seeded now.
 */
export async function seedSandbox(options: SeedOptions): Promise<boolean> {
  const file = path.join(options.dataDirectory, 'sandbox.json')
  const unconfirmedFile = `${file}.unconfirmed`
  const isSeeded = demand(
    await withTransaction<boolean, never>(options.pool, async (trx) => {
      await lockSeeding(trx)
      if (!(await hasNoApplication(trx))) return ok(false)
      const applications: SandboxApplication[] = []
      let first: { applicationId: string; financeId: string; administratorId: string } | undefined
      const sent: LiveTransaction[] = []
      const brought: Brought[] = []
      for (const [index, cast] of SEED_APPLICATIONS.entries()) {
        const seeded = await seedApplication(trx, { cast, index, others: applications[0]?.people ?? [], now: options.now })
        applications.push(seeded.application)
        first ??= signersOf(seeded)
        sent.push(...seeded.sent)
        brought.push(...seeded.brought)
      }
      await backdateSetup(trx, setupMs(options.now))
      await passOverSecondLooks(trx)
      await storeBatchEnds(trx)
      await forgetPastNotices(trx)
      const content: SandboxFile = { baseUrl: options.baseUrl, applications }
      writePrivateFile(unconfirmedFile, `${JSON.stringify(content, null, 2)}\n`)
      writeSimulatorBooks(options.simulatorFolder, sent, brought, planCases(sent, options.now.getTime()))
      if (first) demand(await seedSignedDays(trx, { ...first, simulatorFolder: options.simulatorFolder, now: options.now }))
      return ok(true)
    }),
  )
  // The process may be killed between the commit and this line. The next start finds the file and renames it.
  if (existsSync(unconfirmedFile) && (isSeeded || !existsSync(file))) renameSync(unconfirmedFile, file)
  if (isSeeded) await analyse(options.pool)
  else if (existsSync(file)) keepBaseUrl(file, options.baseUrl)
  return isSeeded
}

/** A sandbox may be started again with another port: the file names the address at which it answers now. */
function keepBaseUrl(file: string, baseUrl: string): void {
  const content = storedFileSchema.safeParse(readJson(file))
  if (!content.success || content.data.baseUrl === baseUrl) return
  writePrivateFile(file, `${JSON.stringify({ ...content.data, baseUrl }, null, 2)}\n`)
}

/** Undefined for a file that somebody has changed so that it is no JSON: it is left as it is. */
function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** Everything was set up two days before the first transaction. */
function setupMs(now: Date): number {
  return now.getTime() - (HISTORY_DAYS + 2) * DAY_MS
}

type Seeded = { applicationId: string; application: SandboxApplication; sent: LiveTransaction[]; brought: Brought[] }
type SeedingApplication = { cast: SeedApplication; index: number; others: readonly SandboxPerson[]; now: Date }

async function seedApplication(trx: TrxClient, seeding: SeedingApplication): Promise<Seeded> {
  const { cast, index, now } = seeding
  const pool = poolOfOne(trx)
  const nowMs = now.getTime()
  const { applicationId, apiUserId, policy, application } = await withAuditDated(
    trx,
    () => setupMs(now),
    () => setUp(pool, seeding),
  )
  const random = createRandom(SEED + index)
  const withRole = (role: Role) => application.people.filter((person) => person.roles.includes(role)).map((person) => person.id)
  const planned = planHistory({ random, nowMs, application: cast, makerIds: withRole('maker') })
  const targets = Object.fromEntries(OPERATOR_CODES.map((code) => [code, LOW_TARGETS[code] ?? USUAL_TARGET_MINOR])) as Record<
    OperatorCode,
    bigint
  >
  const history = await simulateHistory(
    { trx, random, nowMs, applicationId, apiUserId, checkerIds: withRole('checker'), policy, targets },
    planned,
  )
  await insertBatches(trx, applicationId)
  const [maker] = withRole('maker')
  if (maker !== undefined) demand(await saveDraft(pool, { applicationId, personId: maker, ...SEED_DRAFT }))
  const [finance] = withRole('finance')
  if (finance !== undefined)
    for (const { operator, thresholdMinor } of THRESHOLDS) {
      const person = { kind: 'person' as const, id: finance, applicationId, roles: ['finance' as const] }
      demand(await setBalanceThreshold(pool, { applicationId, operator, thresholdMinor, actor: person }))
    }
  if (maker !== undefined) {
    await seedDraftBatch(trx, applicationId, maker)
    await seedRefund(trx, applicationId, maker)
  }
  await seedAccountChecks(trx, applicationId)
  demand(await seedWaiting(trx, { applicationId, financeId: finance, administratorIds: withRole('administrator') }))
  return { applicationId, application, ...history }
}

/** The people who prepare and sign days. */
function signersOf({
  applicationId,
  application,
}: Seeded): { applicationId: string; financeId: string; administratorId: string } | undefined {
  const [finance, administrator] = (['finance', 'administrator'] as const).map((role) =>
    application.people.find(({ roles }) => roles.includes(role)),
  )
  return finance && administrator && { applicationId, financeId: finance.id, administratorId: administrator.id }
}

/** Sets the application up through the commands of the back office. */
async function setUp(
  pool: Pool,
  { cast, index, others }: SeedingApplication,
): Promise<{ applicationId: string; apiUserId: string; policy: ApprovalPolicy; application: SandboxApplication }> {
  const actor = SYSTEM_ACTOR
  const { applicationId, apiId, webhookSecret } = demand(await createApplication(pool, { name: cast.name, timeZone: cast.timeZone, actor }))
  // Two administrators of the first application can try how operators are set up.
  if (index === 0) demand(await changeApplication(pool, { applicationId, change: { runsInstallation: true }, actor }))
  if (cast.customerPage) demand(await setCustomerPage(pool, { applicationId, page: cast.customerPage, actor }))
  const { apiKey } = demand(await createApiKey(pool, { applicationId, name: 'Sandbox', actor }))
  const { apiUserId, password } = demand(await createApiUser(pool, { applicationId, username: cast.username, actor }))
  for (const network of ['127.0.0.1', '::1']) demand(await allowAddress(pool, { applicationId, network, note: 'This machine', actor }))
  const people: SandboxPerson[] = []
  for (const { name, email, roles } of cast.people) {
    const person = demand(await createPerson(pool, { applicationId, name, email, roles, actor }))
    const ownPassword = person.password ?? others.find((other) => other.email === email)?.password ?? ''
    people.push({ id: person.personId, name, email, password: ownPassword, roles })
  }
  const administrator = people.find(({ roles }) => roles.includes('administrator'))
  if (index === 0 && administrator) demand(await seedWallets(pool, applicationId, administrator.id))
  const policy = await changeRules(pool, applicationId, index)
  const application = { name: cast.name, apiId, apiKey, username: cast.username, password, webhookSecret, people }
  return { applicationId, apiUserId, policy, application }
}

async function changeRules(pool: Pool, applicationId: string, index: number): Promise<ApprovalPolicy> {
  const rules = index === 0 ? FIRST_RULES : SECOND_RULES
  const { version } = demand(await proposePolicy(pool, { applicationId, rules, actor: SYSTEM_ACTOR }))
  demand(await activatePolicy(pool, { applicationId, version, actor: SYSTEM_ACTOR }))
  return { version, rules: approvalRulesSchema.parse(rules) }
}

function demand<Value>(result: Result<Value, unknown>): Value {
  if (!result.ok) throw new Error(`The sandbox could not be seeded: ${JSON.stringify(result.error)}`)
  return result.value
}
