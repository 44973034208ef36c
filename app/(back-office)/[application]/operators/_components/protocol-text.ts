import type { Translate } from '#lib/i18n/translate.ts'

const NAMES: Readonly<Record<string, string>> = {
  'mtn-momo': 'MTN MoMo',
  airtel: 'Airtel Open API',
  wave: 'Wave Business API',
  'orange-cm': 'Orange Money Core API',
  'orange-web': 'Orange Web Payment',
  'orange-bf': 'Orange Money Burkina Faso',
  'orange-sonatel': 'Orange Sonatel',
  moov: 'Moov SOAP',
}

/** The name of a protocol as its operator writes it, in a sentence. */
export function protocolText(t: Translate, protocol: string): string {
  return protocol === 'gateway' ? t('operators.gateway') : (NAMES[protocol] ?? protocol)
}

/** The same as a heading. */
export function protocolName(t: Translate, protocol: string): string {
  return protocol === 'gateway' ? t('operators.gatewayName') : (NAMES[protocol] ?? protocol)
}
