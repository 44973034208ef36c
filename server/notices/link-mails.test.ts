import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { isPasswordRight } from '#server/credentials/password.ts'
import { answerOwnInvitation, findInvitation, renewInvitation, withdrawInvitation } from '#server/people/invitations.ts'
import { choosePassword, findPasswordReset, mailPasswordLink } from '#server/people/sign-in/password-resets.ts'
import { resetPersonPassword } from '#server/people/sign-in/passwords.ts'
import { invitationScene, SOURCE } from '#server/people/testing/invitation-scene.ts'
import { must } from '#server/testing/partner.ts'
import { claimLinkMail, doubtAbandonedLinks, endLinkMail } from './link-mail-store.ts'
import { sandboxTransport } from './mail/transport.ts'
import { listSandboxMails } from './notice-store.ts'
import { sendLinkMails } from './send-link-mails.ts'
import { openMailDesk } from './testing/mail-desk.ts'

const MINUTE_MS = 60_000
let desk: Awaited<ReturnType<typeof openMailDesk>>
let scene: Awaited<ReturnType<typeof invitationScene>>
beforeEach(async () => {
  desk = await openMailDesk()
  scene = await invitationScene(desk.pool)
})
afterEach(() => desk.close())

const clock = { now: () => new Date() }
const later = (minutes: number) => new Date(Date.now() + minutes * MINUTE_MS)
/** The tokens of the links in all mails so far, each once. */
const tokensSent = () => [
  ...new Set(desk.smtp.mails.flatMap(({ data }) => [...data.replace(/=\r\n/g, '').matchAll(/#([\w-]{43})/g)].map(([, token]) => token))),
]
const mailRows = () => desk.query('select state, link_token is null as "isEmpty" from link_mails order by created_at, state')
const resetPassword = async (personId: string) => must(await mailPasswordLink(desk.pool, { personId, actor: SYSTEM_ACTOR })).token

/** Every text and every binary value of the database, as a dump would have it. */
async function isStored(secret: string): Promise<boolean> {
  const tables = await desk.query("select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'")
  for (const { relname } of tables)
    if ((await desk.query(`select 1 from "${relname}" r where position($1 in r::text) > 0 limit 1`, [secret])).length > 0) return true
  return false
}

test('one mail with a link that works, in French; the database never has the token in clear, and after the mail not at all', async () => {
  await desk.query("update people set locale = 'fr' where person_id = $1", [scene.ben.id])
  const token = await scene.token()
  assert.equal(await isStored(token), false)
  assert.match((await desk.query('select link_token from link_mails'))[0].link_token, /^sealed:1:/)
  await desk.send()
  await desk.send()
  assert.deepEqual(
    desk.smtp.mails.map(({ to }) => to),
    [[scene.email]],
  )
  assert.match(desk.textOf(desk.smtp.mails[0]?.subject ?? ''), /valable 24 heures.*\r\nhttps:\/\/pay\.example\/sign-in\/invitation#/)
  assert.deepEqual(tokensSent(), [token])
  assert.ok((await findInvitation(desk.pool, token, { locks: false })).ok)
  assert.deepEqual(await mailRows(), [{ state: 'sent', isEmpty: true }])
})

test('only the link that works is mailed: not one that was replaced before', async () => {
  await scene.token()
  const { invitationId } = await scene.only()
  const renewed = must(
    await renewInvitation({ pool: desk.pool, clock }, { applicationId: scene.applicationId, invitationId, actor: scene.ben }),
  )
  await desk.send()
  assert.deepEqual(tokensSent(), [renewed.token])
  assert.deepEqual((await mailRows()).map(({ state }) => state).sort(), ['dropped', 'sent'])
})

for (const [ending, end] of [
  [
    'withdrawn',
    async () =>
      must(
        await withdrawInvitation(desk.pool, {
          applicationId: scene.applicationId,
          invitationId: (await scene.only()).invitationId,
          actor: scene.anna,
        }),
      ),
  ],
  ['expired', async () => void (await scene.age(24))],
] as const)
  test(`dropped, with its link: the mail of an invitation that was ${ending} before it was sent`, async () => {
    await scene.token()
    await end()
    await desk.send()
    assert.deepEqual([desk.smtp.mails, await mailRows()], [[], [{ state: 'dropped', isEmpty: true }]])
  })

test('dropped: the mail to a person with an account who accepted in their own session', async () => {
  const known = await invitationScene(desk.pool, `${scene.ben.id}@test.example`)
  await known.token()
  const { invitationId } = await known.only()
  must(await answerOwnInvitation(desk.pool, { personId: scene.ben.id, invitationId, accepts: true, source: SOURCE }))
  await desk.send()
  assert.deepEqual(
    (await mailRows()).map(({ state }) => state),
    ['dropped'],
  )
})

test('neither lost nor sent twice within an hour: the link of a process that is killed when the server has taken its mail', async () => {
  const token = await scene.token()
  await desk.sendKilled()
  assert.deepEqual(await mailRows(), [{ state: 'sending', isEmpty: false }])
  for (const minutes of [0, 6, 58]) await desk.send(later(minutes))
  assert.deepEqual([desk.smtp.mails.length, await mailRows()], [1, [{ state: 'unknown', isEmpty: false }]])
  await desk.send(later(62))
  assert.deepEqual([desk.smtp.mails.length, tokensSent(), await mailRows()], [2, [token], [{ state: 'sent', isEmpty: true }]])
  assert.equal(desk.smtp.mails[0]?.messageId, desk.smtp.mails[1]?.messageId)
})

test('not repeated: the mail of a process that died, whose link was replaced within the hour', async () => {
  const token = await scene.token()
  await desk.sendKilled()
  const { invitationId } = await scene.only()
  const renewal = { applicationId: scene.applicationId, invitationId, actor: scene.ben }
  const renewed = must(await renewInvitation({ pool: desk.pool, clock }, renewal))
  for (const minutes of [0, 6, 62]) await desk.send(later(minutes))
  assert.deepEqual(tokensSent(), [token, renewed.token])
  assert.equal(desk.smtp.mails.length, 2)
  assert.deepEqual((await mailRows()).map(({ state, isEmpty }) => [state, isEmpty]).sort(), [
    ['dropped', true],
    ['sent', true],
  ])
})

test('one mail when four processes send at once, and it is repeated after a refusal of the server', async () => {
  await scene.token()
  desk.smtp.behaviour.answer = '451 later'
  await Promise.all(Array.from({ length: 4 }, () => desk.send()))
  desk.smtp.behaviour.answer = '250 taken'
  await Promise.all(Array.from({ length: 4 }, () => desk.send(later(30))))
  assert.equal(desk.smtp.mails.length, 1)
})

test('no link is kept by an installation without a mail server', async () => {
  await scene.token()
  await sendLinkMails({ pool: desk.pool, transport: undefined, publicUrl: 'https://pay.example', now: () => new Date() })
  await desk.send()
  assert.deepEqual([desk.smtp.mails, await mailRows()], [[], []])
})

test('in the mailbox of a sandbox: the mail to an invited person, for members of that application only', async () => {
  await scene.token()
  await sendLinkMails({ pool: desk.pool, transport: sandboxTransport(desk.pool), publicUrl: 'https://pay.example', now: () => new Date() })
  const [mail] = await listSandboxMails(desk.pool, scene.applicationId, 10)
  assert.equal(mail?.recipient, scene.email)
  assert.deepEqual(await listSandboxMails(desk.pool, desk.applicationId, 10), [])
})

test('in the mailbox of a sandbox: the mail to a member, for members of that application only', async () => {
  const personId = await desk.person('maker')
  await resetPassword(personId)
  await sendLinkMails({ pool: desk.pool, transport: sandboxTransport(desk.pool), publicUrl: 'https://pay.example', now: () => new Date() })
  assert.equal((await listSandboxMails(desk.pool, desk.applicationId, 10)).length, 1)
  assert.deepEqual(await listSandboxMails(desk.pool, scene.applicationId, 10), [])
})

test('one mail with a link by which its person, and nobody else, chooses a new password, once', async () => {
  const personId = await desk.person('maker')
  const token = await resetPassword(personId)
  await desk.send()
  assert.deepEqual([desk.told(), tokensSent()], [[`${personId}: Choose a new password`], [token]])
  const [before] = await desk.query('select password_hash, session_epoch from people where person_id = $1', [personId])
  assert.deepEqual([before.password_hash === 'none', before.session_epoch], [false, 2])
  const choices = await Promise.all(
    Array.from({ length: 5 }, () => choosePassword(desk.pool, { token, password: 'seven kind otters swim' })),
  )
  assert.deepEqual(choices.map((each) => (each.ok ? 'ok' : each.error)).sort(), ['ok', 'unknown', 'unknown', 'unknown', 'unknown'])
  const [after] = await desk.query('select password_hash, session_epoch from people where person_id = $1', [personId])
  assert.deepEqual([after.password_hash === before.password_hash, after.session_epoch], [false, 3])
  assert.deepEqual(await findPasswordReset(desk.pool, token), { ok: false, error: 'unknown' })
})

test('refused: the link of a password after 24 hours, after a newer one, and of a person who is blocked; a weak password leaves it valid', async () => {
  const personId = await desk.person('maker')
  const first = await resetPassword(personId)
  const token = await resetPassword(personId)
  assert.deepEqual(await findPasswordReset(desk.pool, first), { ok: false, error: 'unknown' })
  assert.deepEqual(await choosePassword(desk.pool, { token, password: 'short' }), { ok: false, error: 'password_too_short' })
  await desk.query('update people set is_blocked = true where person_id = $1', [personId])
  assert.deepEqual(await choosePassword(desk.pool, { token, password: 'seven kind otters swim' }), { ok: false, error: 'unknown' })
  await desk.query('update people set is_blocked = false where person_id = $1', [personId])
  await desk.query("update password_resets set expires_at = now() - interval '1 second'")
  assert.deepEqual(await choosePassword(desk.pool, { token, password: 'seven kind otters swim' }), { ok: false, error: 'expired' })
  await desk.send()
  assert.deepEqual(desk.smtp.mails, [])
})

test('dropped, with its link: the mail to a person who was blocked before it was sent', async () => {
  const personId = await desk.person('maker')
  await resetPassword(personId)
  await desk.query('update people set is_blocked = true where person_id = $1', [personId])
  await desk.send()
  assert.deepEqual([desk.smtp.mails, await mailRows()], [[], [{ state: 'dropped', isEmpty: true }]])
})

test('sending, with its link, while the second attempt is made: the late end of the first one, which was taken for dead, changes nothing', async () => {
  await resetPassword(await desk.person('maker'))
  const first = (await claimLinkMail(desk.pool, later(0))) ?? assert.fail('it is due')
  await doubtAbandonedLinks(desk.pool, later(10), 5 * MINUTE_MS, 60 * MINUTE_MS)
  const second = (await claimLinkMail(desk.pool, later(70))) ?? assert.fail('it is due again')
  assert.equal(second.linkMailId, first.linkMailId)
  await endLinkMail(desk.pool, first, { state: 'failed', at: later(71) })
  assert.deepEqual(await mailRows(), [{ state: 'sending', isEmpty: false }])
})

test('unknown: the link of a password, once the administrator of the machine has set a password', async () => {
  const personId = await desk.person('maker')
  const token = await resetPassword(personId)
  const { password } = must(await resetPersonPassword(desk.pool, { personId, actor: SYSTEM_ACTOR }))
  assert.deepEqual(await choosePassword(desk.pool, { token, password: 'seven kind otters swim' }), { ok: false, error: 'unknown' })
  const [{ password_hash: stored }] = await desk.query('select password_hash from people where person_id = $1', [personId])
  assert.equal(await isPasswordRight(stored, password), true)
})

test('not_permitted for everybody but the administrator of the machine: a link to choose another person’s password', async () => {
  const reset = await mailPasswordLink(desk.pool, { personId: await desk.person('maker'), actor: scene.anna })
  assert.deepEqual([reset, await mailRows()], [{ ok: false, error: 'not_permitted' }, []])
})
