import { OPERATOR_CODES } from '#lib/operators.ts'
import { gatewaySettings } from '#server/operators/sandbox-protocol/gateway-protocol.ts'
import type { OperatorSettings } from '#server/operators/settings/operator-settings.ts'
import { airtelAccountOf } from './airtel/credentials.ts'
import { MOOV_COUNTRIES, type MoovCountry, moovAccountOf } from './moov/credentials.ts'
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
  const moov = Object.entries(MOOV_COUNTRIES).map(([country, operator]) => ({
    operator,
    protocol: 'moov',
    document: {
      baseUrl: `${url}/moov/${country}/com.tlc.merchant.api`,
      environment: 'test',
      ...moovAccountOf(secret, country as MoovCountry),
      takesDecimals: true,
      // The simulator refuses a reference that it has, and has a code of its own for each.
      codeMeanings: { 91: 'cancelledByCustomer', 92: 'operatorTimeout', 94: 'notFound' },
    },
  }))
  const own: OperatorSettings[] = [
    ...mtn,
    ...moov,
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
