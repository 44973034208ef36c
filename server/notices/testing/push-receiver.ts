import { createDecipheriv, createECDH, type ECDH, hkdfSync, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { importJWK, jwtVerify } from 'jose'
import type { PushSubscriptionKeys } from '#lib/people/browsers.ts'
import type { Pool } from '#server/database/pool.ts'
import { createGuardedSenders } from '#server/webhooks/send/send-webhook.ts'
import { listen } from '#server/webhooks/testing.ts'
import { pushKeys } from '../browsers/browsers.ts'
import { type PushTransport, pushTransport } from '../browsers/push-transport.ts'

type Received = { browser: string; headers: Record<string, unknown>; notification: Record<string, string> }
/** The receiver's reaction: it answers, or calls `onReceived` and breaks the connection. */
type Behaviour = { status: number; headers: Record<string, string>; onReceived?: () => void }

/** A push service on this machine. It decrypts what arrives with the keys of its browsers and refuses what is not signed with the key of their site. */
export async function startPushReceiver() {
  const received: Received[] = []
  const behaviour: Behaviour = { status: 201, headers: {} }
  const browsers = new Map<string, { keys: ECDH; auth: Buffer }>()
  let publicKey = ''
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const name = request.url?.slice(1) ?? ''
    const browser = browsers.get(name)
    if (!browser || !(await isSigned(request.headers.authorization ?? '', publicKey, url))) return void response.writeHead(403).end()
    const notification = JSON.parse(decrypt(Buffer.concat(chunks), browser.keys, browser.auth))
    received.push({ browser: name, headers: request.headers, notification })
    if (!behaviour.onReceived) return void response.writeHead(behaviour.status, behaviour.headers).end()
    behaviour.onReceived()
    request.socket.destroy()
  })
  const url = `http://127.0.0.1:${await listen(server)}`
  return {
    received,
    behaviour,
    /** A browser subscribes for the site with this key. */
    subscribe(name: string, sitesKey: string): PushSubscriptionKeys {
      publicKey = sitesKey
      const keys = createECDH('prime256v1')
      const p256dh = keys.generateKeys().toString('base64url')
      const auth = randomBytes(16)
      browsers.set(name, { keys, auth })
      return { endpoint: `${url}/${name}`, p256dh, auth: auth.toString('base64url') }
    },
    async close() {
      server.closeAllConnections()
      await new Promise<void>((resolve) => void server.close(() => resolve()))
    },
  }
}

/** The notifications that reach browsers, at receivers on this machine. */
export function loopbackPush(pool: Pool, { allowsPrivateTargets = true } = {}): PushTransport {
  const senders = createGuardedSenders({ allowsPrivateTargets, idleConnectionsMax: 0 })
  return pushTransport({ senders, keys: () => pushKeys(pool), publicUrl: 'https://pay.example' })
}

/** Whether the request comes from the site that has this key, and is meant for this push service (RFC 8292). */
async function isSigned(authorization: string, publicKey: string, audience: string): Promise<boolean> {
  const [, token = '', key = ''] = /^vapid t=([^,]+), k=(.+)$/.exec(authorization) ?? []
  const point = Buffer.from(key, 'base64url')
  const [x, y] = [point.subarray(1, 33).toString('base64url'), point.subarray(33).toString('base64url')]
  if (key !== publicKey) return false
  const { payload } = await jwtVerify(token, await importJWK({ kty: 'EC', crv: 'P-256', x, y }, 'ES256'), { audience })
  return payload.sub === 'https://pay.example'
}

/** Decrypts the one record of a message (RFC 8188 and 8291). */
function decrypt(body: Buffer, keys: ECDH, auth: Buffer): string {
  const [salt, sender] = [body.subarray(0, 16), body.subarray(21, 86)]
  const derive = (key: Buffer, by: Buffer, info: string | Buffer, length: number) => Buffer.from(hkdfSync('sha256', key, by, info, length))
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), keys.getPublicKey(), sender])
  const secret = derive(keys.computeSecret(sender), auth, info, 32)
  const key = derive(secret, salt, 'Content-Encoding: aes128gcm\0', 16)
  const decipher = createDecipheriv('aes-128-gcm', key, derive(secret, salt, 'Content-Encoding: nonce\0', 12))
  decipher.setAuthTag(body.subarray(-16))
  const padded = Buffer.concat([decipher.update(body.subarray(86, -16)), decipher.final()])
  // The mark of the last record, and zeros after it.
  return padded.subarray(0, padded.lastIndexOf(2)).toString('utf8')
}
