/** The languages of the back office. A person's choice wins, then the browser's, then English. */
export const LOCALES = ['en', 'fr'] as const
export type Locale = (typeof LOCALES)[number]

/** The cookie that remembers the language in this browser. */
export const LANGUAGE_COOKIE = 'countersign.language'

/** Returns whether the product supports the language. */
export function isLocale(value: unknown): value is Locale {
  return value === 'en' || value === 'fr'
}

/**
 * Returns the preferred supported language of an Accept-Language header, or English. Weights are compared as numbers; a malformed
 * part is ignored.
 */
export function localeFromHeader(header: string | null): Locale {
  const wanted = (header ?? '').split(',').map((part) => {
    const [tag = '', ...parameters] = part.trim().toLowerCase().split(';')
    const weight = parameters.map((text) => /^\s*q=([\d.]+)\s*$/.exec(text)?.[1]).find((text) => text !== undefined)
    return { language: tag.split('-')[0], weight: weight === undefined ? 1 : Number(weight) }
  })
  const spoken = wanted.filter((choice) => isLocale(choice.language) && choice.weight > 0)
  spoken.sort((left, right) => right.weight - left.weight)
  const first = spoken[0]?.language
  return isLocale(first) ? first : 'en'
}
