'use client'

import { useState, useTransition } from 'react'
import { Button } from '#components/ui/button.tsx'
import { definePart, LazyPart } from '#components/ui/overlay/lazy-part.tsx'
import { useT, useTranslations } from '#components/ui/translations.tsx'
import type { ProtocolSettings } from '#lib/operators/operator-settings.ts'
import { OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'
import { callAction, refusalText } from '#lib/result.ts'
import { testOperator } from '../actions.ts'
import { durationText, protocolName } from './operator-words.ts'

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

const SETTINGS_DIALOG = definePart(async () => ({
  default: (await import('../[operator]/_components/settings-dialogs.tsx')).SettingsDialog,
}))
const REMOVAL_DIALOG = definePart(async () => ({ default: (await import('../[operator]/_components/settings-dialogs.tsx')).RemovalDialog }))

/** Opens the form of the settings of one protocol, or the question whether to remove them. */
export function SettingsButtons({ application, settings }: { application: string; settings: ProtocolSettings }) {
  const t = useT()
  const [open, setOpen] = useState<'change' | 'remove' | null>(null)
  const onClose = () => setOpen(null)
  const protocol = protocolName(t, settings.protocol)
  return (
    <div className="no-print mt-3 flex flex-wrap gap-2">
      <Button aria-label={t(settings.stored ? 'operators.changeOf' : 'operators.enterOf', { protocol })} onClick={() => setOpen('change')}>
        {t(settings.stored ? 'operators.change' : 'operators.enter')}
      </Button>
      {settings.stored && (
        <Button variant="danger" aria-label={t('operators.removeOf', { protocol })} onClick={() => setOpen('remove')}>
          {t('operators.remove')}
        </Button>
      )}
      {open === 'change' && <LazyPart part={SETTINGS_DIALOG} props={{ application, settings, onClose }} />}
      {open === 'remove' && <LazyPart part={REMOVAL_DIALOG} props={{ application, settings, onClose }} />}
    </div>
  )
}
