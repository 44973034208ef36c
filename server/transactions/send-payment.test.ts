import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { Role } from '#lib/people/permissions.ts'
import type { SentPayment } from '#lib/schemas/payment.ts'
import { PIECE_BYTES } from '#lib/uploads.ts'
import { createDirectory, type Directory } from '#server/applications/directory.ts'
import { attachFile, beginAttachment, removeAttachment, storeAttachmentPiece, UNSENT_MAX } from '#server/attachments/attach-file.ts'
import { findAttachmentOf } from '#server/attachments/attachment-store.ts'
import { openAttachment } from '#server/attachments/read-attachment.ts'
import { samplePdf } from '#server/attachments/testing/sample-files.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { makePerson } from '#server/testing/factories.ts'
import { createTestPartner, must } from '#server/testing/partner.ts'
import { createIntake, type Intake } from './intake.ts'
import { findDraft, saveDraft, sendPayment } from './payments.ts'
import type { EndedPayment } from './transaction-store.ts'
import { transition } from './transition.ts'

let database: TestDatabase
let directory: Directory
let intake: Intake
before(async () => {
  database = await createTestDatabase()
  directory = await createDirectory({ pool: database.pool })
  intake = createIntake({ pool: database.pool })
})
after(async () => {
  await directory.close()
  await database.drop()
})

async function aMaker(roles: Role[] = ['maker']) {
  const { applicationId } = await createTestPartner(database.pool)
  await directory.refresh()
  const id = await makePerson(database.pool, applicationId, roles)
  const maker = { kind: 'person' as const, id, applicationId, roles }
  const send = (payment: SentPayment, confirmFailure: (failed: EndedPayment) => Promise<boolean> = async () => assert.fail('not asked')) =>
    sendPayment(
      { pool: database.pool, intake, connectors: { has: () => true, limitsOf: () => undefined }, confirmFailure },
      { application: directory.find(applicationId) ?? assert.fail(), maker, payment },
    )
  return { applicationId, id, send }
}

function aPayment(overrides: Partial<SentPayment> = {}): SentPayment {
  return {
    externalId: randomUUID(),
    originId: null,
    type: 'DEPOSIT',
    country: 'CAMEROON',
    operator: 'MOMOCM',
    phoneNumber: '237677209341',
    customerName: 'Clarisse Mbarga',
    purpose: 'Facture 2026-118',
    amount: 500_000n,
    attachmentSha256: null,
    ...overrides,
  }
}

async function countOf(externalId: string): Promise<number> {
  const { rows } = await database.pool.query('select 1 from transactions where external_id = $1', [externalId])
  return rows.length
}

test('PENDING_APPROVAL: a deposit and a collect of a maker with the purpose, without a webhook, and the draft is gone', async () => {
  const { applicationId, id, send } = await aMaker()
  for (const type of ['DEPOSIT', 'COLLECT'] as const) {
    const payment = aPayment({ type })
    const content = { type, country: '', operator: '', phoneNumber: '', customerName: '', purpose: 'Facture 2026-118', amount: '' }
    await saveDraft(database.pool, { applicationId, personId: id, externalId: payment.externalId, originId: null, content })
    const { transactionId, status } = must(await send(payment))
    assert.equal(status, 'PENDING_APPROVAL')
    const { rows } = await database.pool.query(
      'select type, source, maker_id, webhook_url, purpose from transactions where transaction_id = $1',
      [transactionId],
    )
    assert.deepEqual(rows, [{ type, source: 'person', maker_id: id, webhook_url: null, purpose: payment.purpose }])
    assert.equal(await findDraft(database.pool, { applicationId, personId: id }, payment.externalId), undefined)
  }
})

test('the default webhook address of the application, and one transaction even if it changes between two tries', async () => {
  const { applicationId, send } = await aMaker()
  const payment = aPayment()
  const setAddress = async (address: string | null) => {
    await database.pool.query('update applications set default_webhook_url = $2 where application_id = $1', [applicationId, address])
    await directory.refresh()
  }
  await setAddress('https://erp.kora.example/results')
  const { transactionId } = must(await send(payment))
  await setAddress(null)
  assert.equal(must(await send(payment)).transactionId, transactionId)
  const { rows } = await database.pool.query('select webhook_url from transactions where transaction_id = $1', [transactionId])
  assert.deepEqual(rows, [{ webhook_url: 'https://erp.kora.example/results' }])
})

test('one transaction: the same payment sent thirty times at once, and again after it was decided', async () => {
  const { applicationId, send } = await aMaker()
  const payment = aPayment()
  const all = await Promise.all(Array.from({ length: 30 }, () => send(payment)))
  const ids = new Set(all.map((sent) => must(sent).transactionId))
  assert.equal(ids.size, 1)
  assert.equal(await countOf(payment.externalId), 1)
  const [transactionId = ''] = ids
  await transition(database.pool, [{ applicationId, transactionId, event: 'rejected', actor: { kind: 'person', id: randomUUID() } }])
  assert.deepEqual(must(await send(payment)), { transactionId, status: 'FAILED' })
})

test('external_id_taken: the same form with another amount or purpose; the first stays as it is', async () => {
  const { send } = await aMaker()
  const payment = aPayment()
  must(await send(payment))
  assert.deepEqual(await send({ ...payment, amount: 600_000n }), { ok: false, error: { code: 'external_id_taken' } })
  assert.deepEqual(await send({ ...payment, purpose: 'Facture 7' }), { ok: false, error: { code: 'external_id_taken' } })
  assert.equal(await countOf(payment.externalId), 1)
})

test('not_permitted, and nothing is started: a person without the role', async () => {
  for (const roles of [['checker'], ['finance'], ['administrator']] as Role[][]) {
    const { send } = await aMaker(roles)
    const payment = aPayment()
    assert.deepEqual(await send(payment), { ok: false, error: { code: 'not_permitted' } })
    assert.equal(await countOf(payment.externalId), 0)
  }
})

test('origin_unconfirmed, and nothing is started: in the place of one that failed at an operator which does not confirm it', async () => {
  const { applicationId, send } = await aMaker()
  const { transactionId: originId } = must(await send(aPayment()))
  const person = { kind: 'person' as const, id: randomUUID() }
  await transition(database.pool, [{ applicationId, transactionId: originId, event: 'approved', actor: person }])
  await transition(database.pool, [
    { applicationId, transactionId: originId, event: 'failed', message: 'Numéro invalide', actor: { kind: 'operator', id: null } },
  ])
  const payment = aPayment({ originId })
  const asked: string[] = []
  const answer = (isConfirmed: boolean) => async (failed: EndedPayment) => {
    asked.push(failed.transactionId)
    return isConfirmed
  }
  assert.deepEqual(await send(payment, answer(false)), { ok: false, error: { code: 'origin_unconfirmed' } })
  assert.equal(await countOf(payment.externalId), 0)
  const { transactionId } = must(await send(payment, answer(true)))
  assert.deepEqual(asked, [originId, originId])
  // The same form again: the operator is not asked, whatever it would say now.
  assert.equal(must(await send(payment)).transactionId, transactionId)
})

test('origin_replaced with the transaction: a second one in the place of a rejected one, from another form', async () => {
  const { applicationId, send } = await aMaker()
  const { transactionId: originId } = must(await send(aPayment()))
  assert.deepEqual(await send(aPayment({ originId })), { ok: false, error: { code: 'origin_not_replaceable' } })
  await transition(database.pool, [
    { applicationId, transactionId: originId, event: 'rejected', actor: { kind: 'person', id: randomUUID() } },
  ])
  const { transactionId } = must(await send(aPayment({ originId })))
  assert.deepEqual(await send(aPayment({ originId })), { ok: false, error: { code: 'origin_replaced', transactionId } })
})

type Maker = { applicationId: string; id: string }

/** Attaches a file to a payment as the form does. Returns its digest. */
async function attach({ applicationId, id }: Maker, externalId: string, bytes: Buffer): Promise<string> {
  const actor = { kind: 'person' as const, id, applicationId, roles: ['maker' as const] }
  const upload = { applicationId, actor, externalId, fileName: 'INVOICE.pdf', bytes: bytes.length, modifiedMs: 1 }
  const { fileId } = must(await beginAttachment(database.pool, upload))
  for (let number = 0; number * PIECE_BYTES < bytes.length; number++) {
    const piece = bytes.subarray(number * PIECE_BYTES, (number + 1) * PIECE_BYTES)
    must(await storeAttachmentPiece(database.pool, { applicationId, actor, fileId, number, bytes: piece }))
  }
  return must(await attachFile(database.pool, { applicationId, actor, fileId })).sha256
}

/** A payment that was sent with a file and then rejected. */
async function aRejected(maker: Awaited<ReturnType<typeof aMaker>>, bytes = samplePdf()): Promise<{ originId: string; sha256: string }> {
  const payment = aPayment()
  const sha256 = await attach(maker, payment.externalId, bytes)
  const { transactionId: originId } = must(await maker.send({ ...payment, attachmentSha256: sha256 }))
  await transition(database.pool, [
    { applicationId: maker.applicationId, transactionId: originId, event: 'rejected', actor: { kind: 'person', id: randomUUID() } },
  ])
  return { originId, sha256 }
}

test('the file of the payment that it replaces, every byte of it, beside the earlier one, and an audit entry that names where it is from', async () => {
  const maker = await aMaker()
  const { applicationId } = maker
  const bytes = Buffer.concat([samplePdf(), Buffer.alloc(1.5 * PIECE_BYTES, 'padding'), samplePdf()])
  const { originId, sha256 } = await aRejected(maker, bytes)
  const payment = aPayment({ originId, attachmentSha256: sha256 })
  const sent = await Promise.all(Array.from({ length: 10 }, () => maker.send(payment)))
  const ids = [...new Set(sent.map((each) => must(each).transactionId))]
  assert.equal(ids.length, 1)
  for (const transactionId of [originId, ...ids]) {
    assert.equal((await findAttachmentOf(database.pool, applicationId, transactionId))?.sha256, sha256)
    const open = await openAttachment(database.pool, { applicationId, transactionId })
    assert.ok(bytes.equals(Buffer.concat(await Array.fromAsync(open?.content ?? assert.fail('no file')))))
  }
  const { rows } = await database.pool.query(
    "select details ->> 'copiedFrom' as origin, details ->> 'sha256' as sha256 from audit_entries where action = 'attachment.stored' and subject = $1",
    [payment.externalId],
  )
  assert.deepEqual(rows, [{ origin: originId, sha256 }])
  assert.equal(must(await maker.send(payment)).transactionId, ids[0])
})

test('no file: a payment that is sent without the earlier one, and one whose copy was removed after a refusal', async () => {
  const maker = await aMaker()
  const { originId, sha256 } = await aRejected(maker)
  const without = must(await maker.send(aPayment({ originId })))
  assert.equal(await findAttachmentOf(database.pool, maker.applicationId, without.transactionId), undefined)
  const refused = aPayment({ originId, attachmentSha256: sha256 })
  assert.equal((await maker.send(refused)).ok, false)
  const actor = { kind: 'person' as const, id: maker.id, applicationId: maker.applicationId, roles: ['maker' as const] }
  must(await removeAttachment(database.pool, { applicationId: maker.applicationId, actor, externalId: refused.externalId }))
  const { transactionId } = must(await maker.send({ ...refused, originId: null, attachmentSha256: null }))
  assert.equal(await findAttachmentOf(database.pool, maker.applicationId, transactionId), undefined)
})

test('attachment_differs, and nothing is started: another digest, another application, no origin, or a file that is not kept', async () => {
  const maker = await aMaker()
  const { originId, sha256 } = await aRejected(maker)
  const elsewhere = await aRejected(await aMaker(), samplePdf('of others'))
  const refused = { ok: false, error: { code: 'attachment_differs' } }
  for (const overrides of [
    { originId, attachmentSha256: 'f'.repeat(64) },
    { originId: elsewhere.originId, attachmentSha256: elsewhere.sha256 },
    { originId, attachmentSha256: elsewhere.sha256 },
    { originId: null, attachmentSha256: sha256 },
  ]) {
    const payment = aPayment(overrides)
    assert.deepEqual(await maker.send(payment), refused)
    assert.equal(await countOf(payment.externalId), 0)
  }
  const own = aPayment({ originId, attachmentSha256: sha256 })
  await attach(maker, own.externalId, samplePdf('another'))
  assert.deepEqual(await maker.send(own), refused, 'the file that another window attached stays')
  await database.pool.query('delete from attachment_pieces where application_id = $1', [maker.applicationId])
  assert.deepEqual(await maker.send(aPayment({ originId, attachmentSha256: sha256 })), refused)
})

test('too_many_attachments: a kept file while the maker has files of as many unsent payments as allowed', async () => {
  const maker = await aMaker()
  const { originId, sha256 } = await aRejected(maker)
  for (let n = 0; n < UNSENT_MAX; n++) await attach(maker, randomUUID(), samplePdf())
  assert.deepEqual(await maker.send(aPayment({ originId, attachmentSha256: sha256 })), {
    ok: false,
    error: { code: 'too_many_attachments' },
  })
})
