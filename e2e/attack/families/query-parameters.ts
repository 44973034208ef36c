import type { Arsenal } from '#e2e/attack/arsenal.ts'
import type { CaseMaker, Family } from '#e2e/attack/case.ts'
import { draw, filterValues, noIds, pageNumbers, wordsExcept } from '#e2e/attack/values.ts'
import { credentials, type Header, oneRequest } from '#e2e/attack/wire/request.ts'
import type { Random } from '#lib/seeded-random.ts'
import { TRANSACTION_PATH } from './transfers.ts'

const paging: CaseMaker = {
  name: 'page and size',
  make(random, arsenal) {
    const [page, size] = [draw(random, pageNumbers), draw(random, pageNumbers)]
    const endpoint = random.pick([
      'getByApplicationProduct?',
      'getByApplicationProductAndStatus?transactionStatus=SUCCESS&',
      'getByApplicationProductAndPhoneReceiver?phoneNumber=237677209341&',
    ])
    const isGood = (text: string, least: number, most: number) => /^\d{1,10}$/.test(text) && Number(text) >= least && Number(text) <= most
    const isRight = isGood(page, 0, 2_147_483_647) && isGood(size, 1, 1_000)
    const target = `${TRANSACTION_PATH}/${endpoint}${new URLSearchParams({ page, size })}`
    return oneRequest(`page ${page.slice(0, 20)}, size ${size.slice(0, 20)}`, { target, headers: credentials(arsenal) }, [
      isRight ? 200 : 400,
    ])
  },
}

const TRANSACTION_STATUSES = ['PENDING_APPROVAL', 'PENDING', 'SUCCESS', 'FAILED']

const words: CaseMaker = {
  name: 'unknown statuses',
  make(random, arsenal) {
    const word = draw(random, wordsExcept(TRANSACTION_STATUSES))
    const search = encodeURIComponent(word)
    const target = `${TRANSACTION_PATH}/getByApplicationProductAndStatus?transactionStatus=${search}&page=0&size=1`
    return oneRequest(`the status ${JSON.stringify(word)}`, { target, headers: credentials(arsenal) }, [400])
  },
}

const ids: CaseMaker = {
  name: 'ids that are none',
  make(random, arsenal) {
    const id = draw(random, noIds)
    const [endpoint, name] = random.pick([
      ['transaction-status', 'id'],
      ['chekTransactionStatus', 'transactionId'],
      ['validateTransaction', 'transactionId'],
      ['rejectTransaction', 'checkerId'],
    ] as const)
    const target = `${TRANSACTION_PATH}/${endpoint}?${name}=${encodeURIComponent(id)}`
    return oneRequest(
      `${endpoint} with ${name} ${JSON.stringify(id)}`,
      { method: 'POST', target, headers: credentials(arsenal), body: '' },
      [400],
    )
  },
}

const unknownIds: CaseMaker = {
  name: 'ids that nothing has',
  make(random, arsenal) {
    const endpoint = random.pick(['transaction-status?id=', 'chekTransactionStatus?transactionId='])
    const id = random.pick(['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff', random.uuid()])
    const target = `${TRANSACTION_PATH}/${endpoint}${id}`
    return oneRequest(`${endpoint}${id}`, { method: 'POST', target, headers: credentials(arsenal), body: '' }, [404, 429])
  },
}

/** Query strings that programs read in different ways. */
const ODD = [
  'page=0&page=1&size=1',
  'page=0&size=1&size=2',
  'page[]=0&size=1',
  'page[0]=0&size=1',
  'page=0&size=1&%',
  'page=0&size=1&a=%FF',
  'page=0&size=1&a=%00',
  'page=0&size=1&a=%ED%A0%80',
  'page=0;size=1',
  'page%3D0&size=1',
  'p%61ge=0&size=1',
  'page=0&size=1&__proto__=x',
  'page=0&size=1&constructor=x',
  'page=0&size=1&',
  '&&page=0&&size=1',
  'page=0&size=1#x',
  '?page=0&size=1',
  'page=0&size=1&=x',
  'page=0&size=1&=',
  'page=+0&size=1',
  'page=0%20&size=1',
  'PAGE=0&size=1',
] as const

const odd: CaseMaker = {
  name: 'query strings that programs read in different ways',
  make(random, arsenal) {
    const search = random.pick(ODD)
    return oneRequest(
      `the query ${search}`,
      { target: `${TRANSACTION_PATH}/getByApplicationProduct?${search}`, headers: credentials(arsenal) },
      [200, 400],
    )
  },
}

const many: CaseMaker = {
  name: 'thousands of parameters',
  make(random, arsenal) {
    const count = random.pick([100, 1_000, 3_000])
    const search = Array.from({ length: count }, (_, index) => (random.chance(0.5) ? `a${index}` : `a${index}=1`)).join('&')
    const target = `${TRANSACTION_PATH}/getByApplicationProduct?page=0&size=1&${search}`
    return oneRequest(
      `${count} parameters`,
      { target, headers: credentials(arsenal) },
      target.length > 15_000 ? [200, 400, 431] : [200, 400],
    )
  },
}

/** Programs that look through all parameters for each of them take a second for what fits into a head. */
const manyOfPages: CaseMaker = {
  name: 'thousands of parameters to a page',
  make(random, arsenal) {
    const { slug } = arsenal.program
    const isSignedIn = random.chance(0.5)
    const path = random.pick([
      '/',
      '/sign-in',
      '/no-page',
      `/${slug}`,
      `/${slug}/transactions`,
      `/api/back-office/${slug}/transactions`,
      '/api/auth/csrf',
    ])
    const piece = random.pick(['a&', 'a=b&', '&', '=&', 'a[]=&', '%61&', 'status=a&', '_rsc=1&'])
    const target = `${path}?${piece.repeat(Math.floor(15_000 / piece.length))}`
    const headers: Header[] = isSignedIn ? [['Cookie', random.pick(arsenal.visitors).cookie]] : []
    return oneRequest(`15 KB of ${piece} to ${path}, ${isSignedIn ? 'signed in' : 'not signed in'}`, { target, headers }, [
      '2xx',
      '3xx',
      '4xx',
    ])
  },
}

const FILTERS: Readonly<Record<string, readonly string[]>> = {
  transactions: [
    'status',
    'type',
    'operator',
    'country',
    'from',
    'to',
    'min',
    'max',
    'phone',
    'name',
    'batch',
    'reason',
    'ended',
    'refund',
    'unconfirmed',
    'unconfirmedAfter',
    'unconfirmedBefore',
    'webhook',
    'webhookTarget',
    'webhookAfter',
    'webhookBefore',
    'sort',
    'page',
    'size',
  ],
  approvals: ['queue', 'operator', 'min', 'max', 'maker', 'rule', 'sort', 'page'],
  totals: ['dates', 'from', 'to', 'status', 'type', 'operator'],
  overview: ['days'],
  'balances/MOMOCM': ['dates', 'from', 'to', 'view', 'kind', 'page'],
  'balances/MOMOCM/lines': ['dates', 'from', 'to', 'kind', 'page'],
}

function filterCase(random: Random, arsenal: Arsenal): { target: string; headers: readonly Header[] } {
  const list = random.pick(Object.keys(FILTERS))
  const names = FILTERS[list] ?? []
  const search = Array.from({ length: random.between(1, 4) }, () => `${random.pick(names)}=${draw(random, filterValues)}`).join('&')
  const { slug } = arsenal.program
  const base =
    list.endsWith('/lines') || random.chance(0.5) ? `/api/back-office/${slug}/${list}` : `/${slug}/${list === 'overview' ? '' : list}`
  return { target: `${base}?${search}`, headers: [['Cookie', random.pick(arsenal.visitors).cookie]] }
}

const filters: CaseMaker = {
  name: 'filters of the back office',
  make(random, arsenal) {
    const parts = filterCase(random, arsenal)
    return oneRequest(`GET ${parts.target.slice(0, 160)}`, parts, ['2xx', '3xx', '4xx'])
  },
}

export const queryParameters: Family = {
  name: 'query-parameters',
  weight: 9,
  makers: [manyOfPages, paging, words, ids, unknownIds, odd, many, filters, filters, filters],
}
