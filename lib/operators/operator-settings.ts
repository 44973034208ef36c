import type { OperatorCode } from './operators.ts'

/** The facts of a proposed change of settings, beside `operator`, `protocol` and `version`: a field, and whether a secret is set. */
export const FIELD_FACT = 'field '
export const SECRET_FACT = 'secret '
/** The only facts shown about a secret: that one is stored, or that it is being replaced. */
export type SecretState = 'stored' | 'changed'

/** The kind of settings that says which amounts an operator takes. Every other kind is a protocol: it says how the operator is reached. */
export const AMOUNT_SETTINGS_NAME = 'amounts'

/** One field of the settings of a protocol, as a form needs it. `path`: with dots where fields are grouped. */
export type SettingField = {
  path: string
  kind: 'text' | 'secret' | 'number' | 'whole' | 'yes_no' | 'choice' | 'choices' | 'list' | 'codes'
  /** Of `choice`, `choices` and `codes`: the values that are possible. */
  choices: readonly string[]
  isRequired: boolean
  minimum: number | null
  maximum: number | null
}

/** A value that is not secret. */
export type SettingValue = string | number | boolean | readonly string[] | Readonly<Record<string, string>>

/** The settings of one operator and protocol as the page receives them: of secrets only which ones are set. */
export type ProtocolSettings = {
  operator: OperatorCode
  protocol: string
  fields: readonly SettingField[]
  /** Null: none are stored. */
  stored: {
    version: number
    changedAt: string
    /** Until when one administrator may return to the settings before; null if that is over. */
    returnUntil: string | null
    values: Readonly<Record<string, SettingValue>>
    secretsSet: readonly string[]
  } | null
}

/** The problem with one field. `secret_again`: the address changes, so the secret has to be entered again. */
export const SETTING_PROBLEMS = ['missing', 'format', 'range', 'unknown_field', 'incomplete', 'secret_again'] as const
export type SettingProblem = (typeof SETTING_PROBLEMS)[number]

/** The names of fields and of their groups, each with its words in lib/i18n. A field of a later protocol is shown with its own name. */
export const SETTING_NAMES = [
  'accountMsisdn',
  'apiKey',
  'apiPassword',
  'apiUser',
  'apiUsername',
  'apiVersion',
  'app',
  'baseUrl',
  'bearerHeader',
  'believesEmptySearches',
  'caCertificate',
  'callbackBaseUrl',
  'callbackKey',
  'callsMax',
  'channelMsisdn',
  'clientCertificate',
  'clientId',
  'clientKey',
  'clientSecret',
  'codeLength',
  'codeMeanings',
  'collectBy',
  'collectMaximum',
  'collectMinimum',
  'collectMultipleOf',
  'collection',
  'consumerKey',
  'consumerSecret',
  'country',
  'depositMaximum',
  'depositMinimum',
  'depositMultipleOf',
  'dial',
  'directions',
  'disbursement',
  'dropsNewPrefix',
  'echoesReference',
  'enquiryDelayMs',
  'environment',
  'expiryGraceS',
  'floatFloor',
  'httpProxy',
  'key',
  'listsDays',
  'merchantCode',
  'merchantKey',
  'merchantMsisdn',
  'namespace',
  'password',
  'path',
  'pin',
  'pushMessage',
  'qrValidityS',
  'queryTimeoutMs',
  'rsaPadding',
  'sandboxCurrency',
  'secret',
  'sendsCallbacks',
  'sharedSecret',
  'signingSecret',
  'signsMessages',
  'submissionsPerSecondMax',
  'submitTimeoutMs',
  'subscriptionKey',
  'takesDecimals',
  'targetEnvironment',
  'tokenPath',
  'username',
  'wrongCodes',
] as const
type SettingName = (typeof SETTING_NAMES)[number]

/** Whether there are words for a field. */
export function isSettingName(text: string): text is SettingName {
  const names: readonly string[] = SETTING_NAMES
  return names.includes(text)
}
