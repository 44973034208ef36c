import { z } from 'zod'

// Answers of browsers are a few hundred bytes; a passkey on RSA has a key of 256, an attested one a chain of certificates.
const ANSWER_LENGTH_MAX = 32_768
const base64Url = z
  .string()
  .min(1)
  .max(ANSWER_LENGTH_MAX)
  .regex(/^[A-Za-z0-9_-]+$/)
const credentialId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,1400}$/)
  .brand<'credential id'>()
const TRANSPORTS = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'] as const

/** A new passkey, as a browser hands it over. */
export const attestationSchema = z.object({
  id: credentialId,
  clientDataJSON: base64Url,
  attestationObject: base64Url,
  /** How the device can be reached. Newer names than these are left out. */
  transports: z
    .array(z.string().max(40))
    .max(20)
    .transform((names) => TRANSPORTS.filter((known) => names.includes(known))),
})
export type Attestation = z.infer<typeof attestationSchema>

/** A signature by a passkey, as a browser hands it over. */
export const assertionSchema = z.object({
  id: credentialId,
  clientDataJSON: base64Url,
  authenticatorData: base64Url,
  signature: base64Url,
  userHandle: base64Url.nullable(),
})
export type Assertion = z.infer<typeof assertionSchema>

const clientDataSchema = z.object({ challenge: base64Url })

/** The challenge that an answer says it signed; undefined when it is no client data. Proves nothing before the signature is verified. */
export function readChallenge(clientDataJSON: string): string | undefined {
  try {
    const parsed = clientDataSchema.safeParse(JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString('utf8')))
    return parsed.success ? parsed.data.challenge : undefined
  } catch {
    // Not JSON: refused like any other bad answer.
    return undefined
  }
}
