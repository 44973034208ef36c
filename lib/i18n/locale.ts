/** The languages of the back office. A person's choice wins, then the browser's, then English. */
export const LOCALES = ['en', 'fr'] as const
export type Locale = (typeof LOCALES)[number]

/** True for a language the product speaks. */
export function isLocale(value: unknown): value is Locale {
  return value === 'en' || value === 'fr'
}

/**
 * Chooses from an Accept-Language header: the first language we speak in the reader's order of preference, English when
 * there is none. Weights are compared as numbers; a malformed part is passed over.
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
