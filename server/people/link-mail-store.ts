import { randomUUID } from 'node:crypto'
import type { Queryable } from '#server/database/pool.ts'
import { keyringOfProcess } from '#server/secrets-at-rest/keyring.ts'
import { linkTokenPlace } from '#server/secrets-at-rest/sealed-columns.ts'

/** `subjectId`: the invitation or the person. `applicationId` is null for a password. */
type NewLinkMail = { kind: 'invitation' | 'password'; applicationId: string | null; subjectId: string; token: string }

/** Stores the mail that brings a link to its person, in place of an earlier one whose link no longer works. */
export async function insertLinkMail(trx: Queryable, { kind, applicationId, subjectId, token }: NewLinkMail): Promise<void> {
  await trx.query(
    `update link_mails set state = 'dropped', link_token = null where subject_id = $1 and kind = $2 and state in ('waiting', 'unknown')`,
    [subjectId, kind],
  )
  const linkMailId = randomUUID()
  await trx.query('insert into link_mails (link_mail_id, kind, application_id, subject_id, link_token) values ($1, $2, $3, $4, $5)', [
    linkMailId,
    kind,
    applicationId,
    subjectId,
    keyringOfProcess().seal(linkTokenPlace(linkMailId), token),
  ])
}
