import type { Locale } from '#lib/i18n/locale.ts'
import type { Translate } from '#lib/i18n/translate.ts'

/** The language, and the zone of clock times: the person's own. */
export type OperatorWords = { t: Translate; locale: Locale; timeZone: string }
