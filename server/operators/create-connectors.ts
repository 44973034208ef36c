import { AMOUNT_SETTINGS_NAME } from '#lib/operators/operator-settings.ts'
import { OPERATOR_CODES, type OperatorCode } from '#lib/operators/operators.ts'
import { TRANSACTION_TYPES, type TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import type { Clock } from '#lib/time/time.ts'
import type { Logger } from '#server/logger.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import type { CallbackOutcome, Connector, Connectors, GuardedConnector, SubmitOutcome, UnknownOutcome } from './connector.ts'
import { guardConnector } from './guard-connector.ts'
import { followLimits } from './settings/amount-settings.ts'
import type { OperatorSettings } from './settings/operator-settings.ts'
import { type ConnectorContext, type Protocol, problemSentences } from './settings/protocol.ts'
import { PROTOCOLS } from './settings/protocols.ts'
import type { AccessTokens } from './tokens/access-tokens.ts'

/** Settings, and when they were saved; those of the environment have no version. */
type VersionedSettings = OperatorSettings & { version?: bigint; id?: string }

type ConnectorOptions = {
  /** How each operator is reached; a code without settings is switched off. `follow` replaces them. */
  settings?: readonly VersionedSettings[]
  /** This service's own address as operators reach it, without a slash at its end. Undefined: no callbacks, only polling. */
  callbackBaseUrl: string | undefined
  tokens: AccessTokens
  clock: Clock
  logger: Pick<Logger, 'error'>
  /** In place of what the settings say. */
  submitTimeoutMs?: number
  queryTimeoutMs?: number
  /** Connections to each operator. Calls beyond it wait for one. */
  connectionsMax?: number
}

/** The connectors of this process, which follow the settings. */
export type FollowingConnectors = Connectors & {
  /** Replaces the connectors of operators whose settings have changed. Calls in progress on the old ones end as they would. */
  follow(settings: readonly VersionedSettings[]): void
  /** Closes every connection. Calls that are in progress end as unknown. */
  close(): Promise<void>
}

const DEADLINE_MS = 10_000
/** Where the answer to a submission is the result of the payment. */
const SYNCHRONOUS_DEADLINE_MS = 60_000
/** As many as the dispatcher makes calls at once, in all lanes together. */
const CONNECTIONS_MAX = 192
const CALLS_MAX = 64
/** Longer than any submission takes. */
const RETIREMENT_MS = 90_000

/** Returns a connector for each operator whose settings fit their protocol. */
export function createConnectors(options: ConnectorOptions): FollowingConnectors {
  const open = new Map<OperatorCode, { connector: GuardedConnector; fingerprint: string }>()
  const retired = new Map<GuardedConnector, NodeJS.Timeout>()
  const amounts = followLimits()

  function retire(connector: GuardedConnector): void {
    const timer = setTimeout(() => {
      retired.delete(connector)
      void connector.close()
    }, RETIREMENT_MS)
    timer.unref()
    retired.set(connector, timer)
  }

  function follow(all: readonly VersionedSettings[]): void {
    amounts.follow(all)
    // Other limits keep the connections, and do not count as other settings where a direction is closed for a fault of these.
    const settings = all.filter(({ protocol }) => protocol !== AMOUNT_SETTINGS_NAME)
    for (const operator of OPERATOR_CODES) {
      const own = settings.filter((one) => one.operator === operator)
      const fingerprint = JSON.stringify([own.map(({ protocol, document }) => [protocol, document]), versionOf(own)])
      const present = open.get(operator)
      if (present ? present.fingerprint === fingerprint : own.length === 0) continue
      open.delete(operator)
      if (present) retire(present.connector)
      const connector = connect(options, operator, own)
      if (connector) open.set(operator, { connector, fingerprint })
    }
  }

  follow(options.settings ?? [])
  return {
    get: (operator) => open.get(operator)?.connector,
    has: (operator, type) => open.get(operator)?.connector.terms.routes.has(type) ?? false,
    limitsOf: amounts.limitsOf,
    operators: () => [...open.keys()],
    follow,
    async close() {
      for (const timer of retired.values()) clearTimeout(timer)
      const all = [...retired.keys(), ...[...open.values()].map(({ connector }) => connector)]
      retired.clear()
      await Promise.all(all.map((connector) => connector.close()))
    },
  }
}

/** Changes whenever any settings of the operator are saved, also with the same content. Holds nothing of them. `listAvailability` computes the same. */
function versionOf(settings: readonly VersionedSettings[]): string {
  return settings.map(({ protocol, version, id }) => `${protocol} ${version ?? 0} ${id ?? ''}`).join(', ')
}

function connect(options: ConnectorOptions, operator: OperatorCode, settings: readonly VersionedSettings[]): GuardedConnector | undefined {
  // In the order of PROTOCOLS: an operator's own protocol before the gateway.
  const parts = PROTOCOLS.flatMap((protocol) => {
    const own = settings.find((one) => one.protocol === protocol.name)
    const part = own && connectPart(options, operator, protocol, { ...own, settingsVersion: versionOf(settings) })
    return part ? [part] : []
  })
  const connector = combineConnectors(parts)
  return connector && guardConnector(operator, connector, options.logger)
}

function connectPart(
  options: ConnectorOptions,
  operator: OperatorCode,
  protocol: Protocol,
  { document, settingsVersion }: OperatorSettings & { settingsVersion: string },
): Connector | undefined {
  const checked = protocol.check(document)
  if (!checked.ok) {
    // Stored by a release with another schema: the operator is not in service until its settings are set again.
    reportUnexpected('operators: settings', new Error(problemSentences(checked.error).join('; ')), {
      message: `The settings of ${operator} do not fit`,
    })
    return undefined
  }
  const { common, routes } = checked.value
  const submitTimeoutMs =
    options.submitTimeoutMs ?? common.submitTimeoutMs ?? (protocol.answersSynchronously ? SYNCHRONOUS_DEADLINE_MS : DEADLINE_MS)
  const callbackBaseUrl = common.callbackBaseUrl ?? options.callbackBaseUrl
  const context: ConnectorContext = {
    operator,
    terms: {
      routes,
      callsMax: common.callsMax ?? CALLS_MAX,
      submissionsPerSecondMax: common.submissionsPerSecondMax,
      floatFloorMinor: routes.has('DEPOSIT') ? BigInt(common.floatFloor ?? 0) * 100n : undefined,
      submitTimeoutMs,
      settingsVersion,
    },
    callbackUrl: common.sendsCallbacks === false || !callbackBaseUrl ? undefined : `${callbackBaseUrl}/operators/callback/${operator}`,
    publicUrl: options.callbackBaseUrl,
    submitTimeoutMs,
    queryTimeoutMs: options.queryTimeoutMs ?? common.queryTimeoutMs ?? DEADLINE_MS,
    connectionsMax: options.connectionsMax ?? CONNECTIONS_MAX,
    transport: common,
    tokens: options.tokens,
    clock: options.clock,
  }
  return checked.value.connect(context)
}

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
  // At most one: the other protocol of an operator is the gateway, which takes nothing back.
  const taking = connectors.find(({ reversals }) => reversals)
  return {
    terms: {
      ...first.terms,
      routes: new Map(routes),
      // One claim serves both directions: each has at least what its protocol needs.
      submitTimeoutMs: Math.max(...connectors.map(({ terms }) => terms.submitTimeoutMs)),
      enquiryDelayMs: enquiryDelaysMs.length > 0 ? Math.max(...enquiryDelaysMs) : undefined,
      // `balance` asks the first one.
      floatFloorMinor: servingOf('DEPOSIT') === first ? first.terms.floatFloorMinor : undefined,
    },
    customerStep: servingOf('COLLECT')?.customerStep,
    hasNoQueries: servingOf('COLLECT')?.hasNoQueries,
    submit: async (submission, keep) => (await servingOf(submission.type)?.submit(submission, keep)) ?? NOT_SENT,
    query: async (query) => (await servingOf(query.type)?.query(query)) ?? UNKNOWN,
    balance: () => first.balance(),
    ...(checking?.checkAccount && { checkAccount: checking.checkAccount }),
    ...(taking?.reversals && {
      reversals: { ...taking.reversals, types: taking.reversals.types.filter((type) => servingOf(type) === taking) },
    }),
    parseCallback: (headers, body, search) => firstRead(connectors.map((connector) => connector.parseCallback(headers, body, search))),
    close: async () => void (await Promise.all(connectors.map((connector) => connector.close()))),
  }
}

/** A callback that one protocol refuses may be a callback of another one. */
function firstRead(outcomes: readonly CallbackOutcome[]): CallbackOutcome {
  return outcomes.find(({ kind }) => kind === 'callback') ?? outcomes[0] ?? { kind: 'unverified' }
}
