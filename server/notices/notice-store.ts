import type { OperatorCode } from '#lib/operators/operators.ts'
import type { TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import type { NoticeCause } from '#lib/webhooks/notice-event.ts'
import { runQuery, sql } from '#server/database/compose-sql.ts'
import type { Queryable } from '#server/database/pool.ts'
import type { MailEnding } from './mail/mail-attempts.ts'
import { DEFAULT_TIMES, type NoticeTimes } from './notice-times.ts'

/** A month of totals that a person saved: their name and query, the month (`2026-11`), and the business zone in which its days are. */
type SavedMonth = { name: string; query: string; month: string; businessZone: string }

/**
 * A notice. `applicationId` and `slug` are null only for a sign-in; `kind` is that of a change, `operator` and `type` belong to a state, `saved` to monthly
 * totals.
 */
export type Notice = {
  noticeId: string
  applicationId: string | null
  slug: string | null
  applicationName: string | null
  cause: NoticeCause
  subjectId: string
  kind: string | null
  /** That a change is about. */
  wallet: string | null
  day: string | null
  operator: OperatorCode | null
  type: TransactionType | null
  saved: SavedMonth | null
}
export type Delivery = 'at_once' | 'digest' | 'never'
/** A file of a mail, as text. */
export type MailAttachment = { fileName: string; text: string }

const NOTICE = sql.raw(`n.notice_id as "noticeId", n.application_id as "applicationId", a.slug, a.name as "applicationName", n.cause,
  n.subject_id as "subjectId", c.kind, c.after ->> 'wallet' as wallet, c.after ->> 'day' as day, n.operator, n.type,
  (select jsonb_build_object('name', v.name, 'query', v.query, 'month', to_char(s.month, 'YYYY-MM'), 'businessZone', a.time_zone)
    from monthly_totals s join saved_views v on v.application_id = s.application_id and v.person_id = s.person_id and v.view_id = s.view_id
    where n.cause = 'monthly_totals' and s.application_id = n.application_id and s.monthly_id = n.subject_id) as saved`)

/** A notice with its application and, if it is about one, its change. */
const WITH_SUBJECT = sql.raw(`notices n left join applications a on a.application_id = n.application_id
  left join proposed_changes c on c.application_id = n.application_id and c.change_id = n.subject_id`)

/** Inserts the notices that no event causes: changes about to expire, and exceptions that became overdue. */
export async function insertDueNotices(
  trx: Queryable,
  now: Date,
  expiringMs: number,
  dueMsByClass: Readonly<Record<string, number>>,
): Promise<void> {
  await trx.query(
    `insert into notices (application_id, cause, subject_id)
       select application_id, 'change_expiring', change_id from proposed_changes
         where outcome is null and expires_at > $1::timestamptz and expires_at <= $1::timestamptz + $2::float8 * interval '1 millisecond'
       union all select application_id, 'exception_overdue', exception_id from exceptions
         where outcome is null and opened_at <= $1::timestamptz - ($3::jsonb ->> class)::float8 * interval '1 millisecond'
     on conflict (subject_id, cause) where cause in ('change_expiring', 'exception_overdue') do nothing`,
    [now, expiringMs, JSON.stringify(dueMsByClass)],
  )
}

/** Locks the oldest waiting notice. Of an application's approvals there is one notice per `quietMs`. A notice whose cause is still being committed is passed over. */
export async function lockWaitingNotice(trx: Queryable, now: Date, quietMs: number): Promise<Notice | undefined> {
  const [notice] = await runQuery<Notice>(
    trx,
    sql`select ${NOTICE} from ${WITH_SUBJECT}
      where n.state = 'waiting' and not (n.cause = 'approval_waiting' and exists (select 1 from notices earlier
        where earlier.application_id = n.application_id and earlier.cause = 'approval_waiting'
          and earlier.addressed_at > ${now}::timestamptz - ${quietMs}::float8 * interval '1 millisecond'))
      order by n.created_at limit 1 for update of n skip locked`,
  )
  return notice
}

export async function findNotice(queryable: Queryable, noticeId: string): Promise<Notice | undefined> {
  const [notice] = await runQuery<Notice>(queryable, sql`select ${NOTICE} from ${WITH_SUBJECT} where n.notice_id = ${noticeId}`)
  return notice
}

/** A notice for one person: by e-mail, or in the browser `browserId`. */
type NewMessage = { personId: string; browserId: string | null; inDigest: boolean; nextAt: Date }

/** Stores the messages of a locked notice, and that it has them. A browser that was removed meanwhile gets none. */
export async function insertMessages(trx: Queryable, noticeId: string, messages: readonly NewMessage[], now: Date): Promise<void> {
  await trx.query(
    `insert into notice_messages (notice_id, person_id, browser_id, in_digest, next_at)
       select $1, m."personId", m."browserId", m."inDigest", m."nextAt"
         from jsonb_to_recordset($2::jsonb) as m ("personId" uuid, "browserId" uuid, "inDigest" boolean, "nextAt" timestamptz)
        where m."browserId" is null or exists (select 1 from notice_browsers b where b.browser_id = m."browserId" for key share)`,
    [noticeId, JSON.stringify(messages)],
  )
  await trx.query(`update notices set state = 'addressed', addressed_at = $2 where notice_id = $1`, [noticeId, now])
}

/** Attempts whose process died: nobody knows whether the message was taken, so it waits for the end of the window. */
export async function doubtAbandoned(queryable: Queryable, now: Date, leaseMs: number, windowMs: number): Promise<void> {
  await queryable.query(
    `update notice_messages set state = 'unknown', next_at = claimed_at + $3::float8 * interval '1 millisecond'
      where state = 'sending' and claimed_at <= $1::timestamptz - $2::float8 * interval '1 millisecond'`,
    [now, leaseMs, windowMs],
  )
}

/** A mail, or a notification in the browser `browserId`. */
export type ClaimedMessage = {
  messageId: string
  personId: string
  browserId: string | null
  attempts: number
  inDigest: boolean
  notices: Notice[]
}

type DueMessage = Pick<ClaimedMessage, 'personId' | 'browserId' | 'inDigest'> & { rowId: string; messageId: string | null }

/**
 * Claims one message of a channel that is due, with all notices that it contains: of a digest, everything that is due for its person by mail, or in this
 * browser.
 */
export async function claimMessage(trx: Queryable, now: Date, channel: 'mail' | 'browser'): Promise<ClaimedMessage | undefined> {
  const { rows: due } = await trx.query<DueMessage>(
    `select notice_message_id as "rowId", person_id as "personId", browser_id as "browserId", in_digest as "inDigest", message_id as "messageId"
      from notice_messages
      where state in ('waiting', 'unknown') and next_at <= $1::timestamptz and (browser_id is null) = $2
      order by next_at limit 1 for update skip locked`,
    [now, channel === 'mail'],
  )
  const [first] = due
  if (!first) return undefined
  const { rows } = await trx.query<{ noticeId: string; messageId: string; attempts: number }>(
    // The id of a mail or notification is that of its first row, and stays.
    `update notice_messages set state = 'sending', message_id = coalesce(message_id, $2::uuid), attempts = attempts + 1, claimed_at = $1::timestamptz
      where state in ('waiting', 'unknown') and next_at <= $1::timestamptz and (notice_message_id = $2 or message_id = $3
        or ($3::uuid is null and $4::boolean and in_digest and message_id is null and person_id = $5 and browser_id is not distinct from $6::uuid))
      returning notice_id as "noticeId", message_id as "messageId", attempts`,
    [now, first.rowId, first.messageId, first.inDigest, first.personId, first.browserId],
  )
  const [row] = rows
  if (!row) throw new Error('The locked message is gone')
  const notices = await runQuery<Notice>(
    trx,
    sql`select ${NOTICE} from ${WITH_SUBJECT}
      where n.notice_id = any (${rows.map(({ noticeId }) => noticeId)}::uuid[]) order by n.created_at, n.notice_id`,
  )
  const { personId, browserId, inDigest } = first
  return { messageId: row.messageId, personId, browserId, attempts: row.attempts, inDigest, notices }
}

/** Records how the attempt number `attempts` ended, unless a later one has started. */
export async function endMessage(
  queryable: Queryable,
  message: Pick<ClaimedMessage, 'messageId' | 'attempts'>,
  ending: MailEnding & { noticeIds?: readonly string[] },
): Promise<void> {
  await queryable.query(
    `update notice_messages set state = $3::text, next_at = coalesce($4::timestamptz, next_at),
            sent_at = case when $3::text = 'sent' then $5::timestamptz end
      where message_id = $1 and attempts = $2 and state = 'sending' and ($6::uuid[] is null or notice_id = any ($6::uuid[]))`,
    [message.messageId, message.attempts, ending.state, ending.nextAt ?? null, ending.at, ending.noticeIds ?? null],
  )
}

/** Deletes notices whose messages have all ended, and what a sandbox received, before this instant. */
export async function deleteOldNotices(queryable: Queryable, before: Date): Promise<void> {
  await queryable.query(
    `delete from notices n where n.created_at < $1::timestamptz and n.state = 'addressed' and not exists (select 1 from notice_messages m
      where m.notice_id = n.notice_id and m.state in ('waiting', 'sending', 'unknown'))
      and (n.cause not in ('change_expiring', 'exception_overdue') or n.created_at < $1::timestamptz - interval '1 year')`,
    [before],
  )
  await queryable.query('delete from sandbox_mails where arrived_at < $1', [before])
}

/** A mail arrives in the mailbox of the sandbox, unless it has already. */
export async function insertSandboxMail(
  queryable: Queryable,
  mail: { messageId: string; recipient: string; subject: string; text: string; attachments: readonly MailAttachment[] },
): Promise<void> {
  await queryable.query(
    `insert into sandbox_mails (message_id, recipient, subject, body, attachments) values ($1, $2, $3, $4, $5)
      on conflict (message_id) do nothing`,
    [mail.messageId, mail.recipient, mail.subject, mail.text, JSON.stringify(mail.attachments)],
  )
}

export type NoticeChoice = { delivery: Delivery; inBrowser: boolean }

/** The choices of a person; a cause without an entry is reported by e-mail at once, and in their browsers. */
export async function readPreferences(queryable: Queryable, personId: string): Promise<Partial<Record<NoticeCause, NoticeChoice>>> {
  const { rows } = await queryable.query<NoticeChoice & { cause: NoticeCause }>(
    'select cause, delivery, in_browser as "inBrowser" from notice_preferences where person_id = $1',
    [personId],
  )
  return Object.fromEntries(rows.map(({ cause, ...choice }) => [cause, choice]))
}

/** `inBrowser`: the causes that are reported in the person's browsers. */
export async function upsertPreferences(
  trx: Queryable,
  personId: string,
  deliveries: Readonly<Record<string, string>>,
  inBrowser: readonly string[],
): Promise<void> {
  await trx.query(
    `insert into notice_preferences (person_id, cause, delivery, in_browser)
       select $1, p.key, p.value, p.key = any ($3::text[]) from jsonb_each_text($2::jsonb) as p
     on conflict (person_id, cause) do update set delivery = excluded.delivery, in_browser = excluded.in_browser`,
    [personId, JSON.stringify(deliveries), inBrowser],
  )
}

/** When a person wants to be told. */
export async function readTimes(queryable: Queryable, personId: string): Promise<NoticeTimes> {
  const { rows } = await queryable.query<NoticeTimes>(
    `select digest_hour as "digestHour", quiet_from as "quietFrom", quiet_until as "quietUntil" from notice_times where person_id = $1`,
    [personId],
  )
  return rows[0] ?? DEFAULT_TIMES
}

export async function upsertTimes(trx: Queryable, personId: string, { digestHour, quietFrom, quietUntil }: NoticeTimes): Promise<void> {
  await trx.query(
    `insert into notice_times (person_id, digest_hour, quiet_from, quiet_until) values ($1, $2, $3, $4)
       on conflict (person_id) do update set digest_hour = excluded.digest_hour, quiet_from = excluded.quiet_from, quiet_until = excluded.quiet_until`,
    [personId, digestHour, quietFrom, quietUntil],
  )
}

type SandboxMail = {
  messageId: string
  recipient: string
  subject: string
  body: string
  attachments: MailAttachment[]
  arrivedAt: Date
}

/** The latest mails of a sandbox to members of the application and to people whom it invited, the newest first. */
export async function listSandboxMails(queryable: Queryable, applicationId: string, limit: number): Promise<SandboxMail[]> {
  const { rows } = await queryable.query<SandboxMail>(
    `select s.message_id as "messageId", s.recipient, s.subject, s.body, s.attachments, s.arrived_at as "arrivedAt" from sandbox_mails s
      where s.recipient in (select p.email from people p join memberships m on m.person_id = p.person_id where m.application_id = $1
        union all select i.email from person_invitations i where i.application_id = $1)
      order by s.arrived_at desc limit $2`,
    [applicationId, limit],
  )
  return rows
}
