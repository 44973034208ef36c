import { createHmac, timingSafeEqual } from 'node:crypto'

/** An older signature is refused: a recorded callback cannot be replayed later. */
const AGE_MS_MAX = 300_000

type Signed = { secret: string; header: string | string[] | undefined; body: Buffer; now: Date }

/**
 * Whether `t=<seconds>,v1=<hex>` signs these bytes, and did so within five minutes. The signature is the HMAC-SHA256 of the time, the
 * separator of the operator and the raw body. While a secret is replaced there are several `v1`, of which one must fit.
 */
export function isSigned({ secret, header, body, now }: Signed, separator: string): boolean {
  if (typeof header !== 'string') return false
  const parts = header.split(',').map((part) => part.trim())
  const time = parts.find((part) => part.startsWith('t='))?.slice(2) ?? ''
  if (!/^\d{1,12}$/.test(time) || Math.abs(now.getTime() - Number(time) * 1_000) > AGE_MS_MAX) return false
  const expected = createHmac('sha256', secret)
    .update(time + separator)
    .update(body)
    .digest()
  return parts
    .filter((part) => part.startsWith('v1='))
    .some((part) => {
      const given = Buffer.from(part.slice(3), 'hex')
      return given.length === expected.length && timingSafeEqual(given, expected)
    })
}
