import { OPERATOR_CODES } from '#lib/operators/operators.ts'
import type { OperatorSettings } from '#server/operators/settings/operator-settings.ts'
import { gatewaySettings } from '../sandbox-protocol/sandbox-connector.ts'
import { airtelAccountOf } from './airtel/airtel-messages.ts'
import { MOOV_COUNTRIES, type MoovCountry, moovAccountOf } from './moov/moov-messages.ts'
import { mtnAccountOf } from './mtn/mtn-messages.ts'
import { orangeBfAccountOf } from './orange-bf/answer-orange-bf.ts'
import { orangeCmAccountOf } from './orange-cm/orange-cm-messages.ts'
import { sonatelAccountOf } from './orange-sonatel/sonatel-credentials.ts'
import { orangeWebAccountOf } from './orange-web/answer-orange-web.ts'
import { WAVE_OPERATORS, waveAccountOf } from './wave/wave-messages.ts'

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
    document: { baseUrl: `${url}/wave`, ...waveAccountOf(secret, operator), expiryGraceS: 0 },
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
    ...wave,
    ...moov,
    {
      operator: 'UGAIRTEL',
      protocol: 'airtel',
      document: {
        baseUrl: `${url}/airtel`,
        environment: 'uat',
        ...airtelAccountOf(secret),
        signsMessages: true,
        takesDecimals: true,
        enquiryDelayMs: 0,
      },
    },
    {
      operator: 'OMCM',
      protocol: 'orange-cm',
      document: { baseUrl: `${url}/orange-cm`, environment: 'sandbox', ...orangeCmAccountOf(secret), takesDecimals: true },
    },
    {
      operator: 'SNOM',
      protocol: 'orange-sonatel',
      document: {
        baseUrl: `${url}/orange-sonatel`,
        environment: 'sandbox',
        ...sonatelAccountOf(secret),
        wrongCodes: ['2050'],
        believesEmptySearches: true,
        takesDecimals: true,
      },
    },
  ]
  const collectsOnly = [simulatedOrangeWeb(url, secret), simulatedOrangeBf(url, secret)]
  const others = OPERATOR_CODES.filter((code) => !own.some(({ operator }) => operator === code))
  return [...own, ...collectsOnly, ...gatewaySettings(others, { baseUrl: url, secret })]
}

/**
 * Meanings of the codes that Orange does not publish for these countries, and that the simulator sends so that every row ends as the table
 * says.
 */
const CODE_MEANINGS = { 60019: 'insufficientFunds', 990422: 'invalidNumber', '00066': 'notRegistered', 990903: 'cancelledByCustomer' }

function simulatedOrangeWeb(url: string, secret: string): OperatorSettings {
  const document = { baseUrl: `${url}/orange-web`, country: 'ci', ...orangeWebAccountOf(secret), codeMeanings: CODE_MEANINGS }
  return { operator: 'CIOM', protocol: 'orange-web', document }
}

function simulatedOrangeBf(url: string, secret: string): OperatorSettings {
  const codeMeanings = { ...CODE_MEANINGS, 990499: 'other', 990904: 'operatorTimeout' }
  return { operator: 'BFOM', protocol: 'orange-bf', document: { baseUrl: `${url}/orange-bf`, ...orangeBfAccountOf(secret), codeMeanings } }
}
