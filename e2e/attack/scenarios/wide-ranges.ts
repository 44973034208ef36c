import { startBystander } from './bystander.ts'
import { keepUp, openCaller } from './caller.ts'
import type { Scenario } from './scenario.ts'

const READERS = 12
const LASTS_MS = 8_000
/** Nobody reads more than this at once. */
const ANSWER_BYTES_MAX = 2 * 1024 * 1024
const RANGE = 'from=0001-01-01&to=9999-12-31'

/** One signed-in person who requests the whole history a dozen times in parallel: totals, statements, their pages and files. */
export const wideRanges: Scenario = {
  name: 'wide-ranges',
  async play({ service, arsenal }) {
    const { slug } = arsenal.program
    const reader = arsenal.visitors.find((visitor) => visitor.roles.includes('finance')) ?? arsenal.visitors[0]
    const headers = { cookie: reader?.cookie ?? '' }
    const targets = [
      `/api/back-office/${slug}/totals?${RANGE}`,
      `/${slug}/totals?${RANGE}`,
      `/api/back-office/${slug}/totals?${RANGE}&status=ALL`,
      `/api/back-office/${slug}/balances/MOMOCM?${RANGE}`,
      `/${slug}/balances/MOMOCM?${RANGE}&view=lines`,
      `/api/back-office/${slug}/totals/export?${RANGE}`,
    ]
    const bystander = startBystander({ service, arsenal })
    const caller = openCaller(arsenal.baseUrl, { connections: READERS })
    const problems = new Set<string>()
    let turn = 0
    await keepUp(READERS, performance.now() + LASTS_MS, async () => {
      const target = targets[turn++ % targets.length] ?? '/'
      const { status, bytes } = await caller.get(target, headers)
      // Files are written for a few people at a time; the others are asked to come back.
      const isBusy = status === 503 && target.includes('/export')
      if ((status >= 500 && !isBusy) || status === 0) problems.add(`${target} was answered ${status || 'with nothing'}`)
      if (bytes > ANSWER_BYTES_MAX) problems.add(`${target} was answered with ${Math.round(bytes / 1024)} KB`)
    })
    await caller.close()
    return [...problems, ...(await bystander.judge())]
  },
}
