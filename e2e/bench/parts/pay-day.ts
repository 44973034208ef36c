import { mkdtemp } from 'node:fs/promises'
import path from 'node:path'
import { type Context, memoryFigure, type Part } from '#e2e/bench/context.ts'
import { type Figure, median, percentile } from '#e2e/bench/figures.ts'
import { type PayDayReport, runPayDay } from '#e2e/bench/pay-day/run-pay-day.ts'
import { buildPages } from '#server/testing/service/build-pages.ts'

const PAGE_BAR_MS = 150

/**
 * The salaries of a country: more deposits than the account at their operator covers, and three top-ups. Throws if a deposit failed, was sent
 * out of order or twice, or if the books differ; measures the pages of the people who bring the money.
 */
export const payDay: Part = { name: 'pay-day', isOnRequest: true, run: measurePayDay }

async function measurePayDay(context: Context): Promise<Figure[]> {
  const { environment, options, say } = context
  const { deposits } = options
  say('pay-day: building the pages where they changed')
  await buildPages()
  const { pool, url: databaseUrl } = await environment.createDatabase('bench_pay_day')
  const folder = await mkdtemp(path.join(environment.folder, 'pay-day-'))
  return runPayDay({ pool, databaseUrl, folder, deposits, say }, async (report) => {
    for (const { promise, broken } of report.verdicts) {
      say(`pay-day: ${broken.length === 0 ? 'ok    ' : 'BROKEN'} ${promise}`)
      if (broken.length > 0) throw new Error(`${promise}: broken ${broken.length} times, first: ${broken[0]}`)
    }
    return [...figuresOf(report, deposits), await memoryFigure('pay-day', report.server)]
  })
}

function figuresOf({ visits, seconds }: PayDayReport, deposits: number): Figure[] {
  const pages = [...visits].map(
    ([name, times]): Figure => ({
      name: `pay-day: ${name}, p99`,
      value: percentile(times, 99),
      unit: 'ms',
      bar: { kind: 'at most', threshold: PAGE_BAR_MS },
      note: `p50 ${median(times).toFixed(1)} ms, ${times.length} requests`,
    }),
  )
  const all: Figure = { name: `pay-day: ${deposits.toLocaleString('en-GB')} deposits and three top-ups`, value: seconds, unit: 's' }
  return [all, ...pages]
}
