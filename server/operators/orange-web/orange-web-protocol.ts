import { defineProtocol } from '#server/operators/settings/protocol.ts'
import { createOrangeWebConnector } from './create-orange-web-connector.ts'
import { orangeWebSettingsSchema } from './settings.ts'

/** Orange Web Payment (README.md). Deposits need another protocol: Orange publishes none for this country. */
export const ORANGE_WEB_PROTOCOL = defineProtocol({
  name: 'orange-web',
  operators: ['CIOM'],
  schema: orangeWebSettingsSchema,
  secretFields: ['clientId', 'clientSecret', 'merchantKey'],
  directionsOf: () => ['COLLECT'],
  environmentOf: ({ country }) => country,
  connect: createOrangeWebConnector,
})
