import type { Locale } from '#lib/i18n/locale.ts'
import type { OfferedProofs } from './passkeys.ts'
import type { Role } from './permissions.ts'

type ApplicationChoice = { slug: string; name: string }

/** The signed-in person as pages and client components know them: only what that person may see. */
export type Viewer = {
  personId: string
  name: string
  email: string
  locale: Locale
  /** In which this person reads clock times: an IANA name; the application's zone if they chose none. */
  timeZone: string
  roles: readonly Role[]
  application: ApplicationChoice & { applicationId: string; timeZone: string; runsInstallation: boolean }
  /** With what they can confirm something. */
  proofs: OfferedProofs
  /** When somebody entered twenty wrong one-time codes in a row for this person, who has not read it yet; null: nobody did. */
  codesGuessedAt: Date | null
  /** Every application this person is an active member of, by name. */
  applications: readonly ApplicationChoice[]
  /** Whether another application has invited this person. */
  hasInvitations: boolean
}

export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

/** The cookie that remembers the theme in this browser. */
export const THEME_COOKIE = 'countersign.theme'

/** Returns whether a value is one of the three themes. */
export function isTheme(value: unknown): value is Theme {
  return value === 'system' || value === 'light' || value === 'dark'
}
