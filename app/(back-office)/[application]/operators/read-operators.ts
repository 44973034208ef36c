import { formatMinor } from '#lib/money/money.ts'
import type { Availability, DirectionOutcomes, DisturbedDirection } from '#lib/operators/operator-outcomes.ts'
import { OPERATOR_CODES, type OperatorCode } from '#lib/operators/operators.ts'
import { TRANSACTION_TYPES, type TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import { can } from '#lib/people/permissions.ts'
import { OPEN_SERVICE } from '#server/applications/snapshot.ts'
import { listServices, runsInstallation } from '#server/applications/terms-store.ts'
import type { BackOfficeActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { listAvailability } from '#server/operators/availability/availability-store.ts'
import { listDisturbed } from '#server/operators/availability/disturbed.ts'
import { listBalancesFor } from '#server/operators/balances/balance-store.ts'
import { readOperatorOutcomes } from '#server/reports/operator-outcomes/read-operator-outcomes.ts'

/** One direction of an operator now. `protocol` null: nothing can be submitted there. */
export type DirectionState = {
  operator: OperatorCode
  type: TransactionType
  isEnabled: boolean
  protocol: string | null
  state: Availability
  since: string | null
  /** The fault of ours for which it is CLOSED until an administrator opens it again. */
  fault: string | null
  /** An administrator has, and the next payment tries whether the fault is gone. */
  isReopened: boolean
}

/** Whether an administrator has to open it again. */
export function isClosedForFault({ fault, isReopened }: DirectionState): boolean {
  return fault !== null && !isReopened
}

export type OperatorDirection = DirectionOutcomes & DirectionState

/** The last balance that an operator reported, as decimals; null if not checked yet, or not shown to this application. */
export type ReportedBalance = {
  operator: OperatorCode
  isConnected: boolean
  checkedAt: string | null
  differsSince: string | null
  difference: string | null
  reported: string | null
  ledger: string | null
}

/** Everything on the page of all operators, except what was proposed. `mayConfigure`: the viewer's application runs the installation. */
export async function readOperators(
  actor: BackOfficeActor,
): Promise<{ directions: OperatorDirection[]; balances: ReportedBalance[]; short: DisturbedDirection[]; mayConfigure: boolean }> {
  const { pool, reportPool, clock, forcedEnquiries } = backOfficeRuntime()
  const [outcomes, balances, states, disturbed, runsIt] = await Promise.all([
    readOperatorOutcomes(reportPool, actor, { now: clock.now() }),
    listBalancesFor(pool, actor.applicationId),
    readDirectionStates(actor.applicationId),
    listDisturbed(pool, actor.applicationId),
    runsInstallation(pool, actor.applicationId),
  ])
  return {
    directions: outcomes.flatMap((outcome) =>
      states
        .filter(({ operator, type }) => operator === outcome.operator && type === outcome.type)
        .map((state) => ({ ...outcome, ...state })),
    ),
    short: disturbed.filter(({ state }) => state === 'SHORT'),
    mayConfigure: runsIt && can(actor.roles, 'operator:configure'),
    balances: OPERATOR_CODES.map((operator) => {
      const found = balances.find((balance) => balance.operator === operator)
      return { operator, isConnected: forcedEnquiries.connectors.get(operator) !== undefined, ...shownBalance(found) }
    }),
  }
}

/** Both directions of one operator or of all. The connectors are those of this process, which follow the stored settings within a second. */
export async function readDirectionStates(applicationId: string, only?: OperatorCode): Promise<DirectionState[]> {
  const { pool, forcedEnquiries } = backOfficeRuntime()
  const [availability, services] = await Promise.all([listAvailability(pool), listServices(pool, applicationId)])
  return (only ? [only] : OPERATOR_CODES).flatMap((operator) =>
    TRANSACTION_TYPES.map((type): DirectionState => {
      const isOwn = (row: { operator: string; type: string }) => row.operator === operator && row.type === type
      const circuit = availability.find(isOwn)
      // A route is a protocol and the operator's environment.
      const route = forcedEnquiries.connectors.get(operator)?.terms.routes.get(type)
      return {
        operator,
        type,
        isEnabled: (services.find(isOwn) ?? OPEN_SERVICE).isEnabled,
        protocol: route?.split(' ')[0] ?? null,
        state: circuit?.state ?? 'OPERATIONAL',
        since: circuit && circuit.state !== 'OPERATIONAL' ? circuit.since.toISOString() : null,
        fault: circuit?.fault ?? null,
        isReopened: circuit?.isReopened ?? false,
      }
    }),
  )
}

type Balance = Awaited<ReturnType<typeof listBalancesFor>>[number]

function shownBalance(balance: Balance | undefined): Omit<ReportedBalance, 'operator' | 'isConnected'> {
  const text = (minor: bigint | null) => (minor === null ? null : formatMinor(minor))
  if (!balance) return { checkedAt: null, differsSince: null, difference: null, reported: null, ledger: null }
  const { differenceMinor, ledgerMinor, isOnlyOurs } = balance
  return {
    checkedAt: balance.checkedAt.toISOString(),
    differsSince: balance.differsSince?.toISOString() ?? null,
    difference: text(differenceMinor),
    reported: isOnlyOurs && differenceMinor !== null ? text(ledgerMinor + differenceMinor) : null,
    ledger: isOnlyOurs ? text(ledgerMinor) : null,
  }
}
