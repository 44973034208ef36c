import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import { loadConfig } from './config.ts'

const SECRETS_KEY = Buffer.alloc(32, 7).toString('base64')
const SECRETS = { TOKEN_SECRET: 't'.repeat(32), SESSION_SECRET: 's'.repeat(32), SECRETS_KEY }
const DATABASE_URL = 'postgres://app:pw@db:5432/countersign'
const PRODUCTION = { NODE_ENV: 'production', DATABASE_URL, PUBLIC_URL: 'https://pay.example.com', ...SECRETS }

test('the sandbox on 127.0.0.1:3000 with its own database when nothing is configured', () => {
  const config = loadConfig({})
  assert.equal(config.isSandbox, true)
  assert.equal(config.isProduction, false)
  assert.equal(config.databaseUrl, undefined)
  assert.equal(config.publicUrl, 'http://127.0.0.1:3000')
  assert.equal(config.dataDirectory, path.resolve('.data'))
  assert.deepEqual(config.operators, {})
})

test('the default for an empty variable', () => {
  assert.equal(loadConfig({ PORT: '', DATABASE_URL: '' }).port, 3000)
})

for (const [name, value] of [
  ['PORT', '70000'],
  ['PORT', 'http'],
  ['PORT', '-1'],
  ['ROLE', 'boss'],
  ['WEB_CONCURRENCY', '0'],
  ['WEB_CONCURRENCY', '1.5'],
  ['WORKER_CONCURRENCY', '0'],
  ['DATABASE_URL', 'mysql://x'],
  ['DATABASE_WAIT_MS', '-1'],
  ['DATABASE_REPLICA_URL', 'nonsense'],
  ['TRUSTED_PROXIES', '10.0.0.0/8, example'],
  ['TOKEN_SECRET', 'short'],
  ['SESSION_SECRET', 'short'],
  ['SECRETS_KEY', 'short'],
  ['SECRETS_KEY', 'a sentence of more than thirty-two characters'],
  ['SECRETS_KEY_PREVIOUS', `${SECRETS_KEY},short`],
  ['CRASHES', 'many'],
  ['LOG_LEVEL', 'loud'],
  ['POOL_SIZE', '1'],
  ['SIMULATOR_DELAY_MS', 'soon'],
  ['SIMULATOR_PORT', '0'],
  ['PREPARED_STATEMENTS', 'maybe'],
  ['SANDBOX', 'yes please'],
  ['PUBLIC_URL', '/here'],
  ['METRICS_TOKEN', 'x'],
  ['SMTP_URL', 'http://mail.example'],
  ['MAIL_FROM', 'A <a@b.example>\nBcc: c@d.example'],

  ['OIDC_ISSUER', 'login.example'],
  ['NODE_ENV', 'prod'],
  ['HOST', 'a b'],
  ['OPERATOR_MTN_MOMO_BASE_URL', 'ftp://x'],
] as const) {
  test(`one sentence that names the variable: ${name}=${value}`, () => {
    assert.throws(
      () => loadConfig({ [name]: value }),
      (error: Error) => error.message.startsWith(name) && /^[^.]+.*\.$/.test(error.message) && !error.message.includes('\n'),
    )
  })
}

for (const name of ['TOKEN_SECRET', 'SESSION_SECRET', 'SECRETS_KEY', 'DATABASE_URL', 'PUBLIC_URL'] as const) {
  test(`an error for production without ${name}`, () => {
    assert.throws(() => loadConfig({ ...PRODUCTION, [name]: undefined }), new RegExp(`^Error: ${name} is missing`))
  })
}

test('an error that names the missing variable of the identity provider, and all of them when they are set', () => {
  const [OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET] = ['https://login.example/realm/', 'countersign', 'a secret']
  assert.throws(() => loadConfig({ OIDC_CLIENT_ID }), /^Error: OIDC_ISSUER is missing/)
  assert.throws(() => loadConfig({ OIDC_ISSUER, OIDC_CLIENT_SECRET }), /^Error: OIDC_CLIENT_ID is missing/)
  assert.throws(() => loadConfig({ OIDC_ISSUER, OIDC_CLIENT_ID }), /^Error: OIDC_CLIENT_SECRET is missing/)
  const whole = { ...PRODUCTION, OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, OIDC_SECOND_FACTOR_AMR: 'mfa, hwk' }
  assert.throws(() => loadConfig({ ...whole, OIDC_ISSUER: 'http://login.example' }), /^Error: OIDC_ISSUER must be an https address/)
  assert.deepEqual(loadConfig(whole).singleSignOn, {
    name: 'Single sign-on',
    issuer: 'https://login.example/realm',
    clientId: 'countersign',
    clientSecret: 'a secret',
    secondFactor: { amr: ['mfa', 'hwk'], acr: [] },
  })
  assert.equal(loadConfig(PRODUCTION).singleSignOn, undefined)
})

test('an error that names the missing one of SMTP_URL and MAIL_FROM, and both when they are set', () => {
  const [SMTP_URL, MAIL_FROM] = ['smtps://user:pw@mail.example:465', 'Countersign <pay@example.com>']
  assert.throws(() => loadConfig({ SMTP_URL }), /^Error: MAIL_FROM is missing/)
  assert.throws(() => loadConfig({ MAIL_FROM }), /^Error: SMTP_URL is missing/)
  assert.deepEqual(loadConfig({ SMTP_URL, MAIL_FROM }).mail, { smtpUrl: SMTP_URL, from: MAIL_FROM })
})

test('production is a sandbox only with SANDBOX=1', () => {
  assert.equal(loadConfig(PRODUCTION).isSandbox, false)
  assert.equal(loadConfig(PRODUCTION).isProduction, true)
  assert.equal(loadConfig({ ...PRODUCTION, SANDBOX: '1' }).isSandbox, true)
})

test('an error for one secret with two purposes in production', () => {
  assert.throws(() => loadConfig({ ...PRODUCTION, SESSION_SECRET: SECRETS.TOKEN_SECRET }), /^Error: SESSION_SECRET must differ/)
  assert.throws(() => loadConfig({ ...PRODUCTION, TOKEN_SECRET: SECRETS_KEY }), /^Error: SECRETS_KEY must differ/)
})

for (const environment of [{}, { NODE_ENV: 'development' }, { NODE_ENV: 'test' }, { SANDBOX: '0' }, { NODE_ENV: 'test', SANDBOX: '0' }]) {
  test(`an error for DATABASE_URL with ${JSON.stringify(environment)}: the mode is not set`, () => {
    assert.throws(() => loadConfig({ ...PRODUCTION, NODE_ENV: undefined, ...environment }), /needs NODE_ENV=production/)
  })
}

test('DATABASE_URL is returned for a sandbox with SANDBOX=1', () => {
  assert.equal(loadConfig({ DATABASE_URL, SANDBOX: '1' }).isSandbox, true)
})

for (const [publicUrl, isAllowed] of [
  ['https://pay.example.com', true],
  ['http://pay.example.com', false],
  ['http://10.0.0.5:3000', false],
  ['http://127.0.0.1.example.com', false],
  ['http://localhost.example.com', false],
  ['http://127.0.0.1:3000', true],
  ['http://localhost:3000', true],
  ['http://[::1]:3000', true],
] as const) {
  test(`production ${isAllowed ? 'accepts' : 'refuses'} ${publicUrl} as its address, by either name`, () => {
    for (const name of ['PUBLIC_URL', 'NEXTAUTH_URL']) {
      const load = () => loadConfig({ ...PRODUCTION, PUBLIC_URL: undefined, [name]: publicUrl })
      if (isAllowed) assert.equal(load().publicUrl, publicUrl)
      else assert.throws(load, new RegExp(`^Error: ${name} must be an https address`))
    }
  })
}

test('a list of keys from SECRETS_KEY_PREVIOUS', () => {
  const other = Buffer.alloc(32, 8).toString('hex')
  assert.deepEqual(loadConfig({ ...PRODUCTION, SECRETS_KEY_PREVIOUS: `${other}, ${SECRETS_KEY}` }).secretsKeys, {
    current: SECRETS_KEY,
    previous: [other, SECRETS_KEY],
  })
})

test('settings of an operator by its code or its protocol, and only with its secret', () => {
  const { operators } = loadConfig({
    OPERATOR_MTN_MOMO_BASE_URL: 'https://momo.example/',
    OPERATOR_MTN_MOMO_SECRET: 'm',
    OPERATOR_UGMTN_BASE_URL: 'https://ug.example',
    OPERATOR_UGMTN_SECRET: 'u',
    OPERATOR_UGMTN_KEY: 'k',
  })
  assert.deepEqual(Object.keys(operators).sort(), ['BJMTN', 'MOMOCM', 'UGMTN'])
  assert.deepEqual(operators.MOMOCM, { baseUrl: 'https://momo.example', key: undefined, secret: 'm' })
  assert.deepEqual(operators.UGMTN, { baseUrl: 'https://ug.example', key: 'k', secret: 'u' })
  assert.throws(() => loadConfig({ OPERATOR_WAVE_BASE_URL: 'https://wave.example' }), /^Error: OPERATOR_WAVE_SECRET is missing/)
})

for (const hosts of ['h1:5432,h2:5433/countersign', 'h1,h2/countersign', 'h1/countersign?host=h1,h2']) {
  test(`an error that names HAProxy for an address with several hosts: ${hosts}`, () => {
    const address = `postgres://app:pw,word@${hosts}`
    assert.throws(() => loadConfig({ ...PRODUCTION, DATABASE_URL: address }), /^Error: DATABASE_URL must name one host: .* HAProxy /)
    assert.equal(loadConfig({ ...PRODUCTION, DATABASE_URL: 'postgres://app:pw,word@h1/x' }).databaseUrl, 'postgres://app:pw,word@h1/x')
  })
}

test('60 s for a database to come, unless DATABASE_WAIT_MS says otherwise', () => {
  assert.equal(loadConfig({}).databaseWaitMs, 60_000)
  assert.equal(loadConfig({ DATABASE_WAIT_MS: '0' }).databaseWaitMs, 0)
})
