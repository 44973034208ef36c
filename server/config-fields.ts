import ipaddr from 'ipaddr.js'
import { z } from 'zod'
import { decodeSecretsKey } from '#server/secrets-at-rest/keyring.ts'

export const SECRET_LENGTH_MIN = 32

export const wholeNumber = (minimum: number, maximum: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'must be a whole number')
    .transform(Number)
    .refine((value) => value >= minimum && value <= maximum, `must be between ${minimum} and ${maximum}`)
export const flag = z
  .enum(['1', '0', 'true', 'false', 'on', 'off'], 'must be 1 or 0')
  .transform((text) => ['1', 'true', 'on'].includes(text))
export const postgresUrl = z
  .string()
  .refine(
    (text) => !namesSeveralHosts(text),
    'must name one host: PostgreSQL addresses with several hosts are not supported. Put a proxy such as HAProxy before the servers, which leads to the primary',
  )
  .refine((text) => hasProtocol(text, ['postgres:', 'postgresql:']), 'must be an address like postgres://user:password@host:5432/database')
export const httpUrl = z
  .string()
  .refine((text) => hasProtocol(text, ['http:', 'https:']), 'must be an absolute http or https address')
  .transform((text) => text.replace(/\/+$/, ''))
export const smtpUrl = z
  .string()
  .refine(
    (text) => hasProtocol(text, ['smtp:', 'smtps:']) && new URL(text).hostname !== '',
    'must be an address smtp://host:port or smtps://host:port',
  )
export const secret = z.string().min(SECRET_LENGTH_MIN, `must have at least ${SECRET_LENGTH_MIN} characters`)
const SECRETS_KEY_RULE = 'must have at least 256 bits in base64 or hexadecimal (openssl rand -base64 32)'
export const secretsKey = z.string().refine((text) => decodeSecretsKey(text) !== undefined, SECRETS_KEY_RULE)
export const secretsKeys = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim()))
  .refine((parts) => parts.every((part) => decodeSecretsKey(part) !== undefined), `${SECRETS_KEY_RULE}, with commas between several`)
export const crashCounts = z
  .string()
  .transform((text, context) => {
    try {
      return JSON.parse(text) as unknown
    } catch {
      // Refused with a sentence that names the variable.
      context.addIssue('must be JSON')
      return z.NEVER
    }
  })
  .pipe(z.record(z.string().regex(/^[a-z0-9 ]{1,40}$/), z.int().min(0)))
export const networks = z
  .string()
  .transform((text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean),
  )
  .refine((parts) => parts.every(isNetwork), 'must be addresses or networks (10.0.0.0/8, ::1) with commas between them')

// As OpenTelemetry defines it: key=value pairs with commas, values percent-encoded.
export const exporterHeaders = z.string().transform((text, context) => {
  const pairs = text.split(',').map((pair) => /^ *([\w-]+) *=(.*)$/.exec(pair))
  try {
    return Object.fromEntries(pairs.map((pair) => [String(pair?.[1]).toLowerCase(), decodeURIComponent(String(pair?.[2]).trim())]))
  } catch {
    // Refused with a sentence that names the variable.
    context.addIssue('must be percent-encoded')
    return z.NEVER
  }
})

/** Words with commas between them. */
export const words = z.string().transform((text) =>
  text
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean),
)

function hasProtocol(text: string, protocols: string[]): boolean {
  return URL.canParse(text) && protocols.includes(new URL(text).protocol)
}

/** As libpq takes them: commas in the authority, or in the parameter `host`. */
function namesSeveralHosts(text: string): boolean {
  const [address = '', query = ''] = text.split('?', 2)
  const authority = /^\w+:\/\/(?:[^/]*@)?([^/]*)/.exec(address)?.[1] ?? ''
  return authority.includes(',') || (new URLSearchParams(query).get('host') ?? '').includes(',')
}

function isNetwork(text: string): boolean {
  return ipaddr.isValid(text) || ipaddr.isValidCIDR(text)
}
