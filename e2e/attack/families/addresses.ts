import type { CaseMaker, Family } from '#e2e/attack/case.ts'
import { credentials, type Header, oneRequest } from '#e2e/attack/wire/request.ts'
import { TRANSACTION_PATH } from './transfers.ts'

/** The service of this run trusts this proxy alone; the sandbox lets 127.0.0.1 and ::1 call. */
export const TRUSTED_PROXY = '127.0.0.9'
const TARGET = `${TRANSACTION_PATH}/getByApplicationProductBalances`

const FORGED: readonly Header[] = [
  ['X-Forwarded-For', '127.0.0.1'],
  ['X-Forwarded-For', '127.0.0.1, 127.0.0.1'],
  ['X-Forwarded-For', '::1'],
  ['X-Forwarded-For', `127.0.0.1, ${TRUSTED_PROXY}`],
  ['X-Forwarded-For', 'unknown'],
  ['X-Forwarded-For', ','.repeat(5_000)],
  ['X-Forwarded-For', '127.0.0.1:80'],
  ['X-Forwarded-For', '[::1]'],
  ['X-Real-IP', '127.0.0.1'],
  ['Forwarded', 'for=127.0.0.1'],
  ['Forwarded', 'for="[::1]"'],
  ['True-Client-IP', '127.0.0.1'],
  ['CF-Connecting-IP', '127.0.0.1'],
  ['X-Client-IP', '127.0.0.1'],
  ['X-Cluster-Client-IP', '127.0.0.1'],
  ['Via', '1.1 127.0.0.1'],
]

const stranger: CaseMaker = {
  name: 'a stranger who claims to be on the list',
  make(random, arsenal) {
    const [name, value] = random.pick(FORGED)
    const from = `127.0.${random.between(1, 250)}.${random.between(2, 250)}`
    return oneRequest(
      `${name}: ${value.slice(0, 40)} from ${from}`,
      { target: TARGET, headers: [...credentials(arsenal), [name, value]] },
      [403],
      { from },
    )
  },
}

const insider: CaseMaker = {
  name: 'a caller on the list with headers of a proxy',
  make(random, arsenal) {
    const [name] = random.pick(FORGED)
    const value = random.pick(['203.0.113.9', 'x', '', '999.1.1.1', '::ffff:203.0.113.9'])
    return oneRequest(`${name}: ${value} from the list`, { target: TARGET, headers: [...credentials(arsenal), [name, value]] }, [200])
  },
}

/** The last entry, written by the trusted proxy, counts. Anything to its left is ignored. */
const proxied: CaseMaker = {
  name: 'a chain through the trusted proxy',
  make(random, arsenal) {
    const [chain, status] = random.pick([
      ['127.0.0.1', 200],
      ['203.0.113.9, 127.0.0.1', 200],
      [`203.0.113.9, 127.0.0.1, ${TRUSTED_PROXY}`, 200],
      ['127.0.0.1, 203.0.113.9', 403],
      ['127.0.0.1,203.0.113.9 ', 403],
      [`127.0.0.1, 203.0.113.9, ${TRUSTED_PROXY}`, 403],
      ['127.0.0.1, unknown', 403],
      ['127.0.0.1, "203.0.113.9"', 403],
      ['127.0.0.1, 127.1', 403],
      ['127.0.0.1, 0x7f000001', 403],
      ['127.0.0.1, 2130706433', 403],
      ['127.0.0.1, 203.0.113.9:80', 403],
      ['127.0.0.1, fe80::1%eth0', 403],
    ] as const)
    // Spellings of loopback that only some programs read as 127.0.0.1 are settled by what reads them here.
    const isOpen = /127\.1|0x7f|2130706433/.test(chain)
    return oneRequest(
      `X-Forwarded-For: ${chain} through the trusted proxy`,
      { target: TARGET, headers: [...credentials(arsenal), ['X-Forwarded-For', chain]] },
      isOpen ? [200, 403] : [status],
      { from: TRUSTED_PROXY },
    )
  },
}

const twoLines: CaseMaker = {
  name: 'the chain on two lines',
  make(random, arsenal) {
    const [first, second] = random.pick([
      ['127.0.0.1', '203.0.113.9'],
      ['203.0.113.9', '127.0.0.1'],
    ] as const)
    const headers: Header[] = [...credentials(arsenal), ['X-Forwarded-For', first], ['X-Forwarded-For', second]]
    return oneRequest(
      `two lines of X-Forwarded-For, the last ${second}`,
      { target: TARGET, headers },
      [second === '127.0.0.1' ? 200 : 403],
      {
        from: TRUSTED_PROXY,
      },
    )
  },
}

const pages: CaseMaker = {
  name: 'forwarded headers to the pages',
  make(random, arsenal) {
    const from = random.chance(0.5) ? TRUSTED_PROXY : '127.0.0.1'
    const header = random.pick<Header>([
      ['X-Forwarded-Host', 'evil.example'],
      ['X-Forwarded-Host', 'a, b'],
      ['X-Forwarded-Host', ''],
      ['X-Forwarded-Host', '[::'],
      ['X-Forwarded-Proto', 'javascript'],
      ['X-Forwarded-Proto', 'https,http'],
      ['X-Forwarded-Port', '99999'],
      ['X-Forwarded-For', 'x'],
    ])
    const target = random.pick(['/sign-in', '/', '/api/auth/csrf', '/api/auth/signin', '/api/auth/session', `/${arsenal.program.slug}`])
    return oneRequest(`${header[0]}: ${header[1]} to ${target} from ${from}`, { target, headers: [header] }, ['2xx', '3xx', '4xx'], {
      from,
    })
  },
}

export const addresses: Family = { name: 'addresses', weight: 4, makers: [stranger, insider, proxied, twoLines, pages] }
