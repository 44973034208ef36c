import { credentials, type Header } from '#e2e/attack/wire/request.ts'
import type { Random } from '#lib/seeded-random.ts'
import type { Arsenal } from './arsenal.ts'

/** The kinds of address of the service. Everything that attacks bodies, methods and headers is tried on each of them. */
export const PLACES = [
  'start',
  'query',
  'token',
  'page',
  'no-page',
  'data',
  'auth',
  'action',
  'stream',
  'callback',
  'open',
  'form',
] as const
export type PlaceKind = (typeof PLACES)[number]

export type Place = {
  kind: PlaceKind
  method: 'GET' | 'POST'
  target: string
  /** With what opens it: credentials or a session. Empty for a stranger. */
  headers: readonly Header[]
}

/** Some address of this kind, with credentials or without. */
export function placeOf(kind: PlaceKind, random: Random, arsenal: Arsenal, isStranger = random.chance(0.5)): Place {
  const { slug } = arsenal.program
  const visitor = random.pick(arsenal.visitors)
  const session: Header[] = isStranger ? [] : [['Cookie', visitor.cookie]]
  const program = isStranger ? [] : credentials(arsenal)
  const action = random.pick(isStranger ? arsenal.actions : arsenal.actions.filter(({ name }) => !ACTS_WITHOUT_INPUT.test(name)))
  switch (kind) {
    case 'start':
      return post(kind, `/api/v1/transaction/${random.pick(['collect', 'deposit', 'depositMultiple'])}`, program)
    case 'query':
      return get(kind, `/api/v1/transaction/${random.pick(QUERIES)}`, program)
    case 'token':
      return post(kind, random.pick(['/public/access_token', '/public/refresh_token']), [])
    case 'page':
      return get(
        kind,
        random.pick(['/', '/sign-in', `/${slug}`, `/${slug}/transactions`, `/${slug}/totals`, `/${slug}/approvals`]),
        session,
      )
    case 'no-page':
      return get(
        kind,
        `/${random.pick(['no-such-application', 'nothing/at/all', 'sign-in/x', 'favicon.png', 'robots.txt', '.env', 'wp-login.php'])}`,
        session,
      )
    case 'data':
      return get(kind, `/api/back-office/${slug}/${random.pick(DATA)}`, session)
    case 'stream':
      return get(kind, `/api/back-office/${slug}/live`, session)
    case 'auth':
      return post(kind, `/api/auth/${random.pick(AUTH)}`, session)
    case 'action':
      return post(kind, action.page.replaceAll('[application]', slug).replaceAll(/\[\w+\]/g, 'MOMOCM'), [
        ...session,
        ['Next-Action', action.id],
      ])
    case 'callback':
      return post(kind, `/operators/callback/${random.pick(['MOMOCM', 'CIWAVE', 'UGAIRTEL'])}`, [])
    case 'open':
      return get(kind, random.pick(['/health/live', '/health', '/api/v1/openapi.json', '/pay/none']), [])
    case 'form':
      return post(kind, `/api/back-office/${slug}/transactions/export`, session)
  }
}

/** These act without input, so a signed-in attacker would end its own session or change its own second factor. */
const ACTS_WITHOUT_INPUT = /(?: signOut| signOutEverywhere| startEnrolment| renewCodes| switchOff)$/

const QUERIES = [
  'getByApplicationProduct?page=0&size=5',
  'getByApplicationProductAndStatus?transactionStatus=SUCCESS&page=0&size=5',
  'getByApplicationProductBalances',
  'getTotalAmountByApplicationProduct',
] as const
const DATA = ['overview', 'transactions', 'approvals', 'waiting', 'totals', 'balances', 'balances/MOMOCM', 'balances/MOMOCM/lines'] as const
const AUTH = [
  'callback/credentials',
  'signin/credentials',
  'signout',
  'session',
  '_log',
  'csrf',
  'error',
  'nothing',
  'callback/nothing',
] as const

function get(kind: PlaceKind, target: string, headers: readonly Header[]): Place {
  return { kind, method: 'GET', target, headers }
}

function post(kind: PlaceKind, target: string, headers: readonly Header[]): Place {
  return { kind, method: 'POST', target, headers }
}
