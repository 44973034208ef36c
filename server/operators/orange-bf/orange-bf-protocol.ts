import { defineProtocol } from '#server/operators/settings/protocol.ts'
import { createOrangeBfConnector } from './create-orange-bf-connector.ts'
import { orangeBfSettingsSchema } from './settings.ts'

/** Payments of Orange Money in Burkina Faso (README.md). Deposits need another protocol. */
export const ORANGE_BF_PROTOCOL = defineProtocol({
  name: 'orange-bf',
  operators: ['BFOM'],
  schema: orangeBfSettingsSchema,
  secretFields: ['apiUsername', 'apiPassword'],
  answersSynchronously: true,
  directionsOf: () => ['COLLECT'],
  environmentOf: ({ baseUrl }) => new URL(baseUrl).hostname,
  connect: createOrangeBfConnector,
})
