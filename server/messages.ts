import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Locale } from '#lib/i18n/locale.ts'
import type { Messages } from '#lib/i18n/translate.ts'
import { processWide } from './process-wide.ts'

declare module '#server/process-wide.ts' {
  interface ProcessWideValues {
    messages: Readonly<Record<Locale, Messages>>
  }
}

/**
 * All texts of the back office; a page sends the browser only the part it needs (pickMessages). They are read from the folder in which the
 * service is started: an imported file becomes a part of each route's bundle, whose text Node keeps in memory (1 MB in each of 14 bundles).
 */
export const MESSAGES = processWide('messages', () => ({ en: read('en'), fr: read('fr') }))

function read(locale: Locale): Messages {
  return JSON.parse(readFileSync(join(/* turbopackIgnore: true */ process.cwd(), 'lib/i18n', `${locale}.json`), 'utf8'))
}
