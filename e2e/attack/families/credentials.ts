import { createHmac } from 'node:crypto'
import type { Arsenal } from '#e2e/attack/arsenal.ts'
import type { AttackCase, CaseMaker, Family, StatusRule } from '#e2e/attack/case.ts'
import { credentials, type Header, JSON_CONTENT, oneRequest } from '#e2e/attack/wire/request.ts'
import type { Random } from '#lib/seeded-random.ts'
import { objectText, TRANSACTION_PATH, transfer } from './transfers.ts'

/** A deposit with these headers: a refused one must not start. */
function depositWith(
  what: string,
  random: Random,
  arsenal: Arsenal,
  headers: readonly Header[],
  statuses: readonly StatusRule[] = [401],
): AttackCase {
  const fields = transfer(random, arsenal)
  return oneRequest(
    `a deposit with ${what}`,
    { method: 'POST', target: `${TRANSACTION_PATH}/deposit`, headers: [...headers, JSON_CONTENT], body: objectText(fields) },
    statuses,
    { starts: [fields.id], overload: 'the intake may be full for a moment' },
  )
}

const without: CaseMaker = {
  name: 'a credential that is missing, empty or altered',
  make(random, arsenal) {
    const own = credentials(arsenal)
    const place = random.between(0, 2)
    const [name, value] = own[place] ?? ['', '']
    const change = random.pick(['missing', 'empty', 'spaces', 'cut', 'longer', 'one letter', 'other case', 'NUL-like', 'quoted'] as const)
    const altered: Record<typeof change, string | undefined> = {
      missing: undefined,
      empty: '',
      spaces: '   ',
      cut: value.slice(0, -1),
      longer: `${value}x`,
      'one letter': `${value.slice(0, -4)}${value.at(-4) === 'A' ? 'B' : 'A'}${value.slice(-3)}`,
      'other case': value === value.toUpperCase() ? value.toLowerCase() : value.toUpperCase(),
      'NUL-like': `${value}%00`,
      quoted: `"${value}"`,
    }
    const changed = altered[change]
    const headers = own.flatMap((header, index) => (index !== place ? [header] : changed === undefined ? [] : [[name, changed] as const]))
    // An id may be written in either case; the last letters of a signature may say the same.
    const isOpen = name === 'apiId' && change === 'other case'
    return depositWith(`${name} ${change}`, random, arsenal, headers, isOpen ? [200, 401] : [401])
  },
}

const mixed: CaseMaker = {
  name: 'credentials of two applications',
  make(random, arsenal) {
    const [own, foreign] = [credentials(arsenal), credentials({ ...arsenal, program: arsenal.other })]
    const pattern = random.pick([
      [0, 0, 1],
      [0, 1, 0],
      [1, 0, 0],
      [0, 1, 1],
      [1, 0, 1],
      [1, 1, 0],
    ] as const)
    const headers = pattern.flatMap((source, index) => {
      const header = (source === 0 ? own : foreign)[index]
      return header ? [header] : []
    })
    return depositWith(`credentials mixed ${pattern.join('')}`, random, arsenal, headers)
  },
}

function base64(value: unknown): string {
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')
}

/** Tokens that are unsigned, signed with another key, or changed after they were signed. */
function forge(random: Random, arsenal: Arsenal): { what: string; token: string } {
  const [head = '', payload = '', signature = ''] = arsenal.program.accessToken.split('.')
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as Record<string, unknown>
  const [, otherPayload = '', otherSignature = ''] = arsenal.other.accessToken.split('.')
  const signed = (header: object, body: object, secret: string) => {
    const text = `${base64(header)}.${base64(body)}`
    return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
  }
  return random.pick([
    { what: 'alg none', token: `${base64({ alg: 'none', typ: 'JWT' })}.${payload}.` },
    { what: 'alg None', token: `${base64({ alg: 'None' })}.${payload}.${signature}` },
    { what: 'alg HS512', token: `${base64({ alg: 'HS512' })}.${payload}.${signature}` },
    { what: 'alg RS256', token: `${base64({ alg: 'RS256' })}.${payload}.${signature}` },
    { what: 'a key of its own', token: `${base64({ alg: 'HS256', jwk: { kty: 'oct', k: base64('key') } })}.${payload}.${signature}` },
    { what: 'a key id that is a path', token: `${base64({ alg: 'HS256', kid: '../../dev/null' })}.${payload}.${signature}` },
    { what: 'an empty secret', token: signed({ alg: 'HS256' }, claims, '') },
    { what: 'a guessed secret', token: signed({ alg: 'HS256' }, claims, 'secret') },
    { what: 'a later end', token: `${head}.${base64({ ...claims, exp: 9_999_999_999 })}.${signature}` },
    { what: 'another application', token: `${head}.${otherPayload}.${signature}` },
    { what: "another token's signature", token: `${head}.${payload}.${otherSignature}` },
    { what: 'no signature', token: `${head}.${payload}` },
    { what: 'four parts', token: `${head}.${payload}.${signature}.x` },
    { what: 'five parts', token: 'a.b.c.d.e' },
    { what: 'dots', token: '...' },
    { what: 'no JSON inside', token: `${base64('x')}.${base64('y')}.${signature}` },
    { what: 'claims that are a list', token: signed({ alg: 'HS256' }, [], 'x') },
    { what: 'crit', token: signed({ alg: 'HS256', crit: ['x'], x: 1 }, claims, 'x') },
    { what: '4,097 letters', token: 'a'.repeat(4_097) },
    { what: '15,000 letters', token: `${'a'.repeat(15_000)}` },
    { what: 'a refresh token', token: arsenal.program.refreshToken },
    { what: 'the API key', token: arsenal.program.apiKey },
  ])
}

const forged: CaseMaker = {
  name: 'forged tokens',
  make(random, arsenal) {
    const { what, token } = forge(random, arsenal)
    return depositWith(`a token with ${what}`, random, arsenal, [...credentials(arsenal).slice(0, 2), ['Authorization', `Bearer ${token}`]])
  },
}

/** Signed with the service's own secret, as after a leak of it: the claims alone must not be believed. */
const signedWrongly: CaseMaker = {
  name: 'tokens that are signed well and say something wrong',
  make(random, arsenal) {
    const [head = '', payload = ''] = arsenal.program.accessToken.split('.')
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as Record<string, unknown>
    const [, otherPayload = ''] = arsenal.other.accessToken.split('.')
    const foreign = JSON.parse(Buffer.from(otherPayload, 'base64url').toString('utf8')) as Record<string, unknown>
    const nowSeconds = Math.floor(Date.now() / 1_000)
    const [what, changes] = random.pick([
      ['expired an hour ago', { exp: nowSeconds - 3_600, iat: nowSeconds - 7_200 }],
      ['expired at the beginning of time', { exp: 0 }],
      ['an expiry that is not a number', { exp: 'never' }],
      ['no end', { exp: undefined }],
      ['not valid before next year', { nbf: nowSeconds + 31_536_000 }],
      ['another audience', { aud: 'somebody else' }],
      ['another issuer', { iss: 'somebody else' }],
      ['an unknown user', { sub: random.uuid() }],
      ['an empty user', { sub: '' }],
      ['a user that is not an id', { sub: "' or 1=1 --" }],
      ['no user', { sub: undefined }],
      ['the user of another application', { sub: foreign['sub'] }],
      ['another application', { app: foreign['app'] }],
      ['no application', { app: undefined }],
    ] as const)
    const text = `${head}.${base64({ ...claims, ...changes })}`
    const token = `${text}.${createHmac('sha256', arsenal.tokenSecret).update(text).digest('base64url')}`
    return depositWith(`a signed token with ${what}`, random, arsenal, [
      ...credentials(arsenal).slice(0, 2),
      ['Authorization', `Bearer ${token}`],
    ])
  },
}

const SCHEMES = ['bearer', 'BEARER', 'Basic', 'Token', 'Bearer:', 'Bearer\t', 'Bearer  ', ''] as const

const schemes: CaseMaker = {
  name: 'other schemes of authorisation',
  make(random, arsenal) {
    const scheme = random.pick(SCHEMES)
    const isBearer = /^bearer\s*$/i.test(scheme)
    const headers: Header[] = [...credentials(arsenal).slice(0, 2), ['Authorization', `${scheme} ${arsenal.program.accessToken}`]]
    return depositWith(`the scheme ${JSON.stringify(scheme)}`, random, arsenal, headers, isBearer ? [200, 401] : [401])
  },
}

const foreignIds: CaseMaker = {
  name: "another application's transactions",
  make(random, arsenal) {
    const id = random.pick(arsenal.other.transactionIds)
    const checkerId = random.pick([...arsenal.program.people, ...arsenal.other.people]).id
    const target = random.pick([
      `transaction-status?id=${id}`,
      `chekTransactionStatus?transactionId=${id}`,
      `validateTransaction?transactionId=${id}&checkerId=${checkerId}&payeeNote=x`,
      `rejectTransaction?transactionId=${id}&checkerId=${checkerId}&reason=x`,
    ])
    return oneRequest(
      `${target.split('?', 1)[0]} of another application's transaction`,
      { method: 'POST', target: `${TRANSACTION_PATH}/${target}`, headers: credentials(arsenal), body: '' },
      [404, 403, 429],
    )
  },
}

const wrongPasswords: CaseMaker = {
  name: 'wrong passwords of programs',
  make(random) {
    const username = random.pick([`nobody${random.between(1, 9_999)}@example.com`, "' or 1=1 --", 'admin', '\u0001', 'x'.repeat(1_000)])
    const body = JSON.stringify({ username, password: `wrong${random.between(1, 1e9)}` })
    return oneRequest(
      `a wrong password for ${JSON.stringify(username.slice(0, 40))}`,
      { method: 'POST', target: '/public/access_token', headers: [JSON_CONTENT], body },
      [400, 401, 429],
    )
  },
}

const refreshTokens: CaseMaker = {
  name: 'refresh tokens that are none',
  make(random, arsenal) {
    const own = arsenal.program.refreshToken
    const refreshToken = random.pick([
      `${own}x`,
      own.slice(0, -1),
      own.toUpperCase(),
      arsenal.program.accessToken.slice(0, 1_000),
      'x',
      '\u0000',
      '%00',
      own.split('').reverse().join(''),
    ])
    return oneRequest(
      'a refresh token that is none',
      { method: 'POST', target: '/public/refresh_token', headers: [JSON_CONTENT], body: JSON.stringify({ refreshToken }) },
      [400, 401, 429],
    )
  },
}

const callbacks: CaseMaker = {
  name: 'callbacks that no operator signed',
  make(random, arsenal) {
    const id = random.pick(arsenal.program.transactionIds)
    const seconds = Math.floor(Date.now() / 1_000)
    const signature = random.pick([
      'absent',
      '',
      'x',
      `t=${seconds},v1=${'0'.repeat(64)}`,
      `t=${seconds},v1=`,
      't=,v1=',
      `t=${'9'.repeat(12)},v1=${'f'.repeat(64)}`,
    ])
    const body = JSON.stringify({
      reference: id,
      status: random.pick(['SUCCESS', 'FAILED']),
      operatorReference: 'x',
      context: random.uuid(),
    })
    const headers: Header[] = [JSON_CONTENT, ...(signature === 'absent' ? [] : [['x-sandbox-signature', signature] as const])]
    return oneRequest(
      `a callback with the signature ${signature}`,
      { method: 'POST', target: `/operators/callback/${random.pick(['MOMOCM', 'OMCM', 'UGMTN'])}`, headers, body },
      [400, 401, 403, 404],
    )
  },
}

export const credentialAttacks: Family = {
  name: 'credentials',
  weight: 8,
  makers: [without, mixed, forged, forged, signedWrongly, schemes, foreignIds, wrongPasswords, refreshTokens, callbacks],
}
