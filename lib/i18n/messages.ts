import en from './en.json' with { type: 'json' }
import fr from './fr.json' with { type: 'json' }
import type { Locale } from './locale.ts'
import type { Messages } from './translate.ts'

/** All texts of the back office. For the server and tests: a page sends the browser only the part it needs (pickMessages). */
export const MESSAGES: Readonly<Record<Locale, Messages>> = { en, fr }
