import { MTN_PROTOCOL } from '#server/operators/mtn/mtn-protocol.ts'
import { ORANGE_BF_PROTOCOL } from '#server/operators/orange-bf/orange-bf-protocol.ts'
import { ORANGE_WEB_PROTOCOL } from '#server/operators/orange-web/orange-web-protocol.ts'
import { GATEWAY_PROTOCOL } from '#server/operators/sandbox-protocol/gateway-protocol.ts'
import { WAVE_PROTOCOL } from '#server/operators/wave/wave-protocol.ts'
import type { Protocol } from './protocol.ts'

/** Every protocol, the operators' own ones first: where two put the same direction in service, the first one is used. */
export const PROTOCOLS: readonly Protocol[] = [MTN_PROTOCOL, WAVE_PROTOCOL, ORANGE_WEB_PROTOCOL, ORANGE_BF_PROTOCOL, GATEWAY_PROTOCOL]

export function findProtocol(name: string): Protocol | undefined {
  return PROTOCOLS.find((protocol) => protocol.name === name)
}
