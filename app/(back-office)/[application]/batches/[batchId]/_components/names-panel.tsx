'use client'

import { ErrorNotice } from '#components/form/error-notice.tsx'
import { useAction } from '#components/form/use-action.tsx'
import { Button } from '#components/ui/button.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import type { BatchNamesDto } from '#lib/batches/batches.ts'
import { formatCount } from '#lib/text/format.ts'
import { checkNames } from '../../actions.ts'
import { BATCH_CHANGE } from './corrections.tsx'

/** Rows that are named; the others are in the table. */
const NAMED_MAX = 10

type Props = { application: string; batchId: string; version: number; names: BatchNamesDto | null; mayChange: boolean }

/** Has the names of the receivers checked at their operators, and says how far that is. */
export function NamesPanel({ application, batchId, version, names, mayChange }: Props) {
  const { t, locale } = useTranslations()
  const { run, isPending, error } = useAction(() => checkNames(application, { batchId, version }), {
    words: { ...BATCH_CHANGE.words, in_progress: 'batches.names.inProgress' },
    said: () => t('batches.names.asked'),
    refreshes: 'answered',
  })
  const shown = names?.doubtful.slice(0, NAMED_MAX).join(', ')
  return (
    <div className="grid justify-items-start gap-2">
      {error && <ErrorNotice error={error} />}
      {names && (
        <p>
          {t(`batches.names.${names.state}`, {
            checked: formatCount(names.checkedCount, locale),
            total: formatCount(names.receiverCount, locale),
          })}
        </p>
      )}
      {names && names.doubtful.length > 0 && (
        <p className="text-wait">
          {t('batches.names.doubtful', { count: names.doubtful.length, rows: shown ?? '' })}
          {names.doubtful.length > NAMED_MAX && '…'}
        </p>
      )}
      {mayChange && names?.state !== 'open' && (
        <Button isBusy={isPending} onClick={() => run()}>
          {t('batches.names.check')}
        </Button>
      )}
      {!names && <p className="text-second text-quiet">{t('batches.names.hint')}</p>}
    </div>
  )
}
