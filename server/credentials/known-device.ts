import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Clock } from '#lib/time.ts'

/** How long a browser is remembered after a sign-in, in seconds: 180 days. */
export const DEVICE_MARK_S = 180 * 24 * 3_600
const MARK = /^([A-Za-z0-9_-]{22})\.(\d{1,10})\.([A-Za-z0-9_-]{43})$/

/**
 * Marks browsers in which a person signed in. A mark proves nothing about who is calling: it only decides in which queue a
 * password of that one person is checked, so that a flood of guesses from elsewhere cannot keep them out.
 */
export type DeviceMarks = {
  /** A new mark for the person with this e-mail address, to be stored in the browser. */
  issue(email: string): string
  /** The id of a mark that was issued for this e-mail address within 180 days; undefined for anything else. */
  recognise(mark: string | undefined, email: string): string | undefined
}

/** Makes and reads marks that are signed with `secret`, the same in every process. Stores nothing. */
export function createDeviceMarks({ secret, clock }: { secret: string; clock: Clock }): DeviceMarks {
  const key = createHmac('sha256', secret).update('marks of known devices').digest()
  const sign = (id: string, issuedS: number, email: string): Buffer =>
    createHmac('sha256', key)
      .update(JSON.stringify([id, issuedS, email.trim().toLowerCase()]))
      .digest()
  const nowS = (): number => Math.floor(clock.now().getTime() / 1_000)
  return {
    issue(email) {
      const id = randomBytes(16).toString('base64url')
      const issuedS = nowS()
      return `${id}.${issuedS}.${sign(id, issuedS, email).toString('base64url')}`
    },
    recognise(mark, email) {
      const [, id, issued, signature] = MARK.exec(mark ?? '') ?? []
      if (id === undefined || issued === undefined || signature === undefined) return undefined
      const issuedS = Number(issued)
      const isGenuine = timingSafeEqual(sign(id, issuedS, email), Buffer.from(signature, 'base64url'))
      return isGenuine && issuedS + DEVICE_MARK_S > nowS() ? id : undefined
    },
  }
}
