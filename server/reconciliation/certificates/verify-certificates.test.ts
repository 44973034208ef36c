import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { DAY, LATER, NEXT, openSigningDesk, WALLET } from '#server/changes/testing/signing-desk.ts'
import { verifyDatabase } from '#server/reports/verify/verify-books.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { must } from '#server/testing/partner.ts'
import { verifyByReadme } from '../testing/verify-by-readme.ts'
import { writeCertificates, writePublicKeys } from './certificate-files.ts'
import { rotateCertificateKey } from './signing-key.ts'

let database: TestDatabase | undefined
let desk: Awaited<ReturnType<typeof openSigningDesk>>
beforeEach(async () => {
  await database?.drop()
  database = await createTestDatabase()
  desk = await openSigningDesk(database.pool)
})
after(() => database?.drop())

const refused = (error: string) => ({ ok: false, error })

test('verified with its own public key after the key was rotated, and the private half of the old one is gone', async () => {
  await desk.bringLines({ id: 'K1', amount: 500 }, { id: 'K2', amount: 10, day: NEXT })
  await desk.close()
  const actor = { kind: 'system' as const, id: null }
  must(await rotateCertificateKey(desk.pool, { applicationId: desk.applicationId, actor }))
  assert.deepEqual(await rotateCertificateKey(desk.pool, { applicationId: desk.applicationId, actor }), refused('no_key'))
  await desk.close(NEXT)
  assert.notEqual((await desk.newest())?.keyId, (await desk.newest(NEXT))?.keyId)
  const { rows } = await desk.pool.query('select count(private_key)::integer as private, count(*)::integer as all from certificate_keys')
  assert.deepEqual(rows, [{ private: 1, all: 2 }])
  assert.deepEqual(await verifyDatabase(desk.pool), [])
})

test('unbroken in the program of the README, versions and a rotated key included; a change, a gap and a foreign key are found', async () => {
  await desk.bringLines({ id: 'L1', amount: 500 }, { id: 'L2', amount: 10, day: NEXT }, { id: 'L3', amount: 10, day: LATER })
  for (const day of [DAY, NEXT]) await desk.close(day)
  must(await desk.reopen(DAY))
  must(await rotateCertificateKey(desk.pool, { applicationId: desk.applicationId, actor: { kind: 'system', id: null } }))
  for (const day of [DAY, NEXT, LATER]) await desk.close(day)
  const scope = { applicationId: desk.applicationId, wallet: WALLET }
  const lines = (await Array.fromAsync(writeCertificates(desk.pool, scope))).flat()
  const keys = (await Array.fromAsync(writePublicKeys(desk.pool, desk.applicationId))).flat()
  assert.match(verifyByReadme(lines, keys), new RegExp(`^5 certificates, unbroken\\. The last: ${LATER}, [0-9a-f]{64}$`, 'm'))
  const of = (place: number, change: (text: string) => string) => lines.map((line, each) => (each === place ? change(line) : line))
  assert.equal(
    verifyByReadme(
      of(1, (line) => line.replace('"1000"', '"9000"').replace('50000', '90000')),
      keys,
    ),
    `${WALLET}, ${DAY}, version 2 has another hash`,
  )
  for (const [gone, name] of [
    [0, `${DAY}, version 2`],
    [1, `${NEXT}, version 2`],
    [3, `${LATER}, version 1`],
  ] as const)
    assert.equal(verifyByReadme(lines.toSpliced(gone, 1), keys), `A certificate before ${WALLET}, ${name} is missing`)
  assert.equal(verifyByReadme(lines, keys.slice(0, 1)), `${WALLET}, ${DAY}, version 1 is not signed with one of the keys`)
})

test('verify names what differs in a certificate, its chain, its lines and its postings, whoever wrote it', async () => {
  await desk.bringLines({ id: 'M1', amount: 500 }, { id: 'M2', amount: 10, day: NEXT })
  for (const day of [DAY, NEXT]) await desk.close(day)
  const tampered = async (table: string, statement: string) => {
    await desk.pool.query(`alter table ${table} disable trigger all`)
    await desk.pool.query(statement)
    await desk.pool.query(`alter table ${table} enable always trigger all`).catch(() => undefined)
    return (await verifyDatabase(desk.pool)).filter((each) => each.startsWith('certificates'))
  }
  const about = (detail: string, day = DAY) => `certificates: ${WALLET} ${day} version 1: ${detail}`
  assert.deepEqual(
    await tampered('statement_lines', "update statement_lines set gross_minor = 60000, net_minor = 60000 where operator_id = 'M1'"),
    [about('lines are not those that were signed')],
  )
  await tampered('statement_lines', "update statement_lines set gross_minor = 50000, net_minor = 50000 where operator_id = 'M1'")
  assert.deepEqual(
    await tampered('day_certificates', `update day_certificates set signature = decode(repeat('00', 64), 'hex') where day = '${DAY}'`),
    [about('its signature is wrong')],
  )
  const missing = await tampered('day_certificates', `delete from day_certificates where day = '${DAY}'`)
  assert.deepEqual(missing, [about('the certificate of the day before is missing', NEXT)])
})

test('verify names a signed day that follows a reopened version of the day before', async () => {
  await desk.bringLines({ id: 'N1', amount: 500 }, { id: 'N2', amount: 10, day: NEXT })
  for (const day of [DAY, NEXT]) await desk.close(day)
  must(await desk.reopen(DAY))
  await desk.close(DAY)
  assert.deepEqual(await verifyDatabase(desk.pool), [])
  await desk.pool.query('alter table day_certificates disable trigger all')
  await desk.pool.query(`update day_certificates set state = 'signed' where day = '${NEXT}'`)
  assert.deepEqual(await verifyDatabase(desk.pool), [
    `certificates: ${WALLET} ${NEXT} version 1: it follows a version of the day before that was reopened`,
  ])
})
