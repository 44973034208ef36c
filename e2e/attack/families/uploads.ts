import { gzipSync } from 'node:zlib'
import type { Arsenal } from '#e2e/attack/arsenal.ts'
import type { AttackCase, CaseMaker, Family, StatusRule } from '#e2e/attack/case.ts'
import { MARK } from '#e2e/attack/oracle/marked-rows.ts'
import { brokenUtf8, draw, filterValues } from '#e2e/attack/values.ts'
import { type Header, oneRequest } from '#e2e/attack/wire/request.ts'
import type { Random } from '#lib/seeded-random.ts'
import { ARCHIVES, archiveOf, spaces } from './archives.ts'

const MEGABYTE = 1024 * 1024
const BYTES: Header = ['Content-Type', 'application/octet-stream']
const OVERLOAD = 'files are read one after the other, and large bodies wait while memory is short'
const LIST = 'Phone;Name;Amount;Operator\n237677209341;Clarisse Mbarga;5000;MOMOCM\n'

type Upload = { path: string; role: 'maker' | 'finance'; body: string | Uint8Array; headers?: readonly Header[] }

function upload(
  what: string,
  random: Random,
  arsenal: Arsenal,
  { path, role, body, headers = [BYTES] }: Upload,
  statuses: readonly StatusRule[],
  more: Parameters<typeof oneRequest>[3] = {},
): AttackCase {
  const visitor = random.pick(arsenal.visitors.filter(({ roles }) => roles.includes(role)))
  const target = `/api/back-office/${arsenal.program.slug}/${path}`
  return oneRequest(
    `${what} to ${path.slice(0, 80)}`,
    { method: 'POST', target, headers: [['Cookie', visitor.cookie], ...headers], body },
    statuses,
    {
      overload: OVERLOAD,
      ...more,
    },
  )
}

const workbooks: CaseMaker = {
  name: 'workbooks that are none',
  make(random, arsenal) {
    const name = random.pick(Object.keys(ARCHIVES))
    const fileName = `${MARK}${random.uuid()}.xlsx`
    const path = random.pick([
      `batches?type=DEPOSIT&fileName=${encodeURIComponent(fileName)}`,
      `beneficiaries/import?operator=MOMOCM&fileName=${encodeURIComponent(fileName)}`,
    ])
    const makes = path.startsWith('batches') ? [{ table: 'batches' as const, mark: fileName }] : []
    return upload(name, random, arsenal, { path, role: 'maker', body: archiveOf(name) }, [422, 503], { makes, limitMs: 30_000 })
  },
}

const texts: CaseMaker = {
  name: 'lists of payments',
  make(random, arsenal) {
    const fileName = `${MARK}${random.uuid()}.csv`
    const [what, body, statuses] = random.pick<readonly [string, string | Uint8Array, readonly StatusRule[]]>([
      ['a good list', LIST, [201]],
      ['nothing', '', [422]],
      ['one letter', 'x', [201, 422]],
      ['NUL', '\0'.repeat(10_000), [201, 422]],
      ['bytes that are no text', draw(random, brokenUtf8), [201, 422]],
      ['10,001 rows', LIST + '237677209341;a;5;MOMOCM\n'.repeat(10_001), [422]],
      ['thousands of columns', `${'a;'.repeat(50_000)}\n${'b;'.repeat(50_000)}`, [201, 422]],
      ['one cell of 3 MB', `Phone;Name\n237677209341;${'n'.repeat(3 * MEGABYTE)}`, [201, 422]],
      ['a quote that never ends', `Phone;Name\n"${'237;a\n'.repeat(5_000)}`, [201, 422]],
      ['quotes', '"'.repeat(200_000), [201, 422]],
      ['lines without end', '\n'.repeat(MEGABYTE), [201, 422]],
      ['a list that is compressed', gzipSync(LIST), [201, 422]],
      ['formulas', LIST.replace('Clarisse Mbarga', '=HYPERLINK("http://evil.example")'), [201]],
      ['11 MB', ' '.repeat(11 * MEGABYTE), [413, 422]],
    ])
    return upload(
      what,
      random,
      arsenal,
      { path: `batches?type=DEPOSIT&fileName=${encodeURIComponent(fileName)}`, role: 'maker', body },
      statuses,
      {
        makes: [{ table: 'batches', mark: fileName }],
        limitMs: 30_000,
        ...(what === '11 MB' && { silence: 'the service may close before it has read all of it' }),
      },
    )
  },
}

const TYPES = [
  'application/json',
  'text/csv',
  'multipart/form-data; boundary=x',
  'application/x-www-form-urlencoded',
  'application/octet-stream; x',
  '',
]

/** Only this type cannot be sent by another site without asking first. */
const types: CaseMaker = {
  name: 'files of another type, or compressed',
  make(random, arsenal) {
    const fileName = `${MARK}${random.uuid()}.csv`
    const path = `batches?type=DEPOSIT&fileName=${encodeURIComponent(fileName)}`
    const isPacked = random.chance(0.3)
    const headers: Header[] = isPacked
      ? [BYTES, ['Content-Encoding', random.pick(['gzip', 'br', 'x'])]]
      : [['Content-Type', random.pick(TYPES)]]
    const body = isPacked
      ? gzipSync(spaces(20))
      : `--x\r\nContent-Disposition: form-data; name="a"; filename="a.csv"\r\n\r\n${LIST}\r\n--x--`
    // Nothing unpacks it: it is a file like any other, or refused for its encoding.
    return upload('a file', random, arsenal, { path, role: 'maker', body, headers }, isPacked ? [201, 400, 415, 422] : [400], {
      makes: [{ table: 'batches', mark: fileName }],
    })
  },
}

const otherSites: CaseMaker = {
  name: 'files that another site sends',
  make(random, arsenal) {
    const fileName = `${MARK}${random.uuid()}.csv`
    const path = random.pick([
      `batches?type=DEPOSIT&fileName=${encodeURIComponent(fileName)}`,
      'account-checks?operator=MOMOCM&phoneNumber=237677209341',
    ])
    const headers: Header[] = [
      BYTES,
      random.pick<Header>([
        ['Sec-Fetch-Site', 'cross-site'],
        ['Sec-Fetch-Site', 'same-site'],
        ['Origin', 'https://evil.example'],
        ['Origin', 'null'],
      ]),
    ]
    return upload('a file of another site', random, arsenal, { path, role: 'maker', body: LIST, headers }, [403], {
      makes: path.startsWith('batches') ? [{ table: 'batches', mark: fileName }] : [],
    })
  },
}

const starts: CaseMaker = {
  name: 'uploads in pieces that begin',
  make(random, arsenal) {
    const fileName = `${MARK}${random.uuid()}.pdf`
    const isStatement = random.chance(0.5)
    const bytes = random.pick(['1', '1048577', '0', '-1', '1e3', '99999999999999999999', 'NaN', '1.5', '5368709120'])
    const modified = random.pick(['1', '-1', '9007199254740993', 'x'])
    const path = isStatement
      ? `statements?wallet=${random.pick(['OMCM', 'NONE', '%00', 'x'.repeat(41)])}`
      : `attachments?payment=${random.pick([random.uuid(), 'x'])}`
    const target = `${path}&fileName=${encodeURIComponent(fileName)}&bytes=${bytes}&modified=${modified}`
    const table = isStatement ? ('statement_files' as const) : ('attachments' as const)
    return upload('a file', random, arsenal, { path: target, role: isStatement ? 'finance' : 'maker', body: '' }, ['2xx', '4xx'], {
      makes: [{ table, mark: fileName }],
    })
  },
}

const pieces: CaseMaker = {
  name: 'pieces of uploads that nobody started',
  make(random, arsenal) {
    const ownId = arsenal.program.holdings.examples.attachmentId
    const fileId = random.pick([random.uuid(), arsenal.other.holdings.examples.attachmentId, 'x', '%00', '..', ownId])
    const kind = random.pick(['statements', 'attachments'])
    const end = random.pick([`pieces?number=${random.pick(['0', '-1', '1000001', 'x', '1.5'])}`, 'complete', 'complete?x=1'])
    const body = random.pick(['', 'x', spaces(1), spaces(2)])
    return upload(
      'a piece',
      random,
      arsenal,
      { path: `${kind}/${fileId}/${end}`, role: kind === 'statements' ? 'finance' : 'maker', body },
      // A file that has arrived is complete, however often a browser that lost the answer says so.
      kind === 'attachments' && fileId === ownId && end.startsWith('complete') ? [200, '4xx'] : ['4xx'],
      {
        silence: 'the service may close before it has read all of it',
      },
    )
  },
}

/** Every address that answers a file: with filters that make no sense. */
const downloads: CaseMaker = {
  name: 'files with filters that make no sense',
  make(random, arsenal) {
    const { examples } = arsenal.program.holdings
    const path = random.pick([
      'totals/export',
      'totals/pivot/export',
      'balances/export',
      'balances/MOMOCM/export',
      'audit/export',
      'journal',
      'certificates',
      'days/OMCM/2026-11-05/difference',
      'fees/OMCM/claim',
      'settlements/OMCM/2026-11-05/export',
      'batches/template',
      `batches/${examples.batchId}/rows`,
      `batches/${examples.waitingBatchId}/results`,
      `exports/${examples.exportId}/file`,
      `links/${examples.linkId}/code`,
      'installation',
      'calls',
      'audit/chain',
      'suggestions',
      'payment-preview',
      'beneficiaries',
      'exports',
    ])
    const names = [
      'format',
      'from',
      'to',
      'wallet',
      'currency',
      'language',
      'month',
      'after',
      'q',
      'sha256',
      'type',
      'operator',
      'page',
      'columns',
    ]
    const search = Array.from({ length: random.between(0, 3) }, () => `${random.pick(names)}=${draw(random, filterValues)}`).join('&')
    const { cookie } = random.pick(arsenal.visitors)
    const target = `/api/back-office/${arsenal.program.slug}/${path}?${search}`
    return oneRequest(`GET ${target.slice(0, 160)}`, { target, headers: [['Cookie', cookie]] }, ['2xx', '3xx', '4xx'], {
      overload: OVERLOAD,
    })
  },
}

export const uploads: Family = {
  name: 'uploads',
  weight: 4,
  makers: [workbooks, texts, texts, types, otherSites, starts, pieces, downloads, downloads],
}
