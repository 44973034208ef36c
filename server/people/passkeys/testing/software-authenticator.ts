import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { type Assertion, type Attestation, assertionSchema, attestationSchema } from '../passkey-answer.ts'

/** The ways in which a device differs from a good one. */
export type Deviation = {
  origin?: string
  rpId?: string
  /** Whether the device says that it verified its user. */
  isVerified?: boolean
  signCount?: number
  userHandle?: string | null
  type?: string
}

export type SoftwareAuthenticator = {
  credentialId: string
  /** Makes the passkey, as a browser does for these options. */
  attest(options: { challenge: string; rp: { id?: string }; user: { id: string } }, deviation?: Deviation): Attestation
  /** Signs a challenge with it. */
  assert(options: { challenge: string; rpId?: string }, deviation?: Deviation): Assertion
}

/** A device with one passkey on P-256, which counts its signatures from 1. */
export function createAuthenticator(origin: string): SoftwareAuthenticator {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const credentialId = randomBytes(32).toString('base64url')
  let [userHandle, count] = ['', 0]
  return {
    credentialId,
    attest({ challenge, rp, user }, deviation = {}) {
      userHandle = user.id
      const id = Buffer.from(credentialId, 'base64url')
      const length = Buffer.alloc(2)
      length.writeUInt16BE(id.length)
      const credential = Buffer.concat([Buffer.alloc(16), length, id, coseKey(publicKey)])
      const authenticatorData = Buffer.concat([dataOf(rp.id ?? '', deviation, { hasKey: true, count: 0 }), credential])
      return attestationSchema.parse({
        id: credentialId,
        clientDataJSON: clientData(deviation.type ?? 'webauthn.create', challenge, deviation.origin ?? origin),
        attestationObject: cbor(
          new Map<string, unknown>([
            ['fmt', 'none'],
            ['attStmt', new Map()],
            ['authData', authenticatorData],
          ]),
        ).toString('base64url'),
        transports: ['internal', 'a transport of the future'],
      })
    },
    assert({ challenge, rpId = '' }, deviation = {}) {
      count += 1
      const authenticatorData = dataOf(rpId, deviation, { hasKey: false, count })
      const clientDataJSON = clientData(deviation.type ?? 'webauthn.get', challenge, deviation.origin ?? origin)
      const signed = Buffer.concat([authenticatorData, sha256(Buffer.from(clientDataJSON, 'base64url'))])
      return assertionSchema.parse({
        id: credentialId,
        clientDataJSON,
        authenticatorData: authenticatorData.toString('base64url'),
        signature: signWith(privateKey, signed),
        userHandle: deviation.userHandle === undefined ? userHandle : deviation.userHandle,
      })
    },
  }
}

const FLAGS = { present: 0x01, verified: 0x04, hasKey: 0x40 }

function dataOf(rpId: string, deviation: Deviation, { hasKey, count }: { hasKey: boolean; count: number }): Buffer {
  const head = Buffer.alloc(5)
  head.writeUInt8(FLAGS.present | ((deviation.isVerified ?? true) ? FLAGS.verified : 0) | (hasKey ? FLAGS.hasKey : 0))
  head.writeUInt32BE(deviation.signCount ?? count, 1)
  return Buffer.concat([sha256(Buffer.from(deviation.rpId ?? rpId)), head])
}

function clientData(type: string, challenge: string, origin: string): string {
  return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false })).toString('base64url')
}

function sha256(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest()
}

function signWith(key: KeyObject, bytes: Buffer): string {
  return sign('sha256', bytes, key).toString('base64url')
}

/** RFC 9053: an elliptic curve key on P-256 for ES256. */
function coseKey(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' })
  return cbor(
    new Map<number, unknown>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, Buffer.from(x, 'base64url')],
      [-3, Buffer.from(y, 'base64url')],
    ]),
  )
}

/** RFC 8949, as far as it is needed here: whole numbers, bytes, texts and maps. */
function cbor(value: unknown): Buffer {
  if (typeof value === 'number') return value < 0 ? cborHead(1, -1 - value) : cborHead(0, value)
  if (Buffer.isBuffer(value)) return Buffer.concat([cborHead(2, value.length), value])
  if (typeof value === 'string') return Buffer.concat([cborHead(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (value instanceof Map) return Buffer.concat([cborHead(5, value.size), ...[...value].flat().map(cbor)])
  throw new Error('This value is not encoded here')
}

function cborHead(major: number, count: number): Buffer {
  if (count < 24) return Buffer.from([(major << 5) | count])
  if (count < 256) return Buffer.from([(major << 5) | 24, count])
  return Buffer.from([(major << 5) | 25, count >> 8, count & 0xff])
}
