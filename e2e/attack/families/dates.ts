import type { CaseMaker, Family } from '#e2e/attack/case.ts'
import { days, draw, noDays } from '#e2e/attack/values.ts'
import { credentials, oneRequest } from '#e2e/attack/wire/request.ts'
import { TRANSACTION_PATH } from './transfers.ts'

const TOTAL = `${TRANSACTION_PATH}/getTotalAmountByApplicationProductAndDateRange`

const wrongDays: CaseMaker = {
  name: 'days that do not exist',
  make(random, arsenal) {
    const [bad, good] = [draw(random, noDays), '2026-06-01']
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
    const [startDate, endDate] = [draw(random, days), draw(random, days)]
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
      `/${slug}/totals/pivot`,
      `/api/back-office/${slug}/totals/pivot/export`,
      `/api/back-office/${slug}/balances/MOMOCM/export`,
    ])
    const attack = oneRequest(
      `${base}?${range}`,
      { target: `${base}?${range}`, headers: [['Cookie', random.pick(arsenal.visitors).cookie]] },
      ['2xx', '3xx', '4xx'],
      { overload: 'an application has a few exports at a time' },
    )
    const inspect: typeof attack.expect.inspect = ([answer]) =>
      answer && answer.bodyBytes > 2 * 1024 * 1024 ? `the answer has ${answer.bodyBytes} bytes` : undefined
    return { ...attack, expect: { ...attack.expect, inspect } }
  },
}

export const dates: Family = { name: 'dates', weight: 4, makers: [wrongDays, wrongDays, edgeDays, wideRanges] }
