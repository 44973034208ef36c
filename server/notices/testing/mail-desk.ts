import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Role } from '#lib/people/permissions.ts'
import { systemClock } from '#server/clock.ts'
import { createTestDatabase } from '#server/testing/database.ts'
import { fund, makeApplication, makePerson } from '#server/testing/factories.ts'
import { addBrowser, pushKeys } from '../browsers/browsers.ts'
import { smtpTransport } from '../mail/transport.ts'
import { sendLinkMails } from '../send-link-mails.ts'
import { sendNotices } from '../send-notices.ts'
import { loopbackPush, startPushReceiver } from './push-receiver.ts'
import { startSmtpReceiver } from './smtp-receiver.ts'

/** A database with one application, whose MOMOCM balance is 1,000,000, a mail server and a push service. */
export async function openMailDesk() {
  const database = await createTestDatabase()
  const smtp = await startSmtpReceiver()
  const browsers = await startPushReceiver()
  const { pool } = database
  const applicationId = await makeApplication(pool, 'Douala & Co')
  await fund(pool, applicationId, 'MOMOCM', 100_000_000n)
  const query = async (text: string, values: unknown[] = []) => (await pool.query(text, values)).rows
  const push = loopbackPush(pool)
  const sendingAt = (at: Date) => ({
    pool,
    reportPool: pool,
    push,
    transport: smtpTransport({ url: smtp.url, from: 'Countersign <pay@countersign.example>' }),
    publicUrl: 'https://pay.example',
    now: () => at,
  })
  return {
    database,
    pool,
    smtp,
    push,
    browsers,
    applicationId,
    query,
    person: (...roles: Role[]) => makePerson(pool, applicationId, roles),
    /** The person turns notifications on in a browser that the push service calls `name`. */
    async turnOn(personId: string, name: string) {
      const subscription = browsers.subscribe(name, (await pushKeys(pool)).publicKey)
      return addBrowser({ pool, clock: systemClock }, { personId, name, subscription, allowsPrivateTargets: true })
    },
    /** Does the work of one minute, as if it were `at`. */
    async send(at = new Date()) {
      await sendLinkMails(sendingAt(at))
      await sendNotices(sendingAt(at))
    },
    /** The mails so far, each as `person: subject`. */
    told: () => smtp.mails.map(({ to, subject }) => `${to.join().replace('@test.example', '')}: ${subject}`).sort(),
    /** The text of the first mail with this subject, without the line breaks of its encoding. */
    textOf: (subject: string) =>
      (smtp.mails.find((mail) => mail.subject === subject)?.data ?? '').replace(/=\r\n/g, '').replaceAll('=3D', '='),
    /** Every notice was written this much earlier. */
    pass: (duration: string) =>
      query('update notices set created_at = created_at - $1::interval, addressed_at = addressed_at - $1::interval', [duration]),
    /** Has a process of its own send what is due, and kills it when the mail server or the push service has taken something and not answered. */
    async sendKilled() {
      const script = new URL('send-once.ts', import.meta.url).pathname
      const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', script, database.url, smtp.url], { stdio: 'inherit' })
      smtp.behaviour.onData = browsers.behaviour.onReceived = () => void child.kill('SIGKILL')
      const [, signal] = await once(child, 'exit')
      delete smtp.behaviour.onData
      delete browsers.behaviour.onReceived
      assert.equal(signal, 'SIGKILL')
    },
    async close() {
      await smtp.close()
      await browsers.close()
      await database.drop()
    },
  }
}
