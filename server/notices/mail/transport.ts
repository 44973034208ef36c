import nodemailer from 'nodemailer'
import type { Pool } from '#server/database/pool.ts'
import { insertSandboxMail, type MailAttachment } from '../notice-store.ts'
import type { SendOutcome } from './mail-attempts.ts'
import type { MailText } from './write-mail.ts'

type OutgoingMail = MailText & { messageId: string; to: { name: string; address: string }; attachments?: readonly MailAttachment[] }
export type MailTransport = { send(mail: OutgoingMail): Promise<SendOutcome> }

/** Every file that is attached is a table. */
const CSV = 'text/csv; charset=utf-8'

/**
 * Sends over SMTP, on a connection per mail.
 * @param waitMs The longest silence of the server that is waited for.
 */
export function smtpTransport({ url, from, waitMs = 30_000 }: { url: string; from: string; waitMs?: number }): MailTransport {
  return {
    async send(mail) {
      const transport = nodemailer.createTransport(
        { url, connectionTimeout: waitMs, greetingTimeout: waitMs, socketTimeout: waitMs, disableFileAccess: true, disableUrlAccess: true },
        { from },
      )
      let hasBegun = false
      // Runs before the connection; the stream itself is opened after it, when the server is asked to take the mail.
      transport.use('stream', ({ message }, done) => {
        const open = message.createReadStream.bind(message)
        message.createReadStream = (...options) => {
          hasBegun = true
          return open(...options)
        }
        done()
      })
      try {
        const { messageId, to, subject, text, html } = mail
        const attachments = mail.attachments?.map(({ fileName, text: content }) => ({ filename: fileName, content, contentType: CSV }))
        const headers = { 'Auto-Submitted': 'auto-generated' }
        await transport.sendMail({ messageId, to, subject, text, html, headers, ...(attachments && { attachments }) })
        return 'sent'
      } catch (error) {
        const isAnswer = error instanceof Error && 'responseCode' in error && typeof error.responseCode === 'number'
        return isAnswer || !hasBegun ? 'refused' : 'unknown'
      } finally {
        transport.close()
      }
    },
  }
}

/** Stores mails in the sandbox's own mailbox instead of sending them. */
export function sandboxTransport(pool: Pool): MailTransport {
  return {
    async send({ messageId, to, subject, text, attachments = [] }) {
      await insertSandboxMail(pool, { messageId, recipient: to.address, subject, text, attachments })
      return 'sent'
    },
  }
}
