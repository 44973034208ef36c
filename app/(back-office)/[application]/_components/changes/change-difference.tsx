import type { Locale } from '#lib/i18n/locale.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import type { ProposedChangeDto } from '#lib/proposed-change.ts'
import { FACT_NAMES, factText, subjectText } from './fact-text.ts'

/** What is and what would be, a line per fact that differs. */
export function ChangeDifference({ t, locale, change }: { t: Translate; locale: Locale; change: ProposedChangeDto }) {
  const { before, after } = change
  const subject = subjectText(t, before)
  const differing = Object.keys(FACT_NAMES).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
  return (
    <>
      {subject && <p className="mt-1">{subject}</p>}
      <dl className="mt-2 grid gap-1">
        {differing.map((name) => (
          <div key={name} className="flex flex-wrap gap-x-3">
            <dt className="w-44 shrink-0 text-quiet">{t(FACT_NAMES[name] ?? 'change.none')}</dt>
            <dd className="wrap-anywhere">
              <del className="text-quiet">{factText(t, locale, name, before)}</del>
              <span aria-hidden="true" className="mx-1.5 text-ink-3">
                →
              </span>
              <ins className="font-medium no-underline">{factText(t, locale, name, after)}</ins>
            </dd>
          </div>
        ))}
      </dl>
    </>
  )
}
