import { createTranslate, type Translate } from '#lib/i18n/translate.ts'
import { dueAt, EXCEPTION_CLASSES } from '#lib/reconciliation/exceptions.ts'
import { ok } from '#lib/result.ts'
import type { NoticeCause } from '#lib/webhooks/notice-event.ts'
import type { Pool } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { MESSAGES } from '#server/messages.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import { deleteBrowser, findSubscription } from './browsers/browser-store.ts'
import type { PushTransport } from './browsers/push-transport.ts'
import { writeNotification } from './browsers/write-notification.ts'
import { insertExpiringNotices } from './expiring-store.ts'
import { endingOf, LEASE_MS, type SendOutcome, WINDOW_MS } from './mail/mail-attempts.ts'
import { type MonthlyTable, makeMonthlyTable } from './mail/monthly-table.ts'
import type { MailTransport } from './mail/transport.ts'
import { readWaitingLists } from './mail/waiting-lists.ts'
import { type ConcerningNotice, writeMail } from './mail/write-mail.ts'
import {
  type ClaimedMessage,
  claimMessage,
  deleteOldNotices,
  doubtAbandoned,
  endMessage,
  insertDueNotices,
  insertMessages,
  lockWaitingNotice,
  type Notice,
} from './notice-store.ts'
import { nextHourIn, quietEndOf } from './notice-times.ts'
import { listRecipients, type Recipient } from './recipient-store.ts'

export type Sending = {
  pool: Pool
  /** From which the tables of monthly totals are read. */
  reportPool: Pool
  /** Undefined: the installation has no mail server. */
  transport: MailTransport | undefined
  /** Reaches the browsers of people. */
  push: PushTransport
  publicUrl: string
  now: () => Date
  isEnding?: () => boolean
}

const EXPIRING_MS = 86_400_000
const APPROVALS_QUIET_MS = 900_000
const KEPT_MS = 30 * 86_400_000
const DUE_MS_BY_CLASS = Object.fromEntries(EXCEPTION_CLASSES.map((each) => [each, dueAt(each, new Date(0)).getTime()]))

/** Finds whom the waiting notices concern, and sends every mail and notification that is due. Several processes may run it at once. */
export async function sendNotices(sending: Sending): Promise<void> {
  const { pool, transport, now, isEnding = () => false } = sending
  await insertDueNotices(pool, now(), EXPIRING_MS, DUE_MS_BY_CLASS)
  await insertExpiringNotices(pool, now())
  while (!isEnding() && (await addressNotice(sending)));
  await doubtAbandoned(pool, now(), LEASE_MS, WINDOW_MS)
  // Side by side: people choose the addresses of their browsers, and a slow one must not delay the mails of others.
  await Promise.all([transport && sendDue(sending, 'mail'), sendDue(sending, 'browser')])
}

async function sendDue(sending: Sending, channel: 'mail' | 'browser'): Promise<void> {
  const { pool, now, isEnding = () => false } = sending
  while (!isEnding()) {
    // Committed before a server is called: a process that dies later leaves a trace of the attempt.
    const claimed = await withTransaction(pool, async (trx) => ok(await claimMessage(trx, now(), channel)))
    if (!claimed.ok || !claimed.value) return
    await attempt(sending, claimed.value)
  }
}

/** Removes notices that are done, after thirty days. */
export async function forgetNotices(pool: Pool, now: Date): Promise<void> {
  await deleteOldNotices(pool, new Date(now.getTime() - KEPT_MS))
}

/** Stores the messages of one notice; false when none waits. Without a mail server it has no mails, later either. */
async function addressNotice({ pool, transport, now }: Sending): Promise<boolean> {
  const at = now()
  const done = await withTransaction(pool, async (trx) => {
    const notice = await lockWaitingNotice(trx, at, APPROVALS_QUIET_MS)
    if (!notice) return ok(false)
    const messages = (await listRecipients(trx, notice, at)).flatMap((recipient) => {
      const { personId, delivery, browsers } = recipient
      const mail = { personId, browserId: null, ...whenToTell(notice, recipient, at) }
      const inBrowser = { personId, ...whenToTell(notice, { ...recipient, delivery: 'at_once' }, at) }
      return [...(transport && delivery !== 'never' ? [mail] : []), ...browsers.map((browserId) => ({ ...inBrowser, browserId }))]
    })
    await insertMessages(trx, notice.noticeId, messages, at)
    return ok(true)
  })
  return done.ok && done.value
}

/** The account may be in other hands now. */
const AT_ANY_HOUR: ReadonlySet<NoticeCause> = new Set(['new_device', 'new_passkey'])

/** Notices of quiet hours arrive as one message at their end. What concerns the account itself is reported at once. */
function whenToTell({ cause }: Notice, recipient: Recipient, at: Date): { inDigest: boolean; nextAt: Date } {
  const { timeZone, digestHour, delivery } = recipient
  if (delivery === 'digest') return { inDigest: true, nextAt: nextHourIn(timeZone, digestHour, at) }
  const quietEnd = AT_ANY_HOUR.has(cause) ? undefined : quietEndOf(recipient, timeZone, at)
  return quietEnd ? { inDigest: true, nextAt: quietEnd } : { inDigest: false, nextAt: at }
}

async function attempt(sending: Sending, message: ClaimedMessage): Promise<void> {
  const { pool, now } = sending
  const { recipient, concerned, others } = await checkRecipient(pool, message, now())
  if (others.length > 0) await endMessage(pool, message, { state: 'dropped', at: now(), noticeIds: others.map(({ noticeId }) => noticeId) })
  if (!recipient) return
  // A message that is repeated, or a digest within quiet hours.
  const quietEnd = concerned.some(({ cause }) => AT_ANY_HOUR.has(cause)) ? undefined : quietEndOf(recipient, recipient.timeZone, now())
  if (quietEnd) return endMessage(pool, message, { state: 'waiting', at: now(), nextAt: quietEnd })
  if (message.browserId !== null) return tellBrowser(sending, message, message.browserId, { recipient, concerned })
  const outcome = await sendMail(sending, message, { recipient, concerned })
  await endMessage(pool, message, endingOf(outcome, message.attempts, now()))
}

type Told = { recipient: Recipient; concerned: readonly ConcerningNotice[] }

async function sendMail(sending: Sending, { messageId, inDigest }: ClaimedMessage, { recipient, concerned }: Told): Promise<SendOutcome> {
  const { pool, transport, publicUrl } = sending
  if (!transport) return 'refused'
  const { email, name, timeZone, personId } = recipient
  const locale = recipient.locale ?? 'en'
  const tables = await makeTables(sending, concerned, recipient, createTranslate(locale, MESSAGES[locale]))
  const waiting = inDigest ? await readWaitingLists(pool, personId) : []
  return transport.send({
    ...writeMail(concerned, { name, locale, publicUrl, timeZone, tables, waiting }),
    attachments: [...tables.values()].flatMap((table) => ('attachment' in table ? [table.attachment] : [])),
    messageId: `<${messageId}@${new URL(publicUrl).hostname}>`,
    to: { name, address: email },
  })
}

/** A browser that its push service no longer knows is removed, with everything that was to be sent to it. */
async function tellBrowser(
  { pool, push, now }: Sending,
  message: ClaimedMessage,
  browserId: string,
  { recipient: { personId, locale }, concerned }: Told,
): Promise<void> {
  const tell = async () => {
    const subscription = await findSubscription(pool, browserId)
    return subscription && push.send(subscription, writeNotification(concerned, { locale: locale ?? 'en', messageId: message.messageId }))
  }
  const answer = await tell().catch((error: unknown) => {
    // A subscription that cannot be decrypted keeps nobody else from being told.
    reportUnexpected('notices: browser', error, { browserId, message: 'A notification could not be made; it is tried again later' })
    return { outcome: 'refused', waitMs: 0 } as const
  })
  if (!answer) return
  const { outcome, waitMs } = answer
  if (outcome === 'gone') await deleteBrowser(pool, personId, browserId)
  else await endMessage(pool, message, endingOf(outcome, message.attempts, now(), waitMs))
}

/** The tables of the notices that have one, by notice. The other notices of the mail are sent though a table cannot be made. */
async function makeTables(
  { pool, reportPool, now }: Sending,
  notices: readonly Notice[],
  { personId }: Recipient,
  t: Translate,
): Promise<ReadonlyMap<string, MonthlyTable>> {
  const tables = new Map<string, MonthlyTable>()
  for (const notice of notices) {
    const table = await makeMonthlyTable({ pool, reportPool }, notice, { t, personId, now: now() }).catch((error: unknown) => {
      reportUnexpected('notices: monthly table', error, {
        noticeId: notice.noticeId,
        message: 'The table of a month could not be made; its mail says so',
      })
      return { lacks: 'mails.noTable' } as const
    })
    if (table) tables.set(notice.noticeId, table)
  }
  return tables
}

type Checked = { recipient: Recipient | undefined; concerned: ConcerningNotice[]; others: Notice[] }

/** Who lost access, or decided meanwhile, receives nothing about it. */
async function checkRecipient(pool: Pool, { personId, browserId, notices }: ClaimedMessage, now: Date): Promise<Checked> {
  const checked: Checked = { recipient: undefined, concerned: [], others: [] }
  for (const notice of notices) {
    const found = (await listRecipients(pool, notice, now)).find(
      (each) => each.personId === personId && (browserId === null ? each.delivery !== 'never' : each.browsers.includes(browserId)),
    )
    checked.recipient ??= found
    if (found) checked.concerned.push({ ...notice, decidesIn: found.decidesIn })
    else checked.others.push(notice)
  }
  return checked
}
