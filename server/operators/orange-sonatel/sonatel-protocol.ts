import { defineProtocol } from '#server/operators/settings/protocol.ts'
import { createSonatelConnector } from './create-sonatel-connector.ts'
import { sonatelSettingsSchema } from './settings.ts'

/** The eWallet API of Orange in Senegal (README.md). */
export const SONATEL_PROTOCOL = defineProtocol({
  name: 'orange-sonatel',
  operators: ['SNOM'],
  schema: sonatelSettingsSchema,
  secretFields: ['clientId', 'clientSecret', 'pin', 'signingSecret'],
  directionsOf: ({ channelMsisdn, pin }) => (channelMsisdn === undefined || pin === undefined ? ['COLLECT'] : ['COLLECT', 'DEPOSIT']),
  environmentOf: ({ environment }) => environment,
  connect: createSonatelConnector,
})
