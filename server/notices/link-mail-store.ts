import type { Locale } from '#lib/i18n/locale.ts'
import { digest } from '#server/credentials/secrets.ts'
import type { Queryable } from '#server/database/pool.ts'
import { keyringOfProcess } from '#server/secrets-at-rest/keyring.ts'
import { linkTokenPlace } from '#server/secrets-at-rest/sealed-columns.ts'
import type { MailEnding } from './mail/mail-attempts.ts'

/** `invitedBy`: who proposed the person, and waits for their code. Both are null for a password. */
export type LinkMail = {
  linkMailId: string
  attempts: number
  kind: 'invitation' | 'password'
  token: string
  email: string
  name: string
  locale: Locale | null
  applicationName: string | null
  invitedBy: string | null
}

/** Claims a mail that is due, without what it says: that is read afterwards, so that a mail whose link was replaced meanwhile is not sent. */
export async function claimLinkMail(queryable: Queryable, now: Date): Promise<{ linkMailId: string; attempts: number } | undefined> {
  const { rows } = await queryable.query<{ linkMailId: string; attempts: number }>(
    `update link_mails set state = 'sending', attempts = attempts + 1, claimed_at = $1::timestamptz
      where link_mail_id = (select link_mail_id from link_mails where state in ('waiting', 'unknown') and next_at <= $1::timestamptz
        order by next_at limit 1 for update skip locked)
      returning link_mail_id as "linkMailId", attempts`,
    [now],
  )
  return rows[0]
}

/** Returns a claimed mail, if its link still works. An invited person without an account reads the language of the person who confirmed them. */
export async function readLinkMail(queryable: Queryable, linkMailId: string): Promise<LinkMail | undefined> {
  const { rows } = await queryable.query<Omit<LinkMail, 'token'> & { sealed: string; tokenHash: string }>(
    `select m.link_mail_id as "linkMailId", m.attempts, m.kind, m.link_token as sealed, l.*
       from link_mails m join lateral (
         select encode(i.token_hash, 'hex') as "tokenHash", i.email, i.name, coalesce(k.locale, c.locale) as locale, a.name as "applicationName",
                p.name as "invitedBy"
           from person_invitations i join applications a on a.application_id = i.application_id
           join people p on p.person_id = i.proposed_by join people c on c.person_id = i.confirmed_by left join people k on k.email = i.email
          where m.kind = 'invitation' and i.application_id = m.application_id and i.invitation_id = m.subject_id
            and i.accepted_at is null and i.withdrawn_at is null and i.expires_at > now()
         union all
         select encode(r.token_hash, 'hex'), p.email, p.name, p.locale, null, null
           from password_resets r join people p on p.person_id = r.person_id
          where m.kind = 'password' and r.person_id = m.subject_id and r.expires_at > now() and not p.is_blocked) l on true
      where m.link_mail_id = $1 and m.link_token is not null`,
    [linkMailId],
  )
  const [row] = rows
  if (!row) return undefined
  const { sealed, tokenHash, ...mail } = row
  const token = keyringOfProcess().open(linkTokenPlace(linkMailId), sealed)
  return digest(token).toString('hex') === tokenHash ? { ...mail, token } : undefined
}

/** Records how the attempt number `attempts` ended, unless a later one has started. The link goes with the end of the mail. */
export async function endLinkMail(
  queryable: Queryable,
  { linkMailId, attempts }: { linkMailId: string; attempts: number },
  { state, nextAt }: MailEnding,
): Promise<void> {
  await queryable.query(
    `update link_mails set state = $3::text, next_at = coalesce($4::timestamptz, next_at),
            link_token = case when $3::text in ('waiting', 'unknown') then link_token end
      where link_mail_id = $1 and attempts = $2 and state = 'sending'`,
    [linkMailId, attempts, state, nextAt ?? null],
  )
}

/** Attempts whose process died: nobody knows whether the mail server took the mail, so it waits for the end of the window. */
export async function doubtAbandonedLinks(queryable: Queryable, now: Date, leaseMs: number, windowMs: number): Promise<void> {
  await queryable.query(
    `update link_mails set state = 'unknown', next_at = claimed_at + $3::float8 * interval '1 millisecond'
      where state = 'sending' and claimed_at <= $1::timestamptz - $2::float8 * interval '1 millisecond'`,
    [now, leaseMs, windowMs],
  )
}

/** An installation without a mail server keeps no link. */
export async function deleteLinkMails(queryable: Queryable): Promise<void> {
  await queryable.query('delete from link_mails')
}

/** Deletes mails that ended, and passwords that nobody chose, before this instant. */
export async function deleteOldLinks(queryable: Queryable, before: Date): Promise<void> {
  await queryable.query(`delete from link_mails where created_at < $1 and link_token is null`, [before])
  await queryable.query('delete from password_resets where expires_at < $1', [before])
}
