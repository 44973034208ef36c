import type { CaseMaker, Family } from '#e2e/attack/case.ts'
import { credentials, oneRequest } from '#e2e/attack/wire/request.ts'
import { TRANSACTION_PATH } from './transfers.ts'

/** Days that exist nowhere, or that PostgreSQL cannot hold, and days at the ends of calendars. */
const NO_DAYS = [
  '',
  'x',
  '0000-01-01',
  '0000-00-00',
  '2026-02-30',
  '2026-13-01',
  '2026-00-10',
  '2026-1-1',
  '26-01-01',
  '2026-01-01T00:00:00Z',
  '20260101',
  '2025-02-29',
  '-0001-01-01',
  '+2026-01-01',
  '10000-01-01',
  '99999-12-31',
  '2026-01-01 ',
  ' 2026-01-01',
  '２０２６-01-01',
  'now',
  'infinity',
  '-infinity',
  'epoch',
  '2026-01-01;select 1',
  "2026-01-01'",
  '1e3',
  'NaN',
  '2026-W01',
  '2026-001',
  '24:00',
] as const
const EDGE_DAYS = [
  '0001-01-01',
  '0001-12-31',
  '1582-10-10',
  '1969-12-31',
  '1970-01-01',
  '2000-02-29',
  '2024-02-29',
  '2038-01-19',
  '9999-12-31',
  '9999-01-01',
] as const

const TOTAL = `${TRANSACTION_PATH}/getTotalAmountByApplicationProductAndDateRange`

const wrongDays: CaseMaker = {
  name: 'days that do not exist',
  make(random, arsenal) {
    const [bad, good] = [random.pick(NO_DAYS), '2026-06-01']
    const isStart = random.chance(0.5)
    const search = new URLSearchParams({ startDate: isStart ? bad : '2026-01-01', endDate: isStart ? good : bad, status: 'SUCCESS' })
    return oneRequest(
      `the day ${JSON.stringify(bad)} as ${isStart ? 'startDate' : 'endDate'}`,
      { target: `${TOTAL}?${search}`, headers: credentials(arsenal) },
      [400],
    )
  },
}

const edgeDays: CaseMaker = {
  name: 'days at the ends of calendars',
  make(random, arsenal) {
    const [startDate, endDate] = [random.pick(EDGE_DAYS), random.pick(EDGE_DAYS)]
    const search = new URLSearchParams({ startDate, endDate, status: random.pick(['SUCCESS', 'FAILED', 'PENDING', 'PENDING_APPROVAL']) })
    return oneRequest(`from ${startDate} to ${endDate}`, { target: `${TOTAL}?${search}`, headers: credentials(arsenal) }, [
      startDate <= endDate ? 200 : 400,
    ])
  },
}

const wideRanges: CaseMaker = {
  name: 'ranges of ten thousand years',
  make(random, arsenal) {
    const { slug } = arsenal.program
    const range = random.pick(['from=0001-01-01&to=9999-12-31', 'from=0001-01-01', 'to=9999-12-31', 'from=1970-01-01&to=2400-01-01'])
    const base = random.pick([
      `/api/back-office/${slug}/totals`,
      `/${slug}/totals`,
      `/api/back-office/${slug}/balances/MOMOCM`,
      `/${slug}/balances/MOMOCM`,
      `/api/back-office/${slug}/totals/export`,
      `/api/back-office/${slug}/balances/MOMOCM/export`,
    ])
    const attack = oneRequest(
      `${base}?${range}`,
      { target: `${base}?${range}`, headers: [['Cookie', random.pick(arsenal.visitors).cookie]] },
      ['2xx', '3xx', '4xx'],
    )
    const inspect: typeof attack.expect.inspect = ([answer]) =>
      answer && answer.bodyBytes > 2 * 1024 * 1024 ? `the answer has ${answer.bodyBytes} bytes` : undefined
    return { ...attack, expect: { ...attack.expect, inspect } }
  },
}

export const dates: Family = { name: 'dates', weight: 4, makers: [wrongDays, wrongDays, edgeDays, wideRanges] }
