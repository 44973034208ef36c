import { TRANSACTION_TYPES } from '#lib/transaction-status.ts'
import { defineProtocol } from '#server/operators/settings/protocol.ts'
import { createMoovConnector } from './create-moov-connector.ts'
import { moovSettingsSchema } from './settings.ts'

/** The merchant API of Moov, SOAP (README.md). */
export const MOOV_PROTOCOL = defineProtocol({
  name: 'moov',
  operators: ['BJMOOV', 'MLMOOV'],
  schema: moovSettingsSchema,
  secretFields: ['username', 'password', 'key'],
  directionsOf: ({ directions }) => directions ?? TRANSACTION_TYPES,
  environmentOf: ({ environment }) => environment,
  connect: createMoovConnector,
})
