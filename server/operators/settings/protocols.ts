import { AIRTEL_PROTOCOL } from '#server/operators/airtel/airtel-protocol.ts'
import { MOOV_PROTOCOL } from '#server/operators/moov/moov-protocol.ts'
import { MTN_PROTOCOL } from '#server/operators/mtn/mtn-protocol.ts'
import { ORANGE_BF_PROTOCOL } from '#server/operators/orange-bf/orange-bf-protocol.ts'
import { ORANGE_CM_PROTOCOL } from '#server/operators/orange-cm/orange-cm-protocol.ts'
import { SONATEL_PROTOCOL } from '#server/operators/orange-sonatel/sonatel-protocol.ts'
import { ORANGE_WEB_PROTOCOL } from '#server/operators/orange-web/orange-web-protocol.ts'
import { GATEWAY_PROTOCOL } from '#server/operators/sandbox-protocol/gateway-protocol.ts'
import { WAVE_PROTOCOL } from '#server/operators/wave/wave-protocol.ts'
import type { Protocol } from './protocol.ts'

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

export function findProtocol(name: string): Protocol | undefined {
  return PROTOCOLS.find((protocol) => protocol.name === name)
}
