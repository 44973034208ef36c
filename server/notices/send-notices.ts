import { createTranslate, type Translate } from '#lib/i18n/translate.ts'
import { dueAt, EXCEPTION_CLASSES } from '#lib/reconciliation/exceptions.ts'
import { ok } from '#lib/result.ts'
import type { NoticeCause } from '#lib/webhooks/notice-event.ts'
import type { Pool } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { MESSAGES } from '#server/messages.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import { insertExpiringNotices } from './expiring-store.ts'
import { endingOf, LEASE_MS, WINDOW_MS } from './mail/mail-attempts.ts'
import { type MonthlyTable, makeMonthlyTable } from './mail/monthly-table.ts'
import type { MailTransport } from './mail/transport.ts'
import { readWaitingLists } from './mail/waiting-lists.ts'
import { type ConcerningNotice, writeMail } from './mail/write-mail.ts'
import {
  type ClaimedMail,
  claimMail,
  deleteOldNotices,
  doubtAbandoned,
  endMail,
  insertDueNotices,
  insertMails,
  lockWaitingNotice,
  type Notice,
  skipNotices,
} from './notice-store.ts'
import { nextHourIn, quietEndOf } from './notice-times.ts'
import { listRecipients, type Recipient } from './recipient-store.ts'

export type Sending = {
  pool: Pool
  /** From which the tables of monthly totals are read. */
  reportPool: Pool
  /** Undefined: the installation has no mail server. */
  transport: MailTransport | undefined
  publicUrl: string
  now: () => Date
  isEnding?: () => boolean
}

const EXPIRING_MS = 86_400_000
const APPROVALS_QUIET_MS = 900_000
const KEPT_MS = 30 * 86_400_000
const DUE_MS_BY_CLASS = Object.fromEntries(EXCEPTION_CLASSES.map((each) => [each, dueAt(each, new Date(0)).getTime()]))

/** Finds whom the waiting notices concern, and sends every mail that is due. Several processes may run it at once. */
export async function sendNotices(sending: Sending): Promise<void> {
  const { pool, transport, now, isEnding = () => false } = sending
  await insertDueNotices(pool, now(), EXPIRING_MS, DUE_MS_BY_CLASS)
  await insertExpiringNotices(pool, now())
  if (!transport) return skipNotices(pool, now(), APPROVALS_QUIET_MS)
  while (!isEnding() && (await addressNotice(sending)));
  await doubtAbandoned(pool, now(), LEASE_MS, WINDOW_MS)
  while (!isEnding()) {
    // Committed before the mail server is called: a process that dies later leaves a trace of the attempt.
    const claimed = await withTransaction(pool, async (trx) => ok(await claimMail(trx, now())))
    if (!claimed.ok || !claimed.value) return
    await attempt(sending, transport, claimed.value)
  }
}

/** Removes notices that are done, after thirty days. */
export async function forgetNotices(pool: Pool, now: Date): Promise<void> {
  await deleteOldNotices(pool, new Date(now.getTime() - KEPT_MS))
}

/** Stores the mails of one notice; false when none waits. */
async function addressNotice({ pool, now }: Sending): Promise<boolean> {
  const at = now()
  const done = await withTransaction(pool, async (trx) => {
    const notice = await lockWaitingNotice(trx, at, APPROVALS_QUIET_MS)
    if (!notice) return ok(false)
    const wanted = (await listRecipients(trx, notice, at)).filter(({ delivery }) => delivery !== 'never')
    const mails = wanted.map((recipient) => ({ personId: recipient.personId, ...whenToTell(notice, recipient, at) }))
    await insertMails(trx, notice.noticeId, mails, at)
    return ok(true)
  })
  return done.ok && done.value
}

/** The account may be in other hands now. */
const AT_ANY_HOUR: ReadonlySet<NoticeCause> = new Set(['new_device', 'new_passkey'])

/** Notices of quiet hours arrive as one mail at their end. What concerns the account itself is reported at once. */
function whenToTell({ cause }: Notice, recipient: Recipient, at: Date): { inDigest: boolean; nextAt: Date } {
  const { timeZone, digestHour, delivery } = recipient
  if (delivery === 'digest') return { inDigest: true, nextAt: nextHourIn(timeZone, digestHour, at) }
  const quietEnd = AT_ANY_HOUR.has(cause) ? undefined : quietEndOf(recipient, timeZone, at)
  return quietEnd ? { inDigest: true, nextAt: quietEnd } : { inDigest: false, nextAt: at }
}

async function attempt(sending: Sending, transport: MailTransport, mail: ClaimedMail): Promise<void> {
  const { pool, publicUrl, now } = sending
  const { recipient, concerned, others } = await checkRecipient(pool, mail, now())
  if (others.length > 0) await endMail(pool, mail, { state: 'dropped', at: now(), noticeIds: others.map(({ noticeId }) => noticeId) })
  if (!recipient) return
  // A mail that is repeated, or a digest within quiet hours.
  const quietEnd = concerned.some(({ cause }) => AT_ANY_HOUR.has(cause)) ? undefined : quietEndOf(recipient, recipient.timeZone, now())
  if (quietEnd) return endMail(pool, mail, { state: 'waiting', at: now(), nextAt: quietEnd })
  const { email, name, timeZone, personId } = recipient
  const locale = recipient.locale ?? 'en'
  const tables = await makeTables(sending, concerned, recipient, createTranslate(locale, MESSAGES[locale]))
  const waiting = mail.inDigest ? await readWaitingLists(pool, personId) : []
  const outcome = await transport.send({
    ...writeMail(concerned, { name, locale, publicUrl, timeZone, tables, waiting }),
    attachments: [...tables.values()].flatMap((table) => ('attachment' in table ? [table.attachment] : [])),
    messageId: `<${mail.messageId}@${new URL(publicUrl).hostname}>`,
    to: { name, address: email },
  })
  await endMail(pool, mail, endingOf(outcome, mail.attempts, now()))
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
async function checkRecipient(pool: Pool, { personId, notices }: ClaimedMail, now: Date): Promise<Checked> {
  const checked: Checked = { recipient: undefined, concerned: [], others: [] }
  for (const notice of notices) {
    const found = (await listRecipients(pool, notice, now)).find((each) => each.personId === personId && each.delivery !== 'never')
    checked.recipient ??= found
    if (found) checked.concerned.push({ ...notice, decidesIn: found.decidesIn })
    else checked.others.push(notice)
  }
  return checked
}
