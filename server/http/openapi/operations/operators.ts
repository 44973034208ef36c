import { OPERATOR_CODES, OPERATORS } from '#lib/operators/operators.ts'
import type { OperatorStatus } from '#lib/schemas/api/operator-responses.ts'
import { emptyQuerySchema } from '#lib/schemas/queries.ts'
import { OPERATORS_PATH } from '#server/http/endpoints/v2/operators.ts'
import { ANY_LIMITED_CALLER, anyRequest } from '../error-causes.ts'
import { TOO_MANY_PARAMETERS } from '../input-causes.ts'
import { type Json, type Operation, ref } from '../operation.ts'

const SHOWN = { state: 'OPERATIONAL', since: null, amountMultiple: null, enforcesLimits: false } as const

const STATUSES: Json = OPERATOR_CODES.slice(0, 2).map((transferMethod): OperatorStatus => {
  const { brand, country, limits } = OPERATORS[transferMethod]
  const [collect, deposit] = [limits.COLLECT, limits.DEPOSIT].map(({ minimumMinor, maximumMinor }) => ({
    ...SHOWN,
    minimumAmount: Number(minimumMinor / 100n),
    maximumAmount: Number(maximumMinor / 100n),
  })) as [OperatorStatus['collect'], OperatorStatus['deposit']]
  const closed = { ...deposit, state: 'CLOSED' as const, since: '2026-11-05T09:12:30.000Z' }
  return {
    transferMethod,
    brand,
    countryName: country.name,
    currency: country.currency,
    collect,
    deposit: transferMethod === 'OMCM' ? closed : deposit,
  }
})

export const OPERATOR_OPERATIONS: Operation[] = [
  {
    path: OPERATORS_PATH,
    method: 'get',
    id: 'listOperators',
    tag: 'Operators',
    summary: 'List the operators with their availability and limits',
    description:
      'Returns one record for each operator: whether a collect or a deposit that you start now is sent at once, and the amounts that the operator ' +
      'takes. Show your customers only what is OPERATIONAL or DELAYED; deposits to a direction that is CLOSED or SHORT are accepted and sent later, in ' +
      'order. Read it once a minute at most: it changes when an operator stops answering or answers again.',
    query: { schema: emptyQuerySchema, examples: {} },
    answer: {
      schema: { type: 'array', items: ref('OperatorStatus') },
      description: 'The operators, in the order of their countries.',
      examples: { operators: { summary: 'The first two; one takes no deposits for the moment', value: STATUSES } },
    },
    causes: [TOO_MANY_PARAMETERS, ...ANY_LIMITED_CALLER, ...anyRequest('GET')],
  },
]
