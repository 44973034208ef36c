import { createHmac, timingSafeEqual } from 'node:crypto'

const AGE_MS_MAX = 300_000

/** Whether `Wave-Signature: t=<seconds>,v1=<hex>` signs these bytes, and did so within five minutes. During a rotation there are several `v1`. */
export function isSignedByWave(secret: string, header: string, body: Buffer, now: Date): boolean {
  const parts = header.split(',').map((part) => part.trim())
  const time = parts.find((part) => part.startsWith('t='))?.slice(2) ?? ''
  if (!/^\d{1,12}$/.test(time) || Math.abs(now.getTime() - Number(time) * 1_000) > AGE_MS_MAX) return false
  const expected = createHmac('sha256', secret).update(time).update(body).digest()
  return parts
    .filter((part) => part.startsWith('v1='))
    .some((part) => {
      const given = Buffer.from(part.slice(3), 'hex')
      return given.length === expected.length && timingSafeEqual(given, expected)
    })
}
