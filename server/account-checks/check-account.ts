import { randomUUID } from 'node:crypto'
import { type AccountCheck, checksPerActor, checksPerFile } from '#lib/operators/account-check.ts'
import type { OperatorCode } from '#lib/operators/operators.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { done, runRecorded } from '#server/audit/run-command.ts'
import type { Pool, Queryable } from '#server/database/pool.ts'
import { createRateLimit } from '#server/rate-limit.ts'
import {
  type Account,
  type Asker,
  findLimitEnd,
  insertCheck,
  lockChecks,
  readChecksMax,
  removeChecks,
  selectAnswers,
  storeAnswer,
} from './account-check-store.ts'

/** Of all applications at one operator, in each process: a look-up must never take what payments need. */
const OF_OPERATOR = { burst: 30, perSecond: 1 }
/** At one operator, in each process. One that does not answer holds no more than these. */
const IN_PROGRESS_MAX = 4

type Answered = { kind: 'active'; holderName?: string | undefined } | { kind: 'not_registered' | 'barred' | 'unknown' }

/** The operators, as far as they are asked about accounts; their connectors are in a layer above. */
type AskedOperators = {
  get(operator: OperatorCode): { checkAccount?(phoneNumber: string): Promise<Answered> } | undefined
}

type CheckDeps = { pool: Pool; connectors: AskedOperators; nowMs(): number }

/** `batchId`: the account is in a row of this file. */
type CheckCommand = Account & { applicationId: string; asker: Asker; batchId?: string | null }

export type CheckRefusal =
  /** The asker, the file or the whole application has used up what 24 hours allow. */
  | { code: 'limited'; of: 'asker' | 'file' | 'application'; possibleAt: Date }
  /** The application may check no accounts. */
  | { code: 'disabled' }
  /** Too many at this operator at the same moment. */
  | { code: 'busy'; retryAfterMs: number }

type Checked = Result<AccountCheck, CheckRefusal>

/** Checks of customers' accounts; one per process. */
export type AccountChecks = {
  /**
   * Returns whether an account exists at its operator, and the masked name of its holder where the operator offers one. An answer of the last 24
   * hours to the same application is returned again, and counts for nobody. The operator is asked outside any database transaction.
   */
  check(command: CheckCommand): Promise<Checked>
  /** Whether the operator can be asked about accounts. */
  offers(operator: OperatorCode): boolean
}

export function createAccountChecks({ connectors, pool, nowMs }: CheckDeps): AccountChecks {
  const operators = createRateLimit({ ...OF_OPERATOR, nowMs })
  const inProgress = new Map<OperatorCode, number>()

  async function inTurn(operator: OperatorCode, work: () => Promise<Checked>): Promise<Checked> {
    const count = inProgress.get(operator) ?? 0
    const retryAfterMs = count >= IN_PROGRESS_MAX ? 1_000 : operators.take(operator).retryAfterMs
    if (retryAfterMs !== undefined) return err({ code: 'busy', retryAfterMs })
    inProgress.set(operator, count + 1)
    try {
      return await work()
    } finally {
      inProgress.set(operator, (inProgress.get(operator) ?? 1) - 1)
    }
  }

  return {
    offers: (operator) => connectors.get(operator)?.checkAccount !== undefined,
    async check(command) {
      const { applicationId, operator, phoneNumber } = command
      const connector = connectors.get(operator)
      const { checkAccount } = connector ?? {}
      if (!checkAccount) return ok({ operator, phoneNumber, answer: 'not_offered', holderName: null, checkedAt: null })
      const known = await readKnownAccount(pool, applicationId, command)
      if (known) return ok(known)
      // Before the operator's turn is taken: who has used up their own must not use up that of others.
      const refusal = await refuseCheck(pool, command)
      if (refusal) return err(refusal)
      return inTurn(operator, async () => {
        const started = await startCheck(pool, command)
        if (!started.ok) return started
        if ('known' in started.value) return ok(started.value.known)
        const { id, at } = started.value
        const outcome = await checkAccount(phoneNumber)
        const holderName = (outcome.kind === 'active' && outcome.holderName) || null
        await storeAnswer(pool, applicationId, { id, answer: outcome.kind, holderName })
        return ok({ operator, phoneNumber, answer: outcome.kind, holderName, checkedAt: at.toISOString() })
      })
    },
  }
}

type Started = { known: AccountCheck } | { id: string; at: Date }

/** Counts the check, and records who asked about which number, before the operator is asked: neither a crash nor a slow operator makes it free. */
function startCheck(pool: Pool, command: CheckCommand): Promise<Result<Started, CheckRefusal>> {
  const { applicationId, asker, operator, phoneNumber, batchId = null } = command
  return runRecorded<Started, CheckRefusal>(pool, { applicationId, actor: asker }, async (trx) => {
    await lockChecks(trx, applicationId)
    // Somebody else may have asked while this one waited.
    const known = await readKnownAccount(trx, applicationId, command)
    if (known) return done<Started>(null, { known })
    const refusal = await refuseCheck(trx, command)
    if (refusal) return err(refusal)
    const id = randomUUID()
    const at = await insertCheck(trx, applicationId, { id, asker, operator, phoneNumber, batchId })
    // Never what was answered: the audit record is kept for ever, and must not become a list of names.
    return done<Started>({ action: 'account.checked', subject: operator, details: { phoneNumber } }, { id, at })
  })
}

async function refuseCheck(trx: Queryable, { applicationId, asker, batchId = null }: CheckCommand): Promise<CheckRefusal | undefined> {
  const max = await readChecksMax(trx, applicationId)
  if (max === 0) return { code: 'disabled' }
  const counted: ({ of: Extract<CheckRefusal, { code: 'limited' }>['of'] } & Parameters<typeof findLimitEnd>[2])[] = [
    { of: 'asker', asker, batchId: null, nth: checksPerActor(max) },
    ...(batchId === null ? [] : [{ of: 'file' as const, asker: null, batchId, nth: checksPerFile(max) }]),
    { of: 'application', asker: null, batchId: null, nth: max },
  ]
  for (const { of, ...count } of counted) {
    const possibleAt = await findLimitEnd(trx, applicationId, count)
    if (possibleAt) return { code: 'limited', of, possibleAt }
  }
  return undefined
}

/** Returns what operators told this application about these accounts within 24 hours; those that they said nothing about are missing. Asks nobody. */
export async function readKnownAccounts(
  queryable: Queryable,
  applicationId: string,
  accounts: readonly Account[],
): Promise<AccountCheck[]> {
  const answers = await selectAnswers(queryable, applicationId, accounts)
  return answers.map((answer) => ({ ...answer, checkedAt: answer.checkedAt.toISOString() }))
}

/** The same of one account. */
export async function readKnownAccount(
  queryable: Queryable,
  applicationId: string,
  { operator, phoneNumber }: Account,
): Promise<AccountCheck | undefined> {
  return (await readKnownAccounts(queryable, applicationId, [{ operator, phoneNumber }]))[0]
}

/** Stores an answer that an asker received, with what it counts. For data that is made up: `check` asks the operator itself. */
export async function storeKnownAccount(
  trx: Queryable,
  { applicationId, asker, operator, phoneNumber }: CheckCommand,
  { answer, holderName }: Pick<Parameters<typeof storeAnswer>[2], 'answer' | 'holderName'>,
): Promise<void> {
  const id = randomUUID()
  await insertCheck(trx, applicationId, { id, asker, operator, phoneNumber })
  await storeAnswer(trx, applicationId, { id, answer, holderName })
}

/** Removes what is older than a day: no name outlives its use. */
export async function forgetAccountChecks(queryable: Queryable): Promise<void> {
  await removeChecks(queryable)
}
