import { defineProtocol } from '#server/operators/settings/protocol.ts'
import { createAirtelConnector } from './create-airtel-connector.ts'
import { airtelSettingsSchema } from './settings.ts'

/** The Airtel Africa Open API (README.md). */
export const AIRTEL_PROTOCOL = defineProtocol({
  name: 'airtel',
  operators: ['UGAIRTEL'],
  schema: airtelSettingsSchema,
  secretFields: ['clientId', 'clientSecret', 'pin', 'callbackKey'],
  directionsOf: ({ pin }) => (pin === undefined ? ['COLLECT'] : ['COLLECT', 'DEPOSIT']),
  environmentOf: ({ environment }) => environment,
  connect: createAirtelConnector,
})
