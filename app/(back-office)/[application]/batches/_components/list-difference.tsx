import { Notice } from '#components/ui/display/empty-state.tsx'
import { Link } from '#components/ui/link.tsx'
import { differenceText } from '#lib/beneficiaries/list-difference.ts'
import { paths } from '#lib/pages/paths.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT, readLocale } from '#server/back-office/preferences.ts'
import { readDifference } from '#server/beneficiaries/read-difference.ts'

type Props = { application: string; applicationId: string; batchId: string }

/** How a batch differs from the list that it repeats, for its maker and its checkers. Nothing if it repeats none. */
export async function ListDifference({ application, applicationId, batchId }: Props) {
  const [t, locale, difference] = await Promise.all([
    getT(),
    readLocale(),
    readDifference(backOfficeRuntime().pool, applicationId, batchId),
  ])
  if (!difference) return null
  return (
    <Notice>
      <p>{differenceText(t, locale, difference)}</p>
      {difference.source && (
        <Link href={paths.batch(application, difference.source.batchId)} className="text-accent underline">
          {t('repeat.earlier')}
        </Link>
      )}
    </Notice>
  )
}
