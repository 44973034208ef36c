import { Notice } from '#components/ui/empty-state.tsx'
import type { Locale } from '#lib/i18n/locale.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { combinesRoles } from '#lib/permissions.ts'
import type { ProposedChangeDto } from '#lib/proposed-change.ts'
import { DifferenceLines } from './difference-lines.tsx'
import { FACT_NAMES, factText, subjectText } from './fact-text.ts'

/** What is and what would be, a line per fact that differs, with a warning about roles that are meant for different people. */
export function ChangeDifference({ t, locale, change }: { t: Translate; locale: Locale; change: ProposedChangeDto }) {
  const { before, after } = change
  const subject = subjectText(t, before)
  const differing = Object.keys(FACT_NAMES).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
  return (
    <>
      {subject && <p className="mt-1">{subject}</p>}
      <DifferenceLines
        lines={differing.map((name) => ({
          name,
          label: t(FACT_NAMES[name] ?? 'change.none'),
          before: factText(t, locale, name, before),
          after: factText(t, locale, name, after),
        }))}
      />
      {typeof after['roles'] === 'object' && combinesRoles(after['roles'] ?? []) && after['isActive'] !== false && (
        <div className="mt-2">
          <Notice tone="wait">{t('change.combinesRoles')}</Notice>
        </div>
      )}
    </>
  )
}
