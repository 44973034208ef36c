import { createPool, NO_STATEMENT_LIMIT_MS } from '#server/database/pool.ts'
import { createGuardedSenders } from '#server/webhooks/send/send-webhook.ts'
import { sendEvents } from '../send-events.ts'

// The process that a test kills: it sends the events that are due, once, to receivers on this machine.
const [databaseUrl = '', secret = ''] = process.argv.slice(2)
const pool = createPool({ databaseUrl, connectionsMax: 2, applicationName: 'killed sender', statementLimitMs: NO_STATEMENT_LIMIT_MS })
const senders = createGuardedSenders({ allowsPrivateTargets: true, idleConnectionsMax: 0 })
await sendEvents({
  pool,
  senders,
  receiverOf: () => ({ secrets: [{ secret, expiresAt: null }], networks: [] }),
  publicUrl: 'https://pay.example',
  now: () => new Date(),
})
senders.close()
await pool.end()
