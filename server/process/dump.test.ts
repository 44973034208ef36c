import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { Secret } from 'otpauth'
import { ok } from '#lib/result.ts'
import { rotateWebhookSecret } from '#server/applications/access/api-keys.ts'
import { changeApplication } from '#server/applications/terms.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { putSettings } from '#server/operators/settings/operator-settings-store.ts'
import { setOperator } from '#server/operators/settings/set-operator.ts'
import { type Simulator, startSimulator } from '#server/operators/simulator/start-simulator.ts'
import { createPerson } from '#server/people/accounts.ts'
import { startSecondFactor } from '#server/people/sign-in/second-factor.ts'
import { createTestDatabase, TEST_SECRETS_KEY, type TestDatabase } from '#server/testing/database.ts'
import { createTestPartner, must, type TestPartner } from '#server/testing/partner.ts'
import { launchService, type Service } from '#server/testing/service/start-service.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { verifyWebhook } from '#server/webhooks/send/sign-webhook.ts'
import { type Receiver, startReceiver } from '#server/webhooks/testing.ts'

const OPERATOR_SECRET = randomBytes(32).toString('base64url')
const STORED_OPERATOR_SECRET = randomBytes(32).toString('base64url')
const OPERATOR_KEY = randomUUID()
const SECRETS = { TOKEN_SECRET: randomBytes(32).toString('base64url'), SESSION_SECRET: randomBytes(32).toString('base64url') }

let database: TestDatabase
let folder: string
let simulator: Simulator
let receiver: Receiver
let service: Service

before(async () => {
  database = await createTestDatabase({ mode: 'production' })
  folder = await mkdtemp(path.join(tmpdir(), 'countersign-dump-'))
  simulator = await startSimulator({ port: 0, folder, secret: OPERATOR_SECRET, delayMs: 30 })
  receiver = await startReceiver((response) => response.writeHead(200).end())
  service = await launchService({
    environment: {
      NODE_ENV: 'production',
      LOG_LEVEL: 'trace',
      DATABASE_URL: database.url,
      SECRETS_KEY: TEST_SECRETS_KEY,
      OPERATOR_MTN_MOMO_BASE_URL: simulator.url,
      OPERATOR_MTN_MOMO_SECRET: OPERATOR_SECRET,
      OPERATOR_MTN_MOMO_KEY: OPERATOR_KEY,
      ...SECRETS,
    },
  })
})
after(async () => {
  await service.stop()
  await receiver.close()
  await simulator.close()
  await database.drop()
  await rm(folder, { recursive: true, force: true })
})

async function post(address: string, headers: Record<string, string>, body: object): Promise<Record<string, string> | undefined> {
  const response = await fetch(`${service.baseUrl}${address}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  return response.status === 200 ? ((await response.json()) as Record<string, string>) : undefined
}

/** Signs the partner's program in, as soon as the service answers. */
async function signIn({ username, password, apiKey, apiId }: TestPartner) {
  const tokens = await waitUntil(
    'the partner signs in',
    () => post('/public/access_token', {}, { username, password }).catch(() => undefined),
    {
      limitMs: 240_000,
      pauseMs: 25,
    },
  )
  const headers = { apiKey, apiId, authorization: `Bearer ${tokens['access_token']}` }
  const collect = (transferMethod: string, countryName: string, phoneNumber: string) => {
    const what = { transferMethod, countryName, phoneNumber, customerName: 'Clarisse Mbarga', amount: 1_000 }
    const body = { ...what, externalId: randomUUID(), webhookUrl: receiver.url }
    return waitUntil('the collect is accepted', () => post('/api/v1/transaction/collect', headers, body))
  }
  return { tokens, collect }
}

/** A collect from the request to the webhook, so that the operator's and the partner's secrets are used as well as stored. */
async function collectOnce(partner: TestPartner): Promise<Record<string, string>> {
  const { applicationId } = partner
  must(await changeApplication(database.pool, { applicationId, change: { webhookNetworks: ['127.0.0.0/8'] }, actor: SYSTEM_ACTOR }))
  const { tokens, collect } = await signIn(partner)
  const { transactionId } = await collect('MOMOCM', 'CAMEROON', '237677209341')
  const webhook = await waitUntil('the webhook arrives', () =>
    receiver.received.find(({ body }) => body.includes(transactionId ?? 'no transaction')),
  )
  assert.ok(verifyWebhook(webhook.headers as Record<string, string>, webhook.body, partner.webhookSecret, new Date()), 'signed')
  return tokens
}

/** Every row of every table as text, bytes in hexadecimal: what pg_dump would write. */
async function dump(): Promise<string[]> {
  const { rows: tables } = await database.pool.query<{ name: string }>(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
       where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
  )
  assert.ok(tables.length > 20)
  const texts: string[] = []
  for (const { name } of tables) {
    const { rows } = await database.pool.query<{ row: string }>(`select t::text as row from ${name} t`)
    texts.push(...rows.map(({ row }) => `${name} ${row}`))
  }
  return texts
}

/** Throws what is anything other than a table that no longer exists. */
function undefinedTable(error: { code?: string }): undefined {
  if (error.code !== '42P01') throw error
}

/** The forms in which these bytes could be stored: as they are, hexadecimal, base 32, base 64 at any offset. */
function formsOf(bytes: Buffer): string[] {
  const shifted = [0, 1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64')
    // Without the characters that share bits with the bytes before and after.
    return text.slice(offset === 0 ? 0 : offset + 1, Math.floor(((offset + bytes.length) * 4) / 3) - 1)
  })
  const base32 = new Secret({ buffer: new Uint8Array(bytes).buffer }).base32
  return [
    bytes.toString('utf8'),
    bytes.toString('hex'),
    base32,
    ...shifted,
    ...shifted.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
  ]
}

/** A secret as it was issued, and the bytes that it encodes. */
function formsOfSecret(secret: string): string[] {
  const forms = formsOf(Buffer.from(secret))
  if (secret.startsWith('whsec_')) forms.push(...formsOf(Buffer.from(secret.slice('whsec_'.length), 'base64')))
  else if (/^[A-Z2-7]{32}$/.test(secret)) forms.push(...formsOf(Buffer.from(Secret.fromBase32(secret).bytes)))
  else if (/^[\w+/-]{43}=?$/.test(secret)) forms.push(...formsOf(Buffer.from(secret, 'base64')))
  return forms
}

function findLeaks(texts: readonly string[], secrets: Readonly<Record<string, string>>): string[] {
  const lowered = texts.map((text) => text.toLowerCase())
  return Object.entries(secrets).flatMap(([name, secret]) => {
    const place = lowered.findIndex((text) => formsOfSecret(secret).some((form) => text.includes(form.toLowerCase())))
    return place < 0 ? [] : [`${name} in ${texts[place]}`]
  })
}

test('no secret is found, in any encoding, in a dump of a database after a collect', async () => {
  const partner = await createTestPartner(database.pool)
  const { applicationId } = partner
  const tokens = await collectOnce(partner)
  const rotated = must(await rotateWebhookSecret(database.pool, { applicationId, othersExpireAt: new Date(), actor: SYSTEM_ACTOR }))
  const person = must(
    await createPerson(database.pool, { applicationId, email: 'awa@example.com', name: 'Awa', roles: ['checker'], actor: SYSTEM_ACTOR }),
  )
  const secondFactor = must(await startSecondFactor(database.pool, { personId: person.personId }))
  const settings = { baseUrl: 'http://127.0.0.1:1', secret: STORED_OPERATOR_SECRET }
  must(await setOperator(database.pool, { operator: 'BFOM', protocol: 'gateway', changes: settings, actor: SYSTEM_ACTOR }))
  const secrets = {
    'stored operator secret': STORED_OPERATOR_SECRET,
    'operator secret': OPERATOR_SECRET,
    'operator key': OPERATOR_KEY,
    'secrets key': TEST_SECRETS_KEY,
    'token secret': SECRETS.TOKEN_SECRET,
    'session secret': SECRETS.SESSION_SECRET,
    'webhook secret': partner.webhookSecret,
    'rotated webhook secret': rotated.webhookSecret,
    'secret of a second factor': secondFactor.secret,
    'API key': partner.apiKey,
    'API password': partner.password,
    'password of a person': person.password ?? '',
    'access token': tokens['access_token'] ?? '',
    'refresh token': tokens['refresh_token'] ?? '',
  }
  for (const [name, secret] of Object.entries(secrets)) assert.ok(secret.length >= 20, name)
  // The queue of tasks creates and renames its tables after the start.
  const texts = await waitUntil('no table changes its name meanwhile', () => dump().catch(undefinedTable), { pauseMs: 100 })
  assert.ok(texts.some((text) => text.includes('237677209341')) && texts.some((text) => text.includes('sealed:1:')))
  assert.deepEqual(findLeaks(texts, secrets), [])
})

test('no secret of an operator is in the log at its finest level: used, refused, unreachable, and in settings that do not fit', async () => {
  const { collect } = await signIn(await createTestPartner(database.pool))
  const secret = STORED_OPERATOR_SECRET
  const stored = { protocol: 'gateway', actor: SYSTEM_ACTOR } as const
  must(await setOperator(database.pool, { ...stored, operator: 'SNFREE', changes: { baseUrl: simulator.url, secret } }))
  must(await setOperator(database.pool, { ...stored, operator: 'SNOM', changes: { baseUrl: 'http://127.0.0.1:1', secret } }))
  // As somebody with access to the database could have stored it: a secret where none belongs.
  const misfit = { baseUrl: secret, environment: secret, clientId: secret, clientSecret: secret, pin: { [secret]: secret } }
  await withTransaction(database.pool, async (trx) => {
    await putSettings(trx, { operator: 'UGAIRTEL', protocol: 'airtel', document: misfit }, undefined)
    return ok(undefined)
  })
  await waitUntil('the settings are read', () => service.output().includes('The settings of UGAIRTEL do not fit'))
  const operators = ['MOMOCM', 'SNFREE', 'SNOM']
  await collect('MOMOCM', 'CAMEROON', '237677209341')
  for (const operator of ['SNFREE', 'SNOM']) await collect(operator, 'SENEGAL', '221762093341')
  await waitUntil('each operator was called', async () => {
    const { rows } = await database.pool.query<{ operator: string }>(
      'select distinct t.operator from all_operator_attempts a join transactions t using (application_id, transaction_id) where a.finished_at is not null',
    )
    return operators.every((operator) => rows.some((row) => row.operator === operator))
  })
  const log = service.output().split('\n')
  assert.ok(log.some((line) => line.includes('/api/v1/transaction/collect')))
  assert.deepEqual(findLeaks(log, { secret, 'operator secret': OPERATOR_SECRET, 'operator key': OPERATOR_KEY }), [])
})

test('the name of the table is found for a secret that is stored, in each of these encodings', async () => {
  const secrets = { webhook: `whsec_${randomBytes(32).toString('base64')}`, totp: new Secret({ size: 20 }).base32 }
  const totpBytes = Buffer.from(Secret.fromBase32(secrets.totp).bytes)
  await database.pool.query('create table leak (note text, bytes bytea)')
  try {
    for (const [note, bytes, name] of [
      [`{"secret":"${secrets.webhook}"}`, null, 'webhook'],
      [Buffer.from(`{"secret":"${secrets.webhook}"}`).toString('base64'), null, 'webhook'],
      [null, Buffer.from(secrets.webhook.slice(6), 'base64'), 'webhook'],
      [null, Buffer.from(secrets.totp), 'totp'],
      [totpBytes.toString('hex'), null, 'totp'],
      [`x${totpBytes.toString('base64url')}`, null, 'totp'],
      [Buffer.concat([Buffer.from('ab'), totpBytes, Buffer.from('c')]).toString('base64'), null, 'totp'],
    ] as const) {
      await database.pool.query('insert into leak values ($1, $2)', [note, bytes])
      assert.match(findLeaks(await dump(), secrets).join(), new RegExp(`^${name} in public.leak`), `${note} ${bytes}`)
      await database.pool.query('delete from leak')
    }
  } finally {
    await database.pool.query('drop table leak')
  }
})
