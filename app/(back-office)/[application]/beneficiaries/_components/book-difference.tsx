import { Link } from '#components/ui/link.tsx'
import type { ProposedChangeDto } from '#lib/approvals/proposed-change.ts'
import type { Locale } from '#lib/i18n/locale.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { paths } from '#lib/pages/paths.ts'
import { ChangeDifference } from '../../_components/changes/change-difference.tsx'

const COUNTS = ['newPeople', 'changedNumbers', 'changedNames', 'changedPlaces'] as const

/** A change of the book: its facts, and, of a file, the way to everybody in it. */
export function BookDifference(props: { t: Translate; locale: Locale; application: string; change: ProposedChangeDto }) {
  const { t, application, change } = props
  const count = COUNTS.reduce((sum, name) => sum + Number(change.after[name] ?? 0), 0)
  return (
    <>
      <ChangeDifference t={t} locale={props.locale} change={change} />
      {change.kind === 'beneficiary.import' && (
        <Link href={paths.importedBeneficiaries(application, change.changeId)} className="mt-2 inline-block text-accent hover:underline">
          {t('beneficiaries.import.seePeople', { count })}
        </Link>
      )}
    </>
  )
}
