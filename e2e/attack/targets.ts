import { credentials, type Header } from '#e2e/attack/wire/request.ts'
import type { Random } from '#lib/seeded-random.ts'
import type { Arsenal } from './arsenal.ts'

/** The kinds of address of the service. Everything that attacks bodies, methods and headers is tried on each of them. */
export const PLACES = [
  'start',
  'query',
  'v2-start',
  'v2-query',
  'token',
  'page',
  'no-page',
  'data',
  'auth',
  'action',
  'file',
  'stream',
  'callback',
  'open',
  'reference',
  'pay',
  'pay-form',
  'form',
  'upload',
] as const
export type PlaceKind = (typeof PLACES)[number]

export type Place = {
  kind: PlaceKind
  method: 'GET' | 'POST'
  /** The other method, if something answers it there. */
  otherMethod?: 'GET' | 'POST'
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
    case 'v2-start':
      return placeOfStart(random, arsenal, program)
    case 'v2-query': {
      const place = get(kind, `/api/v2/${random.pick(V2_QUERIES(arsenal))}`, program)
      return /batches\?|refunds$/.test(place.target) ? { ...place, otherMethod: 'POST' } : place
    }
    case 'token':
      return post(kind, random.pick(['/public/access_token', '/public/refresh_token']), [])
    case 'page':
      return get(kind, random.pick(['/', ...SIGN_IN_PAGES, ...PAGES.map((page) => `/${slug}${page}`)]), session)
    case 'no-page':
      return get(
        kind,
        `/${random.pick(['no-such-application', 'nothing/at/all', 'sign-in/x', 'favicon.png', 'robots.txt', '.env', 'wp-login.php'])}`,
        session,
      )
    case 'data':
      return get(kind, `/api/back-office/${slug}/${random.pick(DATA)}`, session)
    case 'file':
      return get(kind, `/api/back-office/${slug}/${random.pick(FILES(arsenal))}`, session)
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
      return get(kind, random.pick(['/health/live', '/health', '/health/ready', '/api/v1/openapi.json']), [])
    case 'reference':
      return get(kind, random.pick(REFERENCE), [])
    case 'pay':
      return get(kind, `/pay/${random.pick(payAddresses(arsenal))}`, [])
    case 'pay-form':
      return post(
        kind,
        `/pay/${random.pick([`link/${arsenal.program.holdings.linkToken}`, `${arsenal.program.holdings.payToken}/code`, 'none/code'])}`,
        [],
      )
    case 'form':
      return post(kind, `/api/back-office/${slug}/transactions/export`, session)
    case 'upload':
      return post(kind, `/api/back-office/${slug}/${random.pick(UPLOADS(random.uuid()))}`, session)
  }
}

/** With a key of its own, so that only the body decides. What is cancelled has ended. */
function placeOfStart(random: Random, { program }: Arsenal, headers: readonly Header[]): Place {
  const { depositId, collectIds } = program.holdings
  const target = random.pick([
    'collects',
    'deposits',
    'batches',
    'account-checks',
    `transactions/${depositId}/cancel`,
    `transactions/${collectIds[0]}/refunds`,
  ])
  const place = post('v2-start', `/api/v2/${target}`, [...headers, ['Idempotency-Key', random.uuid()]])
  return /batches$|refunds$/.test(target) ? { ...place, otherMethod: 'GET' } : place
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
const SIGN_IN_PAGES = ['/sign-in', '/sign-in/invitation', '/sign-in/new-password', '/sign-in/second-factor'] as const
const PAGES = [
  '',
  '/transactions',
  '/totals',
  '/approvals',
  '/installation',
  '/links',
  '/beneficiaries',
  '/batches',
  '/close',
  '/keys',
] as const
const REFERENCE = [
  '/docs',
  '/docs/collect',
  '/docs/search',
  '/api/v2/openapi.json',
  '/api/v2/clients/countersign.ts',
  '/api/v2/clients/countersign.py',
  '/api/v2/clients/countersign.php',
] as const
const V2_QUERIES = ({ program: { holdings } }: Arsenal) => [
  'transactions?limit=5',
  'batches?limit=5',
  `batches/${holdings.examples.programBatchId}`,
  `transactions/${holdings.collectIds[0]}/refunds`,
  'operators',
  'settlement-reports?from=2026-11-01&to=2026-11-30',
  'settlement-reports/OMCM/2026-11-05',
  'webhook-events',
]
const FILES = ({ program: { holdings } }: Arsenal) => [
  'batches/template?format=xlsx',
  'certificates/keys',
  'certificates?wallet=OMCM',
  'installation',
  `exports/${holdings.examples.exportId}/record`,
  `links/${holdings.examples.linkId}/code?format=png`,
  `transactions/${holdings.examples.waitingId}/attachment`,
]
const UPLOADS = (payment: string) => [
  'batches?type=DEPOSIT&fileName=a.csv',
  'beneficiaries/import?fileName=a.csv&operator=MOMOCM',
  `attachments?payment=${payment}&fileName=a.pdf&bytes=10&modified=1`,
  'statements?wallet=OMCM&fileName=a.csv&bytes=10&modified=1',
  `statements/${payment}/pieces?number=0`,
  `attachments/${payment}/complete`,
  'account-checks?operator=MOMOCM&phoneNumber=x',
]
const payAddresses = ({ program: { holdings } }: Arsenal) => [
  'none',
  'live.js',
  `logo/${'0'.repeat(64)}`,
  `link/${holdings.linkToken}`,
  `${holdings.payToken}/state`,
  `${holdings.payToken}/content`,
]
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
