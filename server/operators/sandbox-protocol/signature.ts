import { createHmac, timingSafeEqual } from 'node:crypto'

/** The header that carries `t=<unix seconds>,v1=<hex>`. */
export const SIGNATURE_HEADER = 'x-sandbox-signature'

/** An older signature is refused: a recorded callback cannot be replayed later. */
const AGE_SECONDS_MAX = 300

/** Signs the raw bytes of a callback together with its time. */
export function signCallback(secret: string, body: string, at: Date): string {
  const seconds = Math.floor(at.getTime() / 1_000)
  return `t=${seconds},v1=${digest(secret, seconds, Buffer.from(body))}`
}

/** True for a signature of exactly these bytes, made with this secret within the last five minutes. Constant time. */
export function isSignedCallback(secret: string, header: string, body: Buffer, now: Date): boolean {
  const match = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(header)
  if (!match) return false
  const [, time = '', hex = ''] = match
  if (Math.abs(now.getTime() / 1_000 - Number(time)) > AGE_SECONDS_MAX) return false
  return timingSafeEqual(Buffer.from(hex, 'hex'), Buffer.from(digest(secret, Number(time), body), 'hex'))
}

function digest(secret: string, seconds: number, body: Buffer): string {
  return createHmac('sha256', secret).update(`${seconds}.`).update(body).digest('hex')
}
