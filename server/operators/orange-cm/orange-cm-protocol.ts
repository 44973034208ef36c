import { TRANSACTION_TYPES } from '#lib/transaction-status.ts'
import { defineProtocol } from '#server/operators/settings/protocol.ts'
import { createOrangeCmConnector } from './create-orange-cm-connector.ts'
import { orangeCmSettingsSchema } from './settings.ts'

/** The Orange Money core API of Cameroon (README.md). */
export const ORANGE_CM_PROTOCOL = defineProtocol({
  name: 'orange-cm',
  operators: ['OMCM'],
  schema: orangeCmSettingsSchema,
  secretFields: ['consumerKey', 'consumerSecret', 'apiUser', 'apiPassword', 'pin'],
  directionsOf: ({ directions }) => directions ?? TRANSACTION_TYPES,
  environmentOf: ({ environment }) => environment,
  connect: createOrangeCmConnector,
})
