import { AIRTEL_PROTOCOL } from '../airtel/airtel-connector.ts'
import { MOOV_PROTOCOL } from '../moov/moov-connector.ts'
import { MTN_PROTOCOL } from '../mtn/mtn-connector.ts'
import { ORANGE_BF_PROTOCOL } from '../orange-bf/orange-bf-connector.ts'
import { ORANGE_CM_PROTOCOL } from '../orange-cm/orange-cm-connector.ts'
import { SONATEL_PROTOCOL } from '../orange-sonatel/sonatel-connector.ts'
import { ORANGE_WEB_PROTOCOL } from '../orange-web/orange-web-connector.ts'
import { GATEWAY_PROTOCOL } from '../sandbox-protocol/sandbox-connector.ts'
import { WAVE_PROTOCOL } from '../wave/wave-connector.ts'
import { AMOUNT_SETTINGS } from './amount-settings.ts'
import type { Protocol, SettingsKind } from './protocol.ts'

/** Every protocol, the operators' own ones first: where two put the same direction in service, the first one is used. */
export const PROTOCOLS: readonly Protocol[] = [
  MTN_PROTOCOL,
  AIRTEL_PROTOCOL,
  WAVE_PROTOCOL,
  ORANGE_CM_PROTOCOL,
  ORANGE_WEB_PROTOCOL,
  ORANGE_BF_PROTOCOL,
  SONATEL_PROTOCOL,
  MOOV_PROTOCOL,
  GATEWAY_PROTOCOL,
]

/** Everything that is set for an operator: how it is reached, and the amounts that it takes. */
export const SETTINGS_KINDS: readonly SettingsKind[] = [...PROTOCOLS, AMOUNT_SETTINGS]

export function findSettingsKind(name: string): SettingsKind | undefined {
  return SETTINGS_KINDS.find((kind) => kind.name === name)
}
