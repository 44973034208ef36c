import { formatMinor } from '#lib/money/money.ts'
import type { DisturbedDirection } from '#lib/operators/operator-outcomes.ts'
import { OPERATOR_CODES, OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'
import type { TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import { ok } from '#lib/result.ts'
import type { OperatorStatus } from '#lib/schemas/api/operator-responses.ts'
import { jsonNumber } from '#lib/schemas/api/settlement-responses.ts'
import { emptyQuerySchema } from '#lib/schemas/queries.ts'
import { serviceFor } from '#server/applications/snapshot.ts'
import type { Call, PartnerEndpoint } from '#server/http/api/endpoint.ts'
import { readQuery } from '#server/http/api/read-query.ts'
import { listDisturbed } from '#server/operators/availability/disturbed.ts'
import { limitsFor } from '#server/transactions/find-start-problems.ts'

export const OPERATORS_PATH = '/api/v2/operators'

/** GET /api/v2/operators: what the caller can send to each operator now, and within which amounts. */
export const operatorStatuses: PartnerEndpoint = {
  kind: 'partner',
  isLimited: true,
  name: 'operators',
  scope: 'payments:read',
  method: 'GET',
  path: OPERATORS_PATH,
  async answer(call) {
    const query = readQuery(call.request, emptyQuerySchema)
    if (!query.ok) return query
    const disturbed = await listDisturbed(call.runtime.reportPool, call.caller.application.applicationId)
    return ok(JSON.stringify(OPERATOR_CODES.map((operator) => describeOperator(call, operator, disturbed))))
  },
}

function describeOperator(call: Call, operator: OperatorCode, disturbed: readonly DisturbedDirection[]): OperatorStatus {
  const { brand, country } = OPERATORS[operator]
  return {
    transferMethod: operator,
    brand,
    countryName: country.name,
    currency: country.currency,
    collect: describeDirection(call, operator, 'COLLECT', disturbed),
    deposit: describeDirection(call, operator, 'DEPOSIT', disturbed),
  }
}

function describeDirection(
  { runtime, caller }: Call,
  operator: OperatorCode,
  type: TransactionType,
  disturbed: readonly DisturbedDirection[],
): OperatorStatus['collect'] {
  const service = serviceFor(caller.application, operator, type)
  const { limits, areBinding } = limitsFor(caller.application, runtime.connectors, operator, type)
  const found = disturbed.filter((each) => each.operator === operator && each.type === type)
  // An operator that does not answer is the reason that is mended first.
  const disturbance = found.find(({ state }) => state === 'CLOSED') ?? found[0]
  const isRefused = !service.isEnabled || !runtime.connectors.has(operator, type)
  return {
    state: service.isEnabled ? (isRefused ? 'NOT_IN_SERVICE' : (disturbance?.state ?? 'OPERATIONAL')) : 'DISABLED',
    since: isRefused ? null : (disturbance?.since ?? null),
    minimumAmount: jsonNumber(formatMinor(limits.minimumMinor)),
    maximumAmount: jsonNumber(formatMinor(limits.maximumMinor)),
    amountMultiple: limits.multipleMinor === null ? null : jsonNumber(formatMinor(limits.multipleMinor)),
    enforcesLimits: areBinding,
  }
}
