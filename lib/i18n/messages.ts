import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Locale } from './locale.ts'
import type { Messages } from './translate.ts'

/**
 * All texts of the back office. For the server and tests: a page sends the browser only the part it needs (pickMessages).
 * Read at run time, from the folder in which the service is started: an imported file would become a part of each route's bundle, and
 * Node would keep its text in memory once for each of them (1 MB × 14).
 */
export const MESSAGES: Readonly<Record<Locale, Messages>> = { en: read('en'), fr: read('fr') }

function read(locale: Locale): Messages {
  return JSON.parse(readFileSync(join(/* turbopackIgnore: true */ process.cwd(), 'lib/i18n', `${locale}.json`), 'utf8'))
}
