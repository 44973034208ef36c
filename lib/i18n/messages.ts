import en from './en.json' with { type: 'json' }
import fr from './fr.json' with { type: 'json' }
import type { Locale } from './locale.ts'
import type { Messages } from './translate.ts'

/** All words of the back office. For servers and tests: a browser gets the part its page needs (pickMessages). */
export const MESSAGES: Readonly<Record<Locale, Messages>> = { en, fr }
