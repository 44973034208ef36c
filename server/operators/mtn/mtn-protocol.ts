import type { TransactionType } from '#lib/transaction-status.ts'
import { defineProtocol } from '#server/operators/settings/protocol.ts'
import { createMtnConnector } from './create-mtn-connector.ts'
import { mtnSettingsSchema } from './settings.ts'

/** The MTN MoMo Open API (README.md). */
export const MTN_PROTOCOL = defineProtocol({
  name: 'mtn-momo',
  operators: ['MOMOCM', 'BJMTN', 'UGMTN'],
  schema: mtnSettingsSchema,
  secretFields: ['subscriptionKey', 'apiKey'],
  directionsOf: ({ collection, disbursement }) => {
    const served: [TransactionType, unknown][] = [
      ['COLLECT', collection],
      ['DEPOSIT', disbursement],
    ]
    return served.flatMap(([type, product]) => (product ? [type] : []))
  },
  environmentOf: ({ targetEnvironment }) => targetEnvironment,
  connect: createMtnConnector,
})
