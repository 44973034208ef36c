import type { AccountCheck } from '#lib/operators/account-check.ts'
import { err, ok } from '#lib/result.ts'
import type { ACCOUNT_STATUSES, AccountCheckResponse } from '#lib/schemas/api/operator-responses.ts'
import { accountCheckRequestSchema } from '#lib/schemas/api/transaction-request.ts'
import { joinProblems, parseFields } from '#lib/schemas/fields.ts'
import type { CheckRefusal } from '#server/account-checks/check-account.ts'
import type { PartnerEndpoint } from '#server/http/api/endpoint.ts'
import { type Refusal, refuse } from '#server/http/api/errors.ts'
import { BODY_BYTES_MAX, readJsonBody } from '#server/http/api/read-json-body.ts'

export const ACCOUNT_CHECKS_PATH = '/api/v2/account-checks'

const STATUSES: Readonly<Record<AccountCheck['answer'], (typeof ACCOUNT_STATUSES)[number]>> = {
  active: 'ACTIVE',
  not_registered: 'NOT_REGISTERED',
  barred: 'BARRED',
  unknown: 'UNKNOWN',
  not_offered: 'NOT_OFFERED',
}

/** POST /api/v2/account-checks: asks an operator about the account of a number. */
export const accountChecks: PartnerEndpoint = {
  kind: 'partner',
  isLimited: true,
  name: 'account-checks',
  scope: 'accounts:read',
  method: 'POST',
  path: ACCOUNT_CHECKS_PATH,
  async answer({ runtime, request, caller }) {
    const { applicationId } = caller.application
    const body = await readJsonBody(request, BODY_BYTES_MAX, { kind: 'application', id: applicationId })
    if (!body.ok) return body
    const parsed = parseFields(accountCheckRequestSchema, body.value)
    if (!parsed.ok) return err(refuse(400, 'fields_invalid', joinProblems(parsed.error)))
    const { transferMethod: operator, phoneNumber } = parsed.value
    const asker = { kind: 'api', id: caller.apiUserId } as const
    const checked = await runtime.accountChecks.check({ applicationId, operator, phoneNumber, asker })
    return checked.ok ? ok(JSON.stringify(toJson(checked.value))) : err(refuseCheck(checked.error, runtime.clock.now()))
  },
}

function toJson({ operator, phoneNumber, answer, holderName, checkedAt }: AccountCheck): AccountCheckResponse {
  return { transferMethod: operator, phoneNumber, status: STATUSES[answer], holderName, checkedAt }
}

/** Returns the response to a check that was not made. */
export function refuseCheck(refusal: CheckRefusal, now: Date): Refusal {
  if (refusal.code === 'disabled')
    return refuse(
      403,
      'account_checks_disabled',
      'Account checks are disabled for this application: two of its administrators can allow them.',
    )
  const after = (ms: number) => ({ 'retry-after': String(Math.max(1, Math.ceil(ms / 1_000))) })
  if (refusal.code === 'busy')
    return refuse(
      429,
      'operator_busy',
      'Too many accounts are being checked at this operator. Try again after the seconds in Retry-After.',
      after(refusal.retryAfterMs),
    )
  const { of, possibleAt } = refusal
  return refuse(
    429,
    'account_checks_used_up',
    `The account checks of this ${of === 'asker' ? 'API user' : 'application'} within 24 hours are used up. The next one is possible at ${possibleAt.toISOString()}.`,
    after(possibleAt.getTime() - now.getTime()),
  )
}
