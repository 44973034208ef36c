import { invitationLink, newPasswordLink } from '#lib/pages/paths.ts'
import type { Pool } from '#server/database/pool.ts'
import {
  claimLinkMail,
  deleteLinkMails,
  deleteOldLinks,
  doubtAbandonedLinks,
  endLinkMail,
  type LinkMail,
  readLinkMail,
} from './link-mail-store.ts'
import { endingOf, LEASE_MS, WINDOW_MS } from './mail/mail-attempts.ts'
import type { MailTransport } from './mail/transport.ts'
import { writeLinkMail } from './mail/write-mail.ts'
import type { Sending } from './send-notices.ts'

const KEPT_MS = 30 * 86_400_000

/** Sends the links of invitations and new passwords that are due. Several processes may run it at once. */
export async function sendLinkMails(sending: Omit<Sending, 'reportPool' | 'push'>): Promise<void> {
  const { pool, transport, now, isEnding = () => false } = sending
  if (!transport) return deleteLinkMails(pool)
  await doubtAbandonedLinks(pool, now(), LEASE_MS, WINDOW_MS)
  while (!isEnding()) {
    // Committed before the mail server is called: a process that dies later leaves a trace of the attempt.
    const claimed = await claimLinkMail(pool, now())
    if (!claimed) return
    const mail = await readLinkMail(pool, claimed.linkMailId)
    const ending = mail
      ? endingOf(await attempt(sending, transport, mail), mail.attempts, now())
      : ({ state: 'dropped', at: now() } as const)
    await endLinkMail(pool, claimed, ending)
  }
}

function attempt({ publicUrl }: Pick<Sending, 'publicUrl'>, transport: MailTransport, mail: LinkMail): ReturnType<MailTransport['send']> {
  const { linkMailId, kind, token, name, email, locale } = mail
  const link = kind === 'invitation' ? invitationLink(publicUrl, token) : newPasswordLink(publicUrl, token)
  return transport.send({
    ...writeLinkMail(mail, { locale: locale ?? 'en', link }),
    messageId: `<${linkMailId}@${new URL(publicUrl).hostname}>`,
    to: { name, address: email },
  })
}

/** Removes mails that are over, after thirty days. */
export async function forgetLinkMails(pool: Pool, now: Date): Promise<void> {
  await deleteOldLinks(pool, new Date(now.getTime() - KEPT_MS))
}
