'use client'

import { useState, useTransition } from 'react'
import { ErrorNotice } from '#components/form/error-notice.tsx'
import { Button } from '#components/ui/button.tsx'
import { toast } from '#components/ui/overlay/toast.tsx'
import { useT } from '#components/ui/translations.tsx'
import { useRouter } from '#components/ui/use-router.ts'
import { OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'
import { callAction, refusalText } from '#lib/result.ts'
import { openAgain } from '../actions.ts'

const REFUSALS = {
  not_permitted: 'action.forbidden',
  not_closed: 'operators.notClosed',
  not_stored: 'operators.reopenFromEnvironment',
  offline: 'action.offline',
} as const

/** Opens an operator that was closed for a fault of ours, and says what will happen. */
export function OpenAgain({ application, operator }: { application: string; operator: OperatorCode }) {
  const t = useT()
  const router = useRouter()
  const [error, setError] = useState<string | null>(null)
  const [isPending, startTransition] = useTransition()
  function open() {
    startTransition(async () => {
      const opened = await callAction(() => openAgain(application, { operator }))
      if (!opened.ok) return setError(refusalText(t, opened.error.code, REFUSALS))
      toast(t('operators.reopenedNow'))
      router.refresh()
    })
  }
  const { brand, country } = OPERATORS[operator]
  return (
    <div className="mt-3 grid justify-items-start gap-1">
      {error && <ErrorNotice error={error} />}
      <Button
        isBusy={isPending}
        aria-label={t('operators.reopenOf', { operator: `${brand} ${t(`country.${country.name}`)}` })}
        onClick={open}
      >
        {t('operators.reopen')}
      </Button>
      <p className="text-second text-quiet">{t('operators.reopenNote')}</p>
    </div>
  )
}
