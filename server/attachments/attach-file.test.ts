import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { ATTACHMENT_BYTES_MAX } from '#lib/payments/attachments.ts'
import { DAY_MS } from '#lib/time/time.ts'
import { PIECE_BYTES } from '#lib/uploads.ts'
import { decide } from '#server/approvals/decide.ts'
import { findApproval } from '#server/approvals/queue/queue.ts'
import { removeOldRows } from '#server/retention/remove-old-rows.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { aBand, anIntakeItem, decisionDeps, makeApplication, makePerson } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { type IntakeItem, takeIn } from '#server/transactions/intake.ts'
import { saveDraft } from '#server/transactions/payments.ts'
import { compressPiece } from '#server/uploads/pieces.ts'
import { attachFile, beginAttachment, forgetAttachments, removeAttachment, storeAttachmentPiece, UNSENT_MAX } from './attach-file.ts'
import { findAttachmentOf, findOwnAttachment } from './attachment-store.ts'
import { openAttachment } from './read-attachment.ts'
import { samplePdf, samplePng } from './testing/sample-files.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

async function aMaker(applicationId: string) {
  const id = await makePerson(database.pool, applicationId, ['maker'])
  return { kind: 'person' as const, id, applicationId, roles: ['maker' as const] }
}
type Maker = Awaited<ReturnType<typeof aMaker>>

async function upload(actor: Maker, externalId: string, bytes: Buffer, fileName = 'invoice.pdf', isComplete = true) {
  const { applicationId } = actor
  const started = await beginAttachment(database.pool, { applicationId, actor, externalId, fileName, bytes: bytes.length, modifiedMs: 1 })
  if (!started.ok) return started
  const { fileId, pieces } = started.value
  for (let number = 0; isComplete && number * PIECE_BYTES < bytes.length; number++) {
    if (pieces.includes(number)) continue
    const piece = bytes.subarray(number * PIECE_BYTES, (number + 1) * PIECE_BYTES)
    must(await storeAttachmentPiece(database.pool, { applicationId, actor, fileId, number, bytes: piece }))
  }
  return attachFile(database.pool, { applicationId, actor, fileId })
}

/** Sends the payment with this external id; it waits for one checker. */
async function send(maker: Maker, externalId: string, overrides: Partial<IntakeItem> = {}): Promise<string> {
  const by = { makerId: maker.id, source: 'person' as const, actor: { kind: 'person' as const, id: maker.id } }
  const item = anIntakeItem(maker.applicationId, { externalId, ...by, bands: [aBand()], ...overrides })
  await takeIn(database.pool, [item])
  return item.transactionId
}

async function contentOf(applicationId: string, transactionId: string): Promise<Buffer> {
  const open = await openAttachment(database.pool, { applicationId, transactionId })
  return Buffer.concat(await Array.fromAsync(open?.content ?? assert.fail('no file')))
}

test('the same bytes from the transaction that was sent with them, over several pieces, and an audit entry with the digest', async () => {
  const maker = await aMaker(await makeApplication(database.pool))
  const externalId = randomUUID()
  const bytes = Buffer.concat([samplePdf(), Buffer.alloc(2.5 * PIECE_BYTES, 'padding'), samplePdf()])
  const attached = must(await upload(maker, externalId, bytes))
  const transactionId = await send(maker, externalId)
  assert.deepEqual(await findAttachmentOf(database.pool, maker.applicationId, transactionId), attached)
  assert.ok(bytes.equals(await contentOf(maker.applicationId, transactionId)))
  const { rows } = await database.pool.query(
    "select subject, details ->> 'sha256' as sha256 from audit_entries where action = 'attachment.stored' and actor_id = $1",
    [maker.id],
  )
  assert.deepEqual(rows, [{ subject: externalId, sha256: attached.sha256 }])
})

test('broken off before its last piece: a file that is no longer what its checkers signed', async () => {
  const maker = await aMaker(await makeApplication(database.pool))
  const externalId = randomUUID()
  const bytes = Buffer.concat([samplePdf(), Buffer.alloc(2 * PIECE_BYTES, 'padding'), samplePdf()])
  must(await upload(maker, externalId, bytes))
  const transactionId = await send(maker, externalId)
  const other = await compressPiece(Buffer.alloc(PIECE_BYTES, 'other'))
  await database.pool.query('update attachment_pieces set content = $2 where application_id = $1 and number = 0', [
    maker.applicationId,
    other,
  ])
  const open = await openAttachment(database.pool, { applicationId: maker.applicationId, transactionId })
  const received: Buffer[] = []
  await assert.rejects(async () => {
    for await (const piece of open?.content ?? assert.fail('no file')) received.push(piece)
  }, /is not whole/)
  assert.equal(received.length, 2)
})

test('already_sent: an exchange or a removal of the file once the transaction exists, also for an upload that began before', async () => {
  const maker = await aMaker(await makeApplication(database.pool))
  const { applicationId } = maker
  const externalId = randomUUID()
  const first = must(await upload(maker, externalId, samplePdf('first')))
  const late = samplePdf('late')
  const about = { applicationId, actor: maker, externalId, fileName: 'late.pdf', bytes: late.length, modifiedMs: 1 }
  const { fileId } = must(await beginAttachment(database.pool, about))
  must(await storeAttachmentPiece(database.pool, { applicationId, actor: maker, fileId, number: 0, bytes: late }))
  const transactionId = await send(maker, externalId)
  const refused = { ok: false, error: 'already_sent' }
  assert.deepEqual(await attachFile(database.pool, { applicationId, actor: maker, fileId }), refused)
  assert.deepEqual(await upload(maker, externalId, samplePdf('later')), refused)
  assert.deepEqual(await removeAttachment(database.pool, { applicationId, actor: maker, externalId }), refused)
  assert.equal((await findAttachmentOf(database.pool, applicationId, transactionId))?.sha256, first.sha256)
})

test('either attached and shown, or already_sent and not shown: a file that is completed while its payment is sent', async () => {
  const maker = await aMaker(await makeApplication(database.pool))
  const { applicationId } = maker
  const bytes = samplePdf()
  for (let round = 0; round < 20; round++) {
    const externalId = randomUUID()
    const about = { applicationId, actor: maker, externalId, fileName: 'a.pdf', bytes: bytes.length, modifiedMs: 1 }
    const { fileId } = must(await beginAttachment(database.pool, about))
    must(await storeAttachmentPiece(database.pool, { applicationId, actor: maker, fileId, number: 0, bytes }))
    const [attached, transactionId] = await Promise.all([
      attachFile(database.pool, { applicationId, actor: maker, fileId }),
      send(maker, externalId),
    ])
    const shown = await findAttachmentOf(database.pool, applicationId, transactionId)
    assert.deepEqual(attached, shown ? { ok: true, value: shown } : { ok: false, error: 'already_sent' })
  }
})

test('invalid: a piece behind the end of the largest file', async () => {
  const actor = await aMaker(await makeApplication(database.pool))
  const { applicationId } = actor
  const about = { applicationId, actor, externalId: randomUUID(), fileName: 'long.pdf', bytes: ATTACHMENT_BYTES_MAX, modifiedMs: 1 }
  const { fileId } = must(await beginAttachment(database.pool, about))
  const store = (number: number) => storeAttachmentPiece(database.pool, { applicationId, actor, fileId, number, bytes: samplePdf() })
  const last = Math.ceil(ATTACHMENT_BYTES_MAX / PIECE_BYTES) - 1
  must(await store(last))
  assert.deepEqual(await store(last + 1), { ok: false, error: 'invalid' })
})

test('incomplete: an upload with as many bytes as announced, but without one of the pieces in their middle', async () => {
  const maker = await aMaker(await makeApplication(database.pool))
  const { applicationId } = maker
  const [head, tail] = [Buffer.concat([samplePdf(), Buffer.alloc(PIECE_BYTES)]).subarray(0, PIECE_BYTES), samplePdf()]
  const about = { applicationId, actor: maker, externalId: randomUUID(), fileName: 'a.pdf', modifiedMs: 1 }
  const { fileId } = must(await beginAttachment(database.pool, { ...about, bytes: head.length + tail.length }))
  for (const [number, bytes] of [[0, head] as const, [2, tail] as const])
    must(await storeAttachmentPiece(database.pool, { applicationId, actor: maker, fileId, number, bytes }))
  assert.deepEqual(await attachFile(database.pool, { applicationId, actor: maker, fileId }), { ok: false, error: 'incomplete' })
})

test('the last file of several, none after it was removed; each replaced one is gone with its pieces', async () => {
  const maker = await aMaker(await makeApplication(database.pool))
  const externalId = randomUUID()
  const owner = { applicationId: maker.applicationId, personId: maker.id, externalId }
  must(await upload(maker, externalId, samplePdf('one')))
  const second = must(await upload(maker, externalId, samplePng(), 'invoice.png'))
  assert.deepEqual(await findOwnAttachment(database.pool, owner), second)
  must(await removeAttachment(database.pool, { applicationId: maker.applicationId, actor: maker, externalId }))
  assert.equal(await findOwnAttachment(database.pool, owner), undefined)
  const { rowCount } = await database.pool.query('select 1 from attachment_pieces where application_id = $1', [maker.applicationId])
  assert.equal(rowCount, 0)
})

test('no file: a transaction of another maker, of a program or of a payment file with the same external id', async () => {
  const applicationId = await makeApplication(database.pool)
  const [maker, other] = [await aMaker(applicationId), await aMaker(applicationId)]
  const program = { makerId: null, source: 'api' as const, actor: { kind: 'api' as const, id: null } }
  for (const [sender, overrides] of [
    [other, {}],
    [maker, program],
    [maker, { source: 'file' as const, batchId: randomUUID() }],
  ] as const) {
    const externalId = randomUUID()
    must(await upload(maker, externalId, samplePdf()))
    const transactionId = await send(sender, externalId, overrides)
    assert.equal(await findAttachmentOf(database.pool, applicationId, transactionId), undefined)
    assert.equal(await openAttachment(database.pool, { applicationId, transactionId }), undefined)
  }
})

test('not_found: pieces and completion by another person, and the file of a transaction of another application', async () => {
  const applicationId = await makeApplication(database.pool)
  const [maker, other] = [await aMaker(applicationId), await aMaker(applicationId)]
  const [externalId, bytes] = [randomUUID(), samplePdf()]
  const about = { applicationId, actor: maker, externalId, fileName: 'a.pdf', bytes: bytes.length, modifiedMs: 1 }
  const { fileId } = must(await beginAttachment(database.pool, about))
  const refused = { ok: false, error: 'not_found' }
  assert.deepEqual(await storeAttachmentPiece(database.pool, { applicationId, actor: other, fileId, number: 0, bytes }), refused)
  assert.deepEqual(await attachFile(database.pool, { applicationId, actor: other, fileId }), refused)
  must(await upload(maker, externalId, bytes, 'a.pdf'))
  const transactionId = await send(maker, externalId)
  const elsewhere = await makeApplication(database.pool)
  assert.equal(await openAttachment(database.pool, { applicationId: elsewhere, transactionId }), undefined)
})

test('not_permitted: a checker, and a maker of another application', async () => {
  const applicationId = await makeApplication(database.pool)
  const maker = await aMaker(await makeApplication(database.pool))
  const checker = { ...maker, applicationId, roles: ['checker' as const] }
  for (const actor of [maker, checker]) {
    const about = { applicationId, actor, externalId: randomUUID(), fileName: 'a.pdf', bytes: 9, modifiedMs: 1 }
    assert.deepEqual(await beginAttachment(database.pool, about), { ok: false, error: 'not_permitted' })
    const removal = { applicationId, actor, externalId: randomUUID() }
    assert.deepEqual(await removeAttachment(database.pool, removal), { ok: false, error: 'not_permitted' })
  }
})

test('too_large, incomplete, unknown_type and too_many, with nothing attached', async () => {
  const maker = await aMaker(await makeApplication(database.pool))
  const externalId = randomUUID()
  const errorOf = (result: Awaited<ReturnType<typeof upload>>) => (result.ok ? null : result.error)
  assert.equal(errorOf(await upload(maker, externalId, Buffer.alloc(ATTACHMENT_BYTES_MAX + 1))), 'too_large')
  assert.equal(errorOf(await upload(maker, externalId, samplePdf(), 'a.pdf', false)), 'incomplete')
  assert.equal(errorOf(await upload(maker, externalId, Buffer.from('Total 5000'))), 'unknown_type')
  const owner = { applicationId: maker.applicationId, personId: maker.id, externalId }
  assert.equal(await findOwnAttachment(database.pool, owner), undefined)
  for (let count = 1; count < UNSENT_MAX; count++) must(await upload(maker, randomUUID(), samplePng(), 'a.png'))
  assert.equal(errorOf(await upload(maker, randomUUID(), samplePng(), 'a.png')), 'too_many')
  must(await upload(maker, externalId, samplePng(), 'a.png'))
})

test('content_changed: a decision about another file than the stored one; the digest of a payment without a file stays', async () => {
  const maker = await aMaker(await makeApplication(database.pool))
  const { applicationId } = maker
  const checkerId = await makePerson(database.pool, applicationId, ['checker'])
  const viewer = { applicationId, id: checkerId, hasSecondFactor: false, businessZone: 'UTC' }
  const externalId = randomUUID()
  must(await upload(maker, externalId, samplePdf()))
  const transactionId = await send(maker, externalId)
  const shown = await findApproval(database.pool, viewer, transactionId)
  assert.equal(shown?.attachment?.fileName, 'invoice.pdf')
  const decision = { applicationId, transactionId, checkerId, decision: 'rejected' as const, note: 'no', through: 'back_office' as const }
  const command = { ...decision, actor: { kind: 'person' as const, id: checkerId }, expectedHash: shown.contentHash }
  // No command can do this: the row is changed behind the back of the service.
  const setDigest = (sha256: string) =>
    database.pool.query("update attachments set sha256 = decode($2, 'hex') where external_id = $1", [externalId, sha256])
  await setDigest('00'.repeat(32))
  const refused = await decide(decisionDeps(database.pool), command)
  assert.equal(refused.ok ? null : refused.error.kind, 'content_changed')
  await assert.rejects(contentOf(applicationId, transactionId), /not whole/)
  await setDigest(shown.attachment?.sha256 ?? '')
  must(await decide(decisionDeps(database.pool), command))
})

test('removed after a day: what was never sent and is no draft; kept: what was sent or is a draft', async () => {
  const maker = await aMaker(await makeApplication(database.pool))
  const { applicationId } = maker
  const [sent, drafted, unused] = [randomUUID(), randomUUID(), randomUUID()]
  for (const externalId of [sent, drafted, unused]) must(await upload(maker, externalId, samplePdf()))
  const transactionId = await send(maker, sent)
  const content = { type: '', country: '', operator: '', phoneNumber: '', customerName: '', purpose: '', amount: '' }
  await saveDraft(database.pool, { applicationId, personId: maker.id, externalId: drafted, originId: null, content })
  const ids = async () => {
    const { rows } = await database.pool.query<{ id: string }>('select external_id as id from attachments where application_id = $1', [
      applicationId,
    ])
    return new Set(rows.map((row) => row.id))
  }
  await forgetAttachments(database.pool, new Date(Date.now() + DAY_MS - 60_000))
  assert.deepEqual(await ids(), new Set([sent, drafted, unused]))
  await forgetAttachments(database.pool, new Date(Date.now() + DAY_MS + 60_000))
  assert.deepEqual(await ids(), new Set([sent, drafted]))
  // After its retention the bytes are gone, and what the checkers signed stays.
  const before = await findAttachmentOf(database.pool, applicationId, transactionId)
  const months = { attempts: 0, deliveries: 0, exports: 0, statements: 0, attachments: 1, throttles: 0 }
  await removeOldRows(database.pool, { months, now: new Date(Date.now() + 70 * DAY_MS), pauseMs: 0 })
  assert.deepEqual(await findAttachmentOf(database.pool, applicationId, transactionId), { ...before, isKept: false })
  assert.equal(await openAttachment(database.pool, { applicationId, transactionId }), undefined)
})
