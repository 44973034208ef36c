import { OPERATOR_CODES, type OperatorCode } from '#lib/operators.ts'
import type { Clock } from '#lib/time.ts'
import type { Logger } from '#server/logger.ts'
import { createSandboxConnector } from '#server/operators/sandbox-protocol/create-sandbox-connector.ts'
import type { Connectors, GuardedConnector } from './connector.ts'
import { guardConnector } from './guard-connector.ts'

export type ConnectorSettings = {
  /** The address of each operator and the secret shared with it; a code without settings is switched off. */
  operators: Partial<Record<OperatorCode, { baseUrl: string; secret: string }>>
  /** This service's own address as operators reach it, without a slash at its end. Undefined: no callbacks, only polling. */
  callbackBaseUrl: string | undefined
  clock: Clock
  logger: Pick<Logger, 'error'>
  submitTimeoutMs?: number
  queryTimeoutMs?: number
  /** Connections to each operator. Calls beyond it wait for one. */
  connectionsMax?: number
}

/** Returns one connector for each operator that has settings. All of them use the sandbox's protocol for now (README.md). */
export function createConnectors(settings: ConnectorSettings): Connectors {
  const connectors = new Map<OperatorCode, GuardedConnector>()
  for (const operator of OPERATOR_CODES) {
    const settingsOfOperator = settings.operators[operator]
    if (!settingsOfOperator) continue
    const connector = createSandboxConnector({
      operator,
      baseUrl: settingsOfOperator.baseUrl,
      secret: settingsOfOperator.secret,
      callbackUrl: settings.callbackBaseUrl && `${settings.callbackBaseUrl}/operators/callback/${operator}`,
      clock: settings.clock,
      submitTimeoutMs: settings.submitTimeoutMs,
      queryTimeoutMs: settings.queryTimeoutMs,
      connectionsMax: settings.connectionsMax,
    })
    connectors.set(operator, guardConnector(operator, connector, settings.logger))
  }
  return connectors
}

/** Closes every connection to operators. Calls that are under way end as unknown. */
export async function closeConnectors(connectors: Connectors): Promise<void> {
  await Promise.all([...connectors.values()].map((connector) => connector.close()))
}
