import { randomUUID } from 'node:crypto'
import { OPERATOR_CODES, type OperatorCode } from '#lib/operators/operators.ts'
import type { Role } from '#lib/people/permissions.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { fundBalance } from '#server/ledger/fundings.ts'
import { createApiUser } from '#server/partner-auth/api-users.ts'
import { createPerson } from '#server/people/accounts.ts'
import { activatePolicy, proposePolicy } from '#server/policy/policies.ts'
import { createTestPartner, must } from '#server/testing/partner.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { aRequest, call } from './partner-program.ts'
import { type ContractService, type Partner, signIn } from './service.ts'

/** A partner of its own for a test that changes what the partner may do. Known to the service when this resolves. */
export async function newPartner(service: ContractService, options: { networks?: string[] } = {}): Promise<Partner> {
  const partner = await signIn(service.baseUrl, await createTestPartner(service.pool, options))
  await waitUntil('the service knows the partner', async () => {
    const { status } = await call(service, partner, 'getByApplicationProductBalances', { method: 'GET' })
    return options.networks ? status !== 401 : status === 200
  })
  return partner
}

/** The same partner as another of its API users. */
export async function newApiUser(service: ContractService, partner: Partner): Promise<Partner> {
  const username = `second-${randomUUID()}@example.com`
  const { apiUserId, password } = must(
    await createApiUser(service.pool, { applicationId: partner.applicationId, username, actor: SYSTEM_ACTOR }),
  )
  return signIn(service.baseUrl, { ...partner, username, apiUserId, password })
}

/** A person in the partner's application. */
export async function newPerson(service: ContractService, partner: Partner, roles: Role[]): Promise<string> {
  const email = `${randomUUID()}@example.com`
  return must(
    await createPerson(service.pool, { applicationId: partner.applicationId, email, name: 'A person', roles, actor: SYSTEM_ACTOR }),
  ).personId
}

/** Puts money on the partner's deposit balance at an operator. Hundredths. */
export async function fundDeposits(service: ContractService, partner: Partner, operator: OperatorCode, amountMinor: bigint): Promise<void> {
  const { applicationId } = partner
  must(
    await withTransaction(service.pool, (trx) =>
      fundBalance(trx, { applicationId, operator, amountMinor, fundingId: randomUUID(), actorId: null, reason: 'contract' }),
    ),
  )
}

/**
 * From now on what the partner's API starts above `aboveMinor` (hundredths, of XAF and of XOF) waits for the checkers of `approvals`, whose decisions the
 * API may send in unless `change` says otherwise.
 */
export async function demandApproval(
  service: ContractService,
  partner: Partner,
  aboveMinor: bigint,
  approvals: number[] = [1],
  change: { apiMayDecide?: boolean | undefined } = { apiMayDecide: true },
): Promise<void> {
  const { applicationId } = partner
  const [first, second] = [SYSTEM_ACTOR, SYSTEM_ACTOR]
  const rules = [
    {
      name: 'Large',
      sources: ['api'],
      types: ['COLLECT', 'DEPOSIT'],
      operators: [...OPERATOR_CODES],
      limits: { XAF: String(aboveMinor), XOF: String(aboveMinor) },
      approvals,
      ...change,
    },
  ]
  const { version } = must(await proposePolicy(service.pool, { applicationId, rules, actor: first }))
  must(await activatePolicy(service.pool, { applicationId, version, actor: second }))
  await waitUntil('the rule is in force', async () => {
    const answer = await call(service, partner, 'deposit', { body: aRequest({ amount: Number(aboveMinor / 100n) + 1 }) })
    return (answer.json as { transactionStatus?: string }).transactionStatus === 'PENDING_APPROVAL'
  })
}
