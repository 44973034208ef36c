import type { Arsenal } from '#e2e/attack/arsenal.ts'
import type { AttackCase, Expectation, StatusRule, Step } from '#e2e/attack/case.ts'

export type Header = readonly [name: string, value: string]

type RequestParts = {
  method?: string
  target: string
  version?: string
  headers?: readonly Header[]
  /** Sent with its Content-Length unless `length` says otherwise. */
  body?: string | Uint8Array
  length?: 'declared' | 'none'
  host?: string | null
}

/** An answer is due within this time where nothing makes the service wait; generous, because other programs share the machine. */
export const LIMIT_MS = 10_000

/** The bytes of one request. Texts are written as UTF-8, header values as latin1. */
export function requestBytes({ method = 'GET', target, version = 'HTTP/1.1', headers = [], body, length, host }: RequestParts): Buffer {
  const content = body === undefined ? undefined : Buffer.from(body)
  const lines = [`${method} ${target} ${version}`]
  if (host !== null) lines.push(`Host: ${host ?? '127.0.0.1'}`)
  for (const [name, value] of headers) lines.push(`${name}: ${value}`)
  if (length !== 'none' && content) lines.push(`Content-Length: ${content.length}`)
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
  return content ? Buffer.concat([head, content]) : head
}

/** The three credentials of the program that attacks. */
export function credentials({ program }: Arsenal): Header[] {
  return [
    ['apiKey', program.apiKey],
    ['apiId', program.apiId],
    ['Authorization', `Bearer ${program.accessToken}`],
  ]
}

export const JSON_CONTENT: Header = ['Content-Type', 'application/json']

/** The path of a target, as error bodies repeat it. */
function pathOf(target: string): string {
  const local = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?#]*/i, '')
  return local.split('?', 1)[0] ?? ''
}

/** A case of one whole request that gets one answer. */
export function oneRequest(
  what: string,
  parts: RequestParts,
  statuses: readonly StatusRule[],
  more: Partial<Expectation> & Pick<AttackCase, 'starts' | 'makes' | 'from'> = {},
): AttackCase {
  const { starts, makes, from, ...expectation } = more
  return {
    what,
    steps: [{ do: 'write', bytes: requestBytes(parts) }],
    methods: [parts.method ?? 'GET'],
    expect: { statuses: [statuses], answers: 1, limitMs: LIMIT_MS, path: pathOf(parts.target), ...expectation },
    ...(starts && { starts }),
    ...(makes && { makes }),
    ...(from && { from }),
  }
}

/** A case of raw bytes, for input that is not a valid request. */
export function rawRequest(
  what: string,
  text: string | Uint8Array,
  statuses: readonly StatusRule[],
  more: Partial<Expectation> & { methods?: readonly string[]; starts?: readonly string[]; from?: string } = {},
): AttackCase {
  const { methods = ['GET'], starts, from, ...expectation } = more
  const bytes = typeof text === 'string' ? Buffer.from(text, 'latin1') : text
  return {
    what,
    steps: [{ do: 'write', bytes }],
    methods,
    expect: { statuses: [statuses], answers: 1, limitMs: LIMIT_MS, ...expectation },
    ...(starts && { starts }),
    ...(from && { from }),
  }
}

/** The same case with other steps. */
export function withSteps(attack: AttackCase, steps: readonly Step[]): AttackCase {
  return { ...attack, steps }
}
