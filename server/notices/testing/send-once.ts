import { createPool, NO_STATEMENT_LIMIT_MS } from '#server/database/pool.ts'
import { createKeyring, publishKeyring } from '#server/secrets-at-rest/keyring.ts'
import { TEST_SECRETS_KEY } from '#server/testing/database.ts'
import { smtpTransport } from '../mail/transport.ts'
import { sendLinkMails } from '../send-link-mails.ts'
import { sendNotices } from '../send-notices.ts'
import { loopbackPush } from './push-receiver.ts'

// The process that a test kills: it sends what is due, once.
const [databaseUrl = '', url = ''] = process.argv.slice(2)
const pool = createPool({ databaseUrl, connectionsMax: 2, applicationName: 'killed sender', statementLimitMs: NO_STATEMENT_LIMIT_MS })
publishKeyring(createKeyring({ current: TEST_SECRETS_KEY, previous: [] }))
const sending = {
  pool,
  reportPool: pool,
  transport: smtpTransport({ url, from: 'Countersign <pay@countersign.example>' }),
  push: loopbackPush(pool),
  publicUrl: 'https://pay.example',
  now: () => new Date(),
}
await sendLinkMails(sending)
await sendNotices(sending)
await pool.end()
