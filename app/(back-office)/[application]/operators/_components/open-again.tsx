'use client'

import { ErrorNotice } from '#components/form/error-notice.tsx'
import { useAction } from '#components/form/use-action.tsx'
import { Button } from '#components/ui/button.tsx'
import { useT } from '#components/ui/translations.tsx'
import { OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'
import { openAgain } from '../actions.ts'

const REFUSALS = { not_closed: 'operators.notClosed', not_stored: 'operators.reopenFromEnvironment' } as const

/** Opens an operator that was closed for a fault of ours, and says what will happen. */
export function OpenAgain({ application, operator }: { application: string; operator: OperatorCode }) {
  const t = useT()
  const { run, isPending, error } = useAction(() => openAgain(application, { operator }), {
    words: REFUSALS,
    said: () => t('operators.reopenedNow'),
    refreshes: 'done',
  })
  const { brand, country } = OPERATORS[operator]
  return (
    <div className="mt-3 grid justify-items-start gap-1">
      {error && <ErrorNotice error={error} />}
      <Button
        isBusy={isPending}
        aria-label={t('operators.reopenOf', { operator: `${brand} ${t(`country.${country.name}`)}` })}
        onClick={() => run()}
      >
        {t('operators.reopen')}
      </Button>
      <p className="text-second text-quiet">{t('operators.reopenNote')}</p>
    </div>
  )
}
