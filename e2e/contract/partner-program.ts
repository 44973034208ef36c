import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { z } from 'zod'
import { OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'
import { errorSchema } from '#lib/schemas/api/responses.ts'
import type { ContractService, Partner } from './service.ts'

export const BASE = '/api/v1/transaction'

export type Answer = { status: number; headers: Headers; text: string; json: unknown }

type CallOptions = {
  method?: string
  query?: Record<string, string> | string
  /** An object or array is sent as JSON, a text or bytes as they are. */
  body?: unknown
  /** Instead of the partner's own; undefined removes one. */
  headers?: Record<string, string | undefined>
}

/** Calls like a partner's program: three credentials and a JSON content type on every call, also without a body. */
export async function call(service: ContractService, partner: Partner, path: string, options: CallOptions = {}): Promise<Answer> {
  const { method = 'POST', query, body } = options
  const search = query === undefined ? '' : `?${typeof query === 'string' ? query : new URLSearchParams(query)}`
  const headers = Object.fromEntries(
    Object.entries({ ...partner.headers, ...options.headers }).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
  const target = path.startsWith('/') ? path : `${BASE}/${path}`
  const response = await fetch(service.baseUrl + target + search, { method, headers, body: asBody(body), redirect: 'manual' })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, json: text === '' ? undefined : asJson(text) }
}

function asBody(body: unknown): string | Uint8Array<ArrayBuffer> | undefined {
  if (body === undefined || typeof body === 'string' || body instanceof Uint8Array)
    return body as string | Uint8Array<ArrayBuffer> | undefined
  return JSON.stringify(body)
}

function asJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

type RequestBody = Record<string, unknown> & { externalId: string }

/** A valid body for an operator; each time with an externalId of its own. */
export function aRequest(overrides: Record<string, unknown> = {}, operator: OperatorCode = 'OMCM'): RequestBody {
  const { country } = OPERATORS[operator]
  return {
    transferMethod: operator,
    customerName: 'Awa Ndiaye',
    externalId: randomUUID(),
    phoneNumber: `${country.dialCode}699000111`,
    amount: 5000,
    webhookUrl: 'https://partner.invalid/hooks/payments',
    countryName: country.name,
    ...overrides,
  }
}

/** The body of a 200, checked against its schema; strict schemas also refuse a field too many. */
export function expectOk<Schema extends z.ZodType>(answer: Answer, schema: Schema): z.output<Schema> {
  assert.equal(answer.status, 200, answer.text)
  assert.match(answer.headers.get('content-type') ?? '', /^application\/json/)
  return schema.parse(answer.json)
}

/** An error answer: its status, the five fields, the reason phrase and the path. Returns the message. */
export function expectError(answer: Answer, status: number, path?: string): string {
  assert.equal(answer.status, status, answer.text)
  assert.equal(answer.headers.get('content-type'), 'application/json')
  const body = errorSchema.parse(answer.json)
  assert.equal(body.status, status)
  assert.equal(body.error, REASONS[status])
  assert.ok(Math.abs(Date.parse(body.timestamp) - Date.now()) < 60_000, 'the timestamp is now')
  assert.ok(body.message.length > 0)
  assert.doesNotMatch(body.message, /select |insert |at .*\.ts:|Error:/i, 'neither a stack nor SQL')
  if (path !== undefined) assert.equal(body.path, path)
  return body.message
}

const REASONS: Record<number, string> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  413: 'Payload Too Large',
  415: 'Unsupported Media Type',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
}

/** How many transactions with these externalIds were written. */
export async function countWritten(service: ContractService, externalIds: string[]): Promise<number> {
  const uuids = externalIds.filter((id) => /^[0-9a-f-]{36}$/i.test(id))
  const { rows } = await service.pool.query<{ total: bigint }>(
    'select count(*) as total from transactions where external_id = any ($1::uuid[])',
    [uuids],
  )
  return Number(rows[0]?.total)
}

/** How many transactions the whole service holds. */
export async function countAll(service: ContractService): Promise<number> {
  const { rows } = await service.pool.query<{ total: bigint }>('select count(*) as total from transactions')
  return Number(rows[0]?.total)
}
