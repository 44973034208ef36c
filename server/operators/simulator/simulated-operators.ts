import { OPERATOR_CODES } from '#lib/operators.ts'
import { gatewaySettings } from '#server/operators/sandbox-protocol/gateway-protocol.ts'
import type { OperatorSettings } from '#server/operators/settings/operator-settings.ts'
import { airtelAccountOf } from './airtel/credentials.ts'
import { mtnAccountOf } from './mtn/credentials.ts'
import { orangeCmAccountOf } from './orange-cm/credentials.ts'

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
  const own: OperatorSettings[] = [
    ...mtn,
    {
      operator: 'UGAIRTEL',
      protocol: 'airtel',
      document: { baseUrl: `${url}/airtel`, environment: 'uat', ...airtelAccountOf(secret), signsMessages: true, takesDecimals: true },
    },
    {
      operator: 'OMCM',
      protocol: 'orange-cm',
      document: { baseUrl: `${url}/orange-cm`, environment: 'sandbox', ...orangeCmAccountOf(secret), takesDecimals: true },
    },
  ]
  const others = OPERATOR_CODES.filter((code) => !own.some(({ operator }) => operator === code))
  return [...own, ...gatewaySettings(others, { baseUrl: url, secret })]
}
