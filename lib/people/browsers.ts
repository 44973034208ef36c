/** A browser in which a person wants to be told. `endpointDigest`: SHA-256 of its address at the push service, in hexadecimal. */
export type BrowserDto = { browserId: string; name: string; endpointDigest: string; addedAt: string }

/** Where a browser receives notifications, and the keys with which they are encrypted for it. Keys are base64url. */
export type PushSubscriptionKeys = { endpoint: string; p256dh: string; auth: string }

/** The worker that shows notifications. As its own scope it controls no page. */
export const PUSH_WORKER = '/push-worker.js'
