import { z } from 'zod'
import { settlementListQuerySchema, settlementQuerySchema } from '#lib/schemas/queries.ts'
import { BAD_DAY, NO_SETTLEMENT, SETTLEMENTS_PATH } from '#server/http/endpoints/v2/settlements.ts'
import { readQuery } from '../../api/read-query.ts'
import { ANY_LIMITED_CALLER, anyRequest, cause } from '../error-causes.ts'
import { COLLECT_ID, COLLECT_REQUEST } from '../examples.ts'
import { QUERY_CAUSES } from '../input-causes.ts'
import { type Json, type Operation, ref } from '../operation.ts'

const DAY = { wallet: 'MOMOCM-collect', day: '2026-11-05' }

const SIGNED_DAY = {
  ...DAY,
  operator: 'MOMOCM',
  account: 'collect',
  currency: 'XAF',
  startsAt: '2026-11-04T23:00:00.000Z',
  endsAt: '2026-11-05T23:00:00.000Z',
  version: 1,
  state: 'signed',
  signedAt: '2026-11-06T08:12:44.018Z',
  certificateHash: '9c6f1bd3a2a4c70d5d6c0e1f7b1f3a3de27f39d8a06e9b6d6c1a5b3f3d0e4c21',
}

const REPORT: Json = {
  ...SIGNED_DAY,
  opening: 120000,
  closing: 122925,
  transactionCount: 1,
  transactionsNet: 4925,
  adjustmentCount: 1,
  adjustmentsNet: -2000,
  page: 0,
  size: 1000,
  transactions: [
    {
      transactionId: COLLECT_ID,
      externalId: COLLECT_REQUEST.externalId,
      transactionType: 'COLLECT',
      operatorReference: '7421983041',
      gross: 5000,
      feesSystem: 50,
      feesApp: 25,
      net: 4925,
      completedAt: '2026-11-05T09:30:02.114Z',
      operatorTime: '2026-11-05T09:30:01.000Z',
      class: 'matched',
      adjustments: [],
    },
  ],
  adjustments: [
    {
      kind: 'move',
      id: '0c0d7a86-5d1f-4d0b-9a55-0a3f8f6f0e11',
      transactionId: null,
      net: -2000,
      at: '2026-11-05T14:02:10.500Z',
    },
  ],
}

const EVERY = [...ANY_LIMITED_CALLER, ...anyRequest('GET')]

function wrongRange() {
  const query = readQuery({ search: 'from=2026-01-01&to=2026-11-30' }, settlementListQuerySchema)
  if (query.ok) throw new Error('An example of a wrong query is right')
  return query.error
}

export const SETTLEMENT_OPERATIONS: Operation[] = [
  {
    path: SETTLEMENTS_PATH,
    method: 'get',
    id: 'listSettlementReports',
    tag: 'Settlements',
    summary: 'List the signed days',
    description:
      'Returns the signed days of the accounts at operators that your application uses, newest first. A day is signed once two people have ' +
      'compared it with the statement of the operator, usually on the next working day.',
    query: { schema: settlementListQuerySchema, examples: { from: '2026-11-01', to: '2026-11-30', wallet: DAY.wallet } },
    answer: {
      schema: { type: 'array', items: ref('SettledDay') },
      description: 'The signed days; empty if there is none.',
      examples: { days: { summary: 'One signed day', value: [SIGNED_DAY] } },
    },
    causes: [
      ...QUERY_CAUSES,
      cause('range_too_long', wrongRange(), 'to is before from, or the range is too long', 'Ask for several ranges.'),
      ...EVERY,
    ],
  },
  {
    path: `${SETTLEMENTS_PATH}/{wallet}/{day}`,
    method: 'get',
    id: 'getSettlementReport',
    tag: 'Settlements',
    summary: 'Read one settlement report',
    description:
      'Returns what a signed day did to the balance of your application in one account: opening, each transaction with its fees and the time that ' +
      'the statement of the operator has, everything else that changed the balance, and closing. Only your own transactions are in it.\n\n' +
      'Opening plus the net amounts of all pages is closing, exactly. With format=csv the same lines are a CSV file: the pages, put together, have ' +
      'the opening first and the closing last.',
    segments: {
      schema: z.object({
        wallet: z.string().meta({ description: 'The account at the operator, as the list of signed days has it' }),
        day: z.string().meta({ format: 'date', description: 'The day of the operator, YYYY-MM-DD' }),
      }),
      examples: DAY,
    },
    query: { schema: settlementQuerySchema, examples: { page: 0, size: 1000, format: 'json' } },
    answer: {
      schema: ref('SettlementReport'),
      description: 'The report.',
      examples: { report: { summary: 'A day with one collect', value: REPORT } },
      others: { 'text/csv': { schema: { type: 'string', description: 'The same lines, one for each' } } },
    },
    causes: [
      ...QUERY_CAUSES,
      cause('day_invalid', BAD_DAY, 'The day in the path is no date', 'Write it as YYYY-MM-DD.'),
      cause(
        'not_signed',
        NO_SETTLEMENT,
        'Nobody has signed the day yet, or there is no such wallet',
        'List the signed days, and ask again later for a day that is missing.',
      ),
      ...EVERY,
    ],
  },
]
