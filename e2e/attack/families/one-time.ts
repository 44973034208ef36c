import type { Arsenal } from '#e2e/attack/arsenal.ts'
import type { AttackCase, CaseMaker, Family } from '#e2e/attack/case.ts'
import { draw, filterValues, jsonValues, noIds } from '#e2e/attack/values.ts'
import { oneRequest } from '#e2e/attack/wire/request.ts'
import type { Random } from '#lib/seeded-random.ts'

const PAGES: Readonly<Record<string, string>> = {
  openInvitation: '/sign-in/invitation',
  joinApplication: '/sign-in/invitation',
  openPasswordLink: '/sign-in/new-password',
  chooseNewPassword: '/sign-in/new-password',
  startPasskeyAction: '/sign-in',
  passkeyAction: '/sign-in',
}

/** Calls an action as a browser without a session would, from some address. */
function call(what: string, random: Random, arsenal: Arsenal, name: string, input: readonly unknown[] | string): AttackCase {
  const id = arsenal.actions.find((action) => action.name.endsWith(` ${name}`))?.id ?? ''
  const host = `${arsenal.host}:${arsenal.port}`
  return oneRequest(
    `${name} with ${what}`,
    {
      method: 'POST',
      target: PAGES[name] ?? '/sign-in',
      host,
      headers: [
        ['Next-Action', id],
        ['Content-Type', 'text/plain;charset=UTF-8'],
        ['Accept', 'text/x-component'],
        ['Origin', `http://${host}`],
      ],
      body: typeof input === 'string' ? input : JSON.stringify(input),
    },
    ['2xx', '3xx', '4xx'],
    {
      from: `127.2.${random.between(1, 250)}.${random.between(2, 250)}`,
      inspect: ([answer]) => {
        if (answer?.body.includes('"code":"unexpected"')) return 'the action ran into a bug'
        if (/session=[^;]/.test(answer?.headers['set-cookie'] ?? '')) return 'a stranger got a session'
        if (/"email":"[^"]+@/.test(answer?.body ?? '')) return 'a stranger learned an e-mail address'
        return undefined
      },
    },
  )
}

function tokenOf(random: Random): unknown {
  return random.pick<() => unknown>([
    () => random.uuid(),
    () => random.uuid().replaceAll('-', '') + random.uuid().replaceAll('-', '').slice(0, 11),
    () => draw(random, noIds),
    () => JSON.parse(draw(random, jsonValues).replace('1e400', '1')),
    () => 'x'.repeat(50_000),
    () => 'a\0b',
    () => '',
  ])()
}

const links: CaseMaker = {
  name: 'tokens of mails that are guessed',
  make(random, arsenal) {
    const name = random.pick(['openInvitation', 'joinApplication', 'openPasswordLink', 'chooseNewPassword'])
    const token = tokenOf(random)
    const input = { token, name: 'Somebody', password: 'a long enough password', wantsSecondFactor: random.pick([true, false, 'x']) }
    return call(`the token ${String(JSON.stringify(token)).slice(0, 40)}`, random, arsenal, name, [input])
  },
}

/** The answer of a device, to a challenge that nobody requested or that was made up. */
function assertion(random: Random): Record<string, unknown> {
  const challenge = random.uuid()
  const client = {
    type: random.pick(['webauthn.get', 'webauthn.create', '']),
    challenge,
    origin: random.pick(['http://localhost:3000', 'null']),
  }
  const bytes = (count: number) => Buffer.alloc(count, random.between(0, 255)).toString('base64url')
  return {
    id: random.pick([bytes(16), '', '%', 'A'.repeat(20_000)]),
    clientDataJSON: random.pick([Buffer.from(JSON.stringify(client)).toString('base64url'), bytes(50), '']),
    authenticatorData: random.pick([bytes(37), bytes(0), bytes(5_000)]),
    signature: random.pick([bytes(64), '']),
    userHandle: random.pick([null, bytes(16), 7]),
  }
}

const passkeys: CaseMaker = {
  name: 'passkeys that nobody has',
  make(random, arsenal) {
    if (random.chance(0.2)) return call('nothing', random, arsenal, 'startPasskeyAction', [])
    const answer = assertion(random)
    const field = random.pick([...Object.keys(answer), ''])
    const spoilt = random.chance(0.5) ? { ...answer, [field]: JSON.parse(draw(random, jsonValues).replace('1e400', '1')) } : answer
    const next = random.pick(['/', 'http://evil.example', '//evil.example', 7])
    return call('a signature', random, arsenal, 'passkeyAction', [spoilt, next])
  },
}

const SSO = [
  'GET /api/auth/callback/sso',
  'GET /api/auth/callback/sso?code=x&state=y',
  'GET /api/auth/callback/sso?error=access_denied&error_description=%3Cscript%3E',
  'GET /api/auth/callback/sso?code=%00&state=%00',
  `GET /api/auth/callback/sso?code=${'c'.repeat(8_000)}&state=x`,
  'GET /api/auth/callback/sso?state=x&state=y&code[]=z',
  'GET /api/auth/callback/sso?iss=http://evil.example&code=x',
  'GET /api/auth/signin/sso',
  'GET /api/auth/signin/sso?callbackUrl=http://evil.example',
  'POST /api/auth/signin/sso',
  'POST /api/auth/callback/sso',
] as const
const SSO_COOKIES = [
  '',
  'next-auth.state=x; next-auth.pkce.code_verifier=y; next-auth.nonce=z',
  'next-auth.state=%; next-auth.pkce.code_verifier=%',
  `next-auth.state=${'s'.repeat(4_000)}`,
  '__Secure-next-auth.state=a.b.c.d.e',
] as const

const singleSignOn: CaseMaker = {
  name: 'single sign-on without a provider',
  make(random) {
    const [method = 'GET', target = ''] = random.pick(SSO).split(' ')
    const cookie = random.pick(SSO_COOKIES)
    return oneRequest(
      `${method} ${target.slice(0, 80)}`,
      {
        method,
        target,
        headers: [
          ['Cookie', cookie],
          ['Content-Type', 'application/x-www-form-urlencoded'],
        ],
        ...(method === 'POST' && { body: random.pick(['', 'csrfToken=x&callbackUrl=http%3A%2F%2Fevil.example']) }),
      },
      ['3xx', '4xx'],
      {
        inspect: ([answer]) => {
          if (/^(?:https?:)?\/\/evil/.test(answer?.headers['location'] ?? '')) return 'the answer leads to an address of the attacker'
          return /session=[^;]/.test(answer?.headers['set-cookie'] ?? '') ? 'a stranger got a session' : undefined
        },
      },
    )
  },
}

/** The pages that mails lead to, and those of a sign-in, with filters. */
const pages: CaseMaker = {
  name: 'pages of mails with filters',
  make(random) {
    const path = random.pick([
      '/sign-in',
      '/sign-in/invitation',
      '/sign-in/new-password',
      '/sign-in/second-factor',
      '/sign-in/invitations',
      '/docs',
      '/docs/nothing',
      '/docs/search',
    ])
    const target = `${path}?${random.pick(['next', 'token', 'guessed', 'error', 'q', 'lang'])}=${draw(random, filterValues)}`
    return oneRequest(`GET ${target.slice(0, 100)}`, { target }, ['2xx', '3xx', '4xx'], {
      inspect: ([answer]) =>
        /^(?:https?:)?\/\/evil/.test(answer?.headers['location'] ?? '') ? 'the page leads to an address of the attacker' : undefined,
    })
  },
}

export const oneTime: Family = { name: 'one-time', weight: 4, makers: [links, links, passkeys, passkeys, singleSignOn, pages] }
