import assert from 'node:assert/strict'
import { createLogger } from '#server/logger.ts'
import type { Connector, Connectors } from '#server/operators/connector.ts'
import { guardConnector } from '#server/operators/guard-connector.ts'
import type { OperatorHarness } from './operator-harness.ts'

/** The connectors of a process that serves OMCM alone, through the harness's connector with these methods and terms in place of its own. */
export function connectorsWith(harness: OperatorHarness, overrides: Partial<Connector>): Connectors {
  const plain = harness.connectors.get('OMCM') ?? assert.fail()
  const connector = guardConnector('OMCM', { ...plain, ...overrides }, createLogger('silent'))
  return { get: () => connector, has: () => true, operators: () => ['OMCM'] }
}
