import { TRANSACTION_TYPES, type TransactionType } from '#lib/transaction-status.ts'
import type { CallbackOutcome, Connector, SubmitOutcome, UnknownOutcome } from './connector.ts'

const EXCHANGE = { httpStatus: null, answer: 'This direction is not in service' }
const NOT_SENT: SubmitOutcome = { kind: 'not_sent', detail: EXCHANGE.answer, exchange: EXCHANGE }
const UNKNOWN: UnknownOutcome = { kind: 'unknown', detail: EXCHANGE.answer, exchange: EXCHANGE }

/**
 * One connector for an operator whose directions use different protocols. For each direction the first connector that serves it is used;
 * a direction that none serves is not in service. Undefined without any connector.
 */
export function combineConnectors(connectors: readonly Connector[]): Connector | undefined {
  const [first, ...others] = connectors
  if (!first || others.length === 0) return first
  const servingOf = (type: TransactionType) => connectors.find(({ terms }) => terms.routes.has(type))
  const routes = TRANSACTION_TYPES.flatMap((type): [TransactionType, string][] => {
    const route = servingOf(type)?.terms.routes.get(type)
    return route === undefined ? [] : [[type, route]]
  })
  const enquiryDelaysMs = connectors.flatMap(({ terms }) => terms.enquiryDelayMs ?? [])
  const checking = connectors.find(({ checkAccount }) => checkAccount)
  return {
    terms: {
      ...first.terms,
      routes: new Map(routes),
      // One claim serves both directions: each has at least what its protocol needs.
      submitTimeoutMs: Math.max(...connectors.map(({ terms }) => terms.submitTimeoutMs)),
      enquiryDelayMs: enquiryDelaysMs.length > 0 ? Math.max(...enquiryDelaysMs) : undefined,
    },
    customerStep: servingOf('COLLECT')?.customerStep,
    hasNoQueries: servingOf('COLLECT')?.hasNoQueries,
    submit: async (submission, keep) => (await servingOf(submission.type)?.submit(submission, keep)) ?? NOT_SENT,
    query: async (query) => (await servingOf(query.type)?.query(query)) ?? UNKNOWN,
    balance: () => first.balance(),
    ...(checking?.checkAccount && { checkAccount: checking.checkAccount }),
    parseCallback: (headers, body, search) => firstRead(connectors.map((connector) => connector.parseCallback(headers, body, search))),
    close: async () => void (await Promise.all(connectors.map((connector) => connector.close()))),
  }
}

/** A callback that one protocol refuses may be a callback of another one. */
function firstRead(outcomes: readonly CallbackOutcome[]): CallbackOutcome {
  return outcomes.find(({ kind }) => kind === 'callback') ?? outcomes[0] ?? { kind: 'unverified' }
}
