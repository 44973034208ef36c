import type { CaseMaker, Family, StatusRule } from '#e2e/attack/case.ts'
import { draw, noDays, noIds } from '#e2e/attack/values.ts'
import { credentials, JSON_CONTENT, oneRequest } from '#e2e/attack/wire/request.ts'
import type { ApiScope } from '#lib/partner/api-scopes.ts'
import { get } from './v2-requests.ts'

const encoded = (text: string) => Buffer.from(text).toString('base64url')

const cursors: CaseMaker = {
  name: 'cursors that are none',
  make(random, arsenal) {
    const batch = `batches/${arsenal.program.holdings.examples.programBatchId}`
    const list = random.pick(['transactions', 'batches', batch])
    const id = random.uuid()
    const text = random.pick([
      'x',
      '%00',
      '%FF%FE',
      encoded('v1.'),
      encoded('v1.-1'),
      encoded('v1.1e9'),
      encoded('v1.9999999999999999999'),
      encoded('v2.1'),
      encoded('b1.x'),
      encoded(`b1.${id}x`),
      encoded(`b1.${id} or true`),
      encoded("b1.' or 1=1"),
      encoded('v1.1\u0000'),
      'A'.repeat(101),
      encodeURIComponent(draw(random, noIds).toWellFormed()),
    ])
    // An empty text decodes to nothing; so does one that base64 knows no letter of.
    return get(`the cursor ${text.slice(0, 40)}`, arsenal, `${list}?cursor=${text}`, [400])
  },
}

const events: CaseMaker = {
  name: 'cursors of webhooks',
  make(random, arsenal) {
    const [after, status] = random.pick([
      ['w1.0.0', 200],
      ['w1.999999999999999999.999999999999999999', 200],
      ['w1.9999999999999999999.0', 400],
      ['w1.-1.0', 400],
      ['w1.0', 400],
      ['w2.0.0', 400],
      ['x', 400],
      ['w1.0.0%00', 400],
      ['w1.%31.0', 200],
      ['w1.٣.0', 400],
      ['', 400],
    ] as const)
    return get(`after ${after}`, arsenal, `webhook-events?after=${after}&wait=${random.pick(['0', '1'])}`, [status, 429])
  },
}

const reports: CaseMaker = {
  name: 'settlement reports of days that are none',
  make(random, arsenal) {
    const day = encodeURIComponent(draw(random, noDays).toWellFormed())
    const [target, statuses] = random.pick<readonly [string, readonly StatusRule[]]>([
      [`settlement-reports?from=${day}&to=2026-11-30`, [400]],
      [`settlement-reports?from=2026-11-01&to=${day}`, [400]],
      ['settlement-reports?from=2026-01-01&to=2026-12-31', [400]],
      ['settlement-reports?from=2026-12-01&to=2026-11-01', [400]],
      ['settlement-reports?from=0001-01-01&to=9999-12-31', [400]],
      ['settlement-reports?from=2026-11-01&to=2026-11-30&wallet=NONE', [400]],
      ['settlement-reports/OMCM/2026-02-30', [400]],
      ['settlement-reports/NONE/2026-11-05', [404]],
      ['settlement-reports/OMCM/9999-12-31', [404]],
      [`settlement-reports/OMCM/2026-11-05?format=xml`, [400]],
      [`settlement-reports/OMCM/2026-11-05?page=-1`, [400]],
      [`settlement-reports/OMCM/2026-11-05?size=1001`, [400]],
    ])
    return get('a report', arsenal, target, statuses)
  },
}

/** The scope that each address requires, from the documentation. */
const SCOPED: readonly (readonly [method: 'GET' | 'POST', target: string, scope: ApiScope])[] = [
  ['POST', '/api/v2/collects', 'payments:write'],
  ['POST', '/api/v2/deposits', 'payments:write'],
  ['POST', '/api/v2/batches', 'payments:write'],
  ['GET', '/api/v2/batches', 'payments:read'],
  ['GET', '/api/v2/batches/{batch}', 'payments:read'],
  ['POST', '/api/v2/batches/{batch}/cancel', 'payments:write'],
  ['GET', '/api/v2/transactions', 'payments:read'],
  ['POST', '/api/v2/transactions/{deposit}/cancel', 'payments:write'],
  ['POST', '/api/v2/transactions/{deposit}/refunds', 'refunds:write'],
  ['GET', '/api/v2/transactions/{deposit}/refunds', 'payments:read'],
  ['POST', '/api/v2/account-checks', 'accounts:read'],
  ['GET', '/api/v2/operators', 'payments:read'],
  ['GET', '/api/v2/settlement-reports?from=2026-11-01&to=2026-11-02', 'reports:read'],
  ['GET', '/api/v2/settlement-reports/OMCM/2026-11-05', 'reports:read'],
  ['GET', '/api/v2/webhook-events', 'payments:read'],
  ['POST', '/api/v1/transaction/collect', 'payments:write'],
  ['POST', '/api/v1/transaction/depositMultiple', 'payments:write'],
  ['POST', '/api/v1/transaction/transaction-status?id={deposit}', 'payments:read'],
  ['GET', '/api/v1/transaction/getByApplicationProduct?page=0&size=1', 'payments:read'],
  ['POST', '/api/v1/transaction/validateTransaction?transactionId={deposit}&checkerId={deposit}&payeeNote=x', 'approvals:write'],
]

const scopes: CaseMaker = {
  name: 'keys of one scope',
  make(random, arsenal) {
    const { holdings } = arsenal.program
    const { scope, apiKey } = random.pick(holdings.limitedKeys)
    const [method, pattern, needed] = random.pick(SCOPED)
    const target = pattern.replace('{batch}', holdings.examples.programBatchId).replaceAll('{deposit}', holdings.depositId)
    const headers = credentials({ ...arsenal, program: { ...arsenal.program, apiKey } })
    // Nothing is started by an empty object, whatever the key.
    const parts = {
      method,
      target,
      headers: [...headers, JSON_CONTENT, ['Idempotency-Key', random.uuid()] as const],
      ...(method === 'POST' && { body: '{}' }),
    }
    const isRefused = ([answer]: readonly { status: number; body: string }[]) =>
      answer?.status === 403 && answer.body.includes('scopes do not include')
    return oneRequest(`${method} ${pattern} with a key for ${scope}`, parts, scope === needed ? ['2xx', '4xx'] : [403], {
      inspect: (answers) => (scope === needed && isRefused(answers) ? 'the key was refused what it is for' : undefined),
    })
  },
}

export const v2Reads: Family = { name: 'v2-reads', weight: 4, makers: [cursors, cursors, events, reports, scopes, scopes] }
