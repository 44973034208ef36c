'use client'

import { useEffect, useEffectEvent } from 'react'
import { useAction } from '#components/form/use-action.tsx'
import { Button } from '#components/ui/button.tsx'
import { useT, useTranslations } from '#components/ui/translations.tsx'
import { durationText } from '#lib/operators/duration-text.ts'
import type { SettingsTrial } from '#lib/operators/operator-outcomes.ts'
import { formatCount } from '#lib/text/format.ts'
import { tryChange } from '../actions.ts'

export const TRIAL_REFUSALS = {
  invalid: 'operators.invalidSettings',
  not_found: 'operators.notSet',
  throttled: 'operators.throttled',
} as const

/** Beyond this the payments are not counted. */
const COUNTED_MAX = 1_000

/** Whether an operator answered with settings that are not in force, and how many payments it may have. */
export function TrialResult({ trial }: { trial: SettingsTrial }) {
  const { t, locale } = useTranslations()
  const { test, openCount } = trial
  const count = `${formatCount(openCount, locale)}${openCount === COUNTED_MAX ? '+' : ''}`
  return (
    <div className="grid gap-1 rounded-md border border-line p-3">
      {test && (
        <p className={test.problem === null ? 'text-ok' : 'text-bad'}>
          {t(test.problem === null ? 'operators.trialWorks' : `operators.problem.${test.problem}`, {
            time: durationText(t, locale, test.durationMs),
          })}
        </p>
      )}
      <p className={openCount > 0 ? 'text-wait' : 'text-quiet'}>
        {openCount > 0 ? t('operators.openPayments', { count }) : t('operators.noOpenPayments')}
      </p>
    </div>
  )
}

type ChangeTrialProps = { application: string; changeId: string; onResult: (isWorking: boolean) => void }

/** Tests the settings of a change as soon as somebody is asked to confirm it, and again when they press the button. */
export function ChangeTrial({ application, changeId, onResult }: ChangeTrialProps) {
  const t = useT()
  const { run, isPending, error, value } = useAction(() => tryChange(application, { changeId }), {
    words: TRIAL_REFUSALS,
    onDone: ({ test }) => onResult(test === null || test.problem === null),
    onRefused: () => onResult(false),
  })
  const start = useEffectEvent(() => run())
  useEffect(() => start(), [])
  return (
    <div className="grid justify-items-start gap-2">
      <div role="status" className="w-full">
        {isPending && <p className="text-quiet">{t('operators.trying')}</p>}
        {!isPending && error && <p className="text-bad">{error}</p>}
        {!isPending && value && <TrialResult trial={value} />}
      </div>
      <Button size="small" isBusy={isPending} onClick={() => run()}>
        {t('operators.tryAgain')}
      </Button>
    </div>
  )
}
