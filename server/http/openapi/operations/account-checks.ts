import type { AccountCheckResponse } from '#lib/schemas/api/operator-responses.ts'
import { accountCheckRequestSchema } from '#lib/schemas/api/transaction-request.ts'
import { parseFields } from '#lib/schemas/fields.ts'
import { ACCOUNT_CHECKS_PATH, refuseCheck } from '#server/http/endpoints/v2/account-checks.ts'
import { ANY_BODY, ANY_LIMITED_CALLER, anyRequest, badInput, cause } from '../error-causes.ts'
import { readExample } from '../input-causes.ts'
import { type Operation, ref } from '../operation.ts'

const CHECKED = {
  transferMethod: 'MOMOCM',
  phoneNumber: '237677209341',
  status: 'ACTIVE',
  holderName: 'CLARISSE M.',
  checkedAt: '2026-11-05T09:12:30.000Z',
} as const satisfies AccountCheckResponse

const NOW = new Date(CHECKED.checkedAt)
const LATER = new Date('2026-11-06T07:40:00.000Z')

function problemsOf(text: string): string[] {
  const parsed = parseFields(accountCheckRequestSchema, readExample(text))
  return parsed.ok ? [] : parsed.error
}

export const ACCOUNT_CHECK_OPERATIONS: Operation[] = [
  {
    path: ACCOUNT_CHECKS_PATH,
    method: 'post',
    id: 'checkAccount',
    tag: 'Operators',
    summary: 'Check the account of a phone number',
    description:
      'Asks the operator whether the number has an account, before you send money to it. MTN, Airtel, Orange in Cameroon and Moov answer; they also ' +
      'name the holder, of whom you receive the first word and initials. Compare them with the name that you know: the order and the ' +
      'spelling can differ.\n\n' +
      'The answer is stored for 24 hours, and repeating the request meanwhile returns it again. Other requests count: an application may check a ' +
      'limited number of accounts within 24 hours, and each API user a quarter of them. Check an account when you pay to it for the first time, not ' +
      'before every payment.',
    body: {
      schema: ref('AccountCheckRequest'),
      description: 'The account.',
      example: { transferMethod: CHECKED.transferMethod, phoneNumber: CHECKED.phoneNumber },
    },
    answer: {
      schema: ref('AccountCheck'),
      description: 'What the operator says.',
      examples: {
        active: { summary: 'An active account', value: CHECKED },
        not_registered: {
          summary: 'The operator has no account with this number',
          value: { ...CHECKED, status: 'NOT_REGISTERED', holderName: null },
        },
        not_offered: {
          summary: 'The operator has no such check',
          value: {
            ...CHECKED,
            transferMethod: 'SNWAVE',
            phoneNumber: '221771234567',
            status: 'NOT_OFFERED',
            holderName: null,
            checkedAt: null,
          },
        },
      },
    },
    causes: [
      cause(
        'field_invalid',
        badInput(problemsOf('{"transferMethod":"MOMOCM","phoneNumber":"677209341"}')),
        'A field is missing or wrong',
        'Correct the fields that the message names.',
      ),
      cause(
        'checks_disabled',
        refuseCheck({ code: 'disabled' }, NOW),
        'Two administrators have set the account checks of the application to 0',
        'They change it under Application.',
      ),
      cause(
        'checks_of_user_used_up',
        refuseCheck({ code: 'limited', of: 'asker', possibleAt: LATER }, NOW),
        'The API user has used a quarter of the account checks of the application within 24 hours',
        'Continue at the time in the message. The payment itself needs no check.',
      ),
      cause(
        'checks_used_up',
        refuseCheck({ code: 'limited', of: 'application', possibleAt: LATER }, NOW),
        'The account checks of the application within 24 hours are used up',
        'Continue at the time in the message. The payment itself needs no check.',
      ),
      cause(
        'checks_busy',
        refuseCheck({ code: 'busy', retryAfterMs: 1_000 }, NOW),
        'Many applications have accounts checked at this operator at the moment',
        'Retry after the seconds in Retry-After.',
      ),
      ...ANY_BODY,
      ...ANY_LIMITED_CALLER,
      ...anyRequest('POST'),
    ],
  },
]
