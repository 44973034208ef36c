import { z } from 'zod'
import { OPERATOR_CODES, type OperatorCode } from '#lib/operators.ts'
import { TRANSACTION_TYPES } from '#lib/transaction-status.ts'
import type { OperatorSettings } from '#server/operators/settings/operator-settings.ts'
import { ALL_OPERATORS, COMMON_SETTINGS, defineProtocol, secretText } from '#server/operators/settings/protocol.ts'
import { createSandboxConnector } from './create-sandbox-connector.ts'

/** The product's own protocol: what the simulator speaks for codes without another one, and what a gateway of the installation may speak. */
export const GATEWAY_PROTOCOL = defineProtocol({
  name: 'gateway',
  operators: ALL_OPERATORS,
  schema: z.strictObject({
    ...COMMON_SETTINGS,
    /** Shared with the gateway: authorises calls, signs callbacks. */
    secret: secretText,
    /** The directions that it serves; both if left out. */
    directions: z.array(z.enum(TRANSACTION_TYPES)).min(1).optional(),
  }),
  secretFields: ['secret'],
  directionsOf: (settings) => settings.directions ?? TRANSACTION_TYPES,
  // A gateway may move to another address with everything that it knows.
  environmentOf: () => '',
  connect: (context, settings) => createSandboxConnector({ ...context, baseUrl: settings.baseUrl, secret: settings.secret }),
})

/** Settings of the gateway protocol as the environment names them. */
export function gatewaysOf(byOperator: Partial<Record<OperatorCode, { baseUrl: string; secret: string }>>): OperatorSettings[] {
  return OPERATOR_CODES.flatMap((operator) => {
    const gateway = byOperator[operator]
    return gateway ? gatewaySettings([operator], { baseUrl: gateway.baseUrl, secret: gateway.secret }) : []
  })
}

/** Settings of the gateway protocol, the same for each of these operators. */
export function gatewaySettings(operators: readonly OperatorCode[], document: { baseUrl: string; secret: string }): OperatorSettings[] {
  return operators.map((operator) => ({ operator, protocol: GATEWAY_PROTOCOL.name, document }))
}
