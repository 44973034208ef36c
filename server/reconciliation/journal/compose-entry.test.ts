import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CertificateBody } from '../certificates/certificate.ts'
import { composeEntry } from './compose-entry.ts'

type Body = { postings?: [string, number][]; ledger?: [string, Record<string, number>][]; book?: [string, Record<string, number>][] }
/** What an entry reads of a certificate; accounts that are not named are zero. */
function bodyOf({ postings = [], ledger = [], book = [] }: Body): CertificateBody {
  const filled = (names: readonly string[], given: Record<string, number>) =>
    Object.fromEntries(names.map((name) => [`${name}Minor`, String(given[name] ?? 0)]))
  const ours = {
    movementMinor: '0',
    postings: postings.map(([kind, effect]) => ({ kind, count: 1, effectMinor: String(effect) })),
    applications: ledger.map(([kind, given]) => ({
      ...{ applicationId: 'kora', kind, count: 1 },
      ...filled(['collect', 'deposit', 'held', 'fees', 'clearing', 'revenue'], given),
    })),
  }
  const posted = book.map(([kind, given]) => ({
    ...{ kind, count: 1 },
    ...filled(['wallet', 'operatorFee', 'tax', 'commission', 'suspense', 'transit', 'loss'], given),
  }))
  return { ours, book: posted } as unknown as CertificateBody
}
const composed = (body: Body) =>
  composeEntry(bodyOf(body), (id) => id).map(({ account, auxiliary, amountMinor }) =>
    [account, auxiliary ?? '', Number(amountMinor)].join(' '),
  )

const CASES: [string, Body, string[]][] = [
  ['a hold', { ledger: [['hold', { deposit: -500, held: 500 }]] }, []],
  [
    'a deposit',
    { postings: [['settle', -450]], ledger: [['settle', { held: -500, fees: 20, clearing: 450, revenue: 30 }]] },
    ['wallet  -450', 'partners kora 480', 'service_fees  -30'],
  ],
  [
    'a move out of the account for collects',
    { postings: [['move', -700]], ledger: [['move', { collect: -700, deposit: 700 }]] },
    ['wallet  -700', 'transfers  700'],
  ],
  [
    'concessions up and down',
    {
      ledger: [
        ['concede', { collect: 40, revenue: -40 }],
        ['concede', { deposit: -15, revenue: 15 }],
      ],
    },
    ['partners kora -25', 'loss  40', 'gain  -15'],
  ],
  [
    'an unknown payment in, and one out that leaves suspense',
    {
      book: [
        ['unmatched', { wallet: 90, suspense: -90 }],
        ['release', { wallet: 60, suspense: -60 }],
      ],
    },
    ['wallet  150', 'suspense_out  -60', 'suspense_in  -90'],
  ],
  [
    'what the operator takes and pays',
    {
      book: [
        ['commission', { wallet: 8, commission: -8 }],
        ['fee', { wallet: -5, operatorFee: 5 }],
        ['loss', { wallet: -4, loss: 4 }],
        ['tax', { wallet: -1, tax: 1 }],
        ['transfer', { wallet: -100, transit: 100 }],
      ],
    },
    ['wallet  -102', 'transfers  100', 'operator_fees  5', 'taxes  1', 'loss  4', 'commission  -8'],
  ],
]
for (const [name, body, expected] of CASES)
  test(`${expected.join(', ') || 'no entry'}: ${name}`, () => {
    assert.deepEqual(composed(body), expected)
  })
