import { defineProtocol } from '#server/operators/settings/protocol.ts'
import { createWaveConnector } from './create-wave-connector.ts'
import { waveSettingsSchema } from './settings.ts'

/** The Wave Business API (README.md). */
export const WAVE_PROTOCOL = defineProtocol({
  name: 'wave',
  operators: ['CIWAVE', 'SNWAVE'],
  schema: waveSettingsSchema,
  secretFields: ['apiKey', 'signingSecret', 'sharedSecret'],
  directionsOf: ({ directions }) => directions,
  // Wave has no environment for tests.
  environmentOf: () => '',
  connect: createWaveConnector,
})
