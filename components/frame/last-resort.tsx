import en from '#lib/i18n/en.json' with { type: 'json' }
import fr from '#lib/i18n/fr.json' with { type: 'json' }

/** Shown if the layout itself fails. In both languages, because the reader's language is then unknown. */
export default function LastResort({ reference }: { reference: string }) {
  return (
    <main className="mx-auto grid max-w-xl gap-6 px-4 py-16">
      {[en, fr].map((words) => (
        <section key={words['state.errorTitle']} lang={words === en ? 'en' : 'fr'} className="grid gap-2">
          <h1>{words['state.errorTitle']}</h1>
          <p>{words['state.errorText'].replace('{reference}', reference)}</p>
          <a className="text-accent underline" href="/">
            {words['state.home']}
          </a>
        </section>
      ))}
    </main>
  )
}
