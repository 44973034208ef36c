import { useEffect } from 'react'
import en from '#lib/i18n/en.json' with { type: 'json' }
import fr from '#lib/i18n/fr.json' with { type: 'json' }

import { reloadOnceAnswered } from '#lib/reload-once-answered.ts'
import { DATABASE_AWAY_DIGEST } from '#lib/result.ts'

const PRODUCT = 'Countersign'

/**
 * Shown if the layout itself fails. In both languages, because the reader's language is then unknown. If the database is away, the page is
 * loaded again once it can be read.
 */
export default function LastResort({ reference }: { reference: string }) {
  const kind = reference === DATABASE_AWAY_DIGEST ? 'unavailable' : 'error'
  useEffect(() => (kind === 'unavailable' ? reloadOnceAnswered() : undefined), [kind])
  return (
    <main className="mx-auto grid max-w-xl gap-6 px-4 py-16">
      <title>{PRODUCT}</title>
      {[en, fr].map((words) => (
        <section key={words['state.errorTitle']} lang={words === en ? 'en' : 'fr'} className="grid gap-2">
          <h1>{words[`state.${kind}Title`]}</h1>
          <p>{words[`state.${kind}Text`].replace('{reference}', reference)}</p>
          <a className="text-accent underline" href="/">
            {words['state.home']}
          </a>
        </section>
      ))}
    </main>
  )
}
