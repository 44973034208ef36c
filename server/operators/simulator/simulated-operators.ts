import { OPERATOR_CODES } from '#lib/operators.ts'
import { gatewaySettings } from '#server/operators/sandbox-protocol/gateway-protocol.ts'
import type { OperatorSettings } from '#server/operators/settings/operator-settings.ts'
import { mtnAccountOf } from './mtn/credentials.ts'

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
  const others = OPERATOR_CODES.filter((code) => !Object.hasOwn(MTN_ENVIRONMENTS, code))
  return [...mtn, ...gatewaySettings(others, { baseUrl: url, secret })]
}
