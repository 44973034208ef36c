import { OPERATOR_CODES } from '#lib/operators.ts'
import { gatewaySettings } from '#server/operators/sandbox-protocol/gateway-protocol.ts'
import type { OperatorSettings } from '#server/operators/settings/operator-settings.ts'
import { mtnAccountOf } from './mtn/credentials.ts'
import { WAVE_OPERATORS, waveAccountOf } from './wave/credentials.ts'

const MTN_ENVIRONMENTS = { MOMOCM: 'mtncameroon', BJMTN: 'mtnbenin', UGMTN: 'mtnuganda' } as const

/** The settings that reach a simulator with this secret: operators' own protocols where it speaks them, otherwise the gateway protocol. */
export function simulatedOperators(url: string, secret: string): OperatorSettings[] {
  const mtn = Object.entries(MTN_ENVIRONMENTS).map(([operator, targetEnvironment]) => ({
    operator: operator as keyof typeof MTN_ENVIRONMENTS,
    protocol: 'mtn-momo',
    document: {
      baseUrl: `${url}/mtn`,
      targetEnvironment,
      collection: mtnAccountOf(secret, 'collection'),
      disbursement: mtnAccountOf(secret, 'disbursement'),
    },
  }))
  const wave = WAVE_OPERATORS.map((operator) => ({
    operator,
    protocol: 'wave',
    document: { baseUrl: `${url}/wave`, ...waveAccountOf(secret, operator) },
  }))
  const own = [...mtn, ...wave]
  const others = OPERATOR_CODES.filter((code) => !own.some(({ operator }) => operator === code))
  return [...own, ...gatewaySettings(others, { baseUrl: url, secret })]
}
