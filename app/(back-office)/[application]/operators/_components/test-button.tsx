'use client'

import { useState, useTransition } from 'react'
import { Button } from '#components/ui/button.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import { callAction, refusalText } from '#lib/action-result.ts'
import { OPERATORS, type OperatorCode } from '#lib/operators.ts'
import { testOperator } from '../actions.ts'
import { durationText } from './figures.ts'

const REFUSALS = {
  not_permitted: 'action.forbidden',
  not_set: 'operators.notSet',
  throttled: 'operators.throttled',
  offline: 'action.offline',
} as const

type Props = { application: string; operator: OperatorCode }

/** Tests one operator and says in a sentence whether it works. */
export function TestButton({ application, operator }: Props) {
  const { t, locale } = useTranslations()
  const [result, setResult] = useState<{ isGood: boolean; text: string } | null>(null)
  const [isPending, startTransition] = useTransition()
  function test() {
    startTransition(async () => {
      const tested = await callAction(() => testOperator(application, { operator }))
      if (!tested.ok) return setResult({ isGood: false, text: refusalText(t, tested.error.code, REFUSALS) })
      const { problem, durationMs } = tested.value
      const time = durationText(t, locale, durationMs)
      setResult({
        isGood: problem === null,
        text: problem === null ? t('operators.testWorks', { time }) : t(`operators.problem.${problem}`, { time }),
      })
    })
  }
  const { brand, country } = OPERATORS[operator]
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Button
        size="small"
        isBusy={isPending}
        aria-label={t('operators.testOf', { operator: `${brand} ${t(`country.${country.name}`)}` })}
        onClick={test}
      >
        {t('operators.test')}
      </Button>
      <span role="status" className={`text-second ${result?.isGood ? 'text-ok' : 'text-bad'}`}>
        {result?.text}
      </span>
    </div>
  )
}
