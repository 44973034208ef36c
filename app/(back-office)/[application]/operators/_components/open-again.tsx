'use client'

import { ErrorNotice } from '#components/form/error-notice.tsx'
import { type Action, useAction } from '#components/form/use-action.tsx'
import { Button } from '#components/ui/button.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { MessageKey } from '#lib/i18n/translate.ts'
import { OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'
import { openAgain, sendNow } from '../actions.ts'

type Props = { application: string; operator: OperatorCode }

/** Opens an operator that was closed for a fault of ours, and says what will happen. */
export function OpenAgain({ application, operator }: Props) {
  const t = useT()
  const action = useAction(() => openAgain(application, { operator }), {
    words: { not_closed: 'operators.notClosed', not_stored: 'operators.reopenFromEnvironment' },
    said: () => t('operators.reopenedNow'),
    refreshes: 'done',
  })
  return (
    <ExplainedButton
      operator={operator}
      action={action}
      label={t('operators.reopen')}
      name="operators.reopenOf"
      note={t('operators.reopenNote')}
    />
  )
}

/** Sends the deposits that wait for float at an operator, and says what will happen. */
export function SendNow({ application, operator }: Props) {
  const t = useT()
  const action = useAction(() => sendNow(application, { operator }), {
    words: { not_waiting: 'operators.notWaiting' },
    said: () => t('operators.sentNow'),
    refreshes: 'done',
  })
  return (
    <ExplainedButton
      operator={operator}
      action={action}
      label={t('operators.sendNow')}
      name="operators.sendNowOf"
      note={t('operators.sendNowNote')}
    />
  )
}

type ButtonProps = {
  operator: OperatorCode
  action: Pick<Action<[], unknown, string>, 'run' | 'isPending' | 'error'>
  label: string
  /** Names the operator too, for those who do not see what the button is beside. */
  name: Extract<MessageKey, 'operators.reopenOf' | 'operators.sendNowOf'>
  note: string
}

function ExplainedButton({ operator, action: { run, isPending, error }, label, name, note }: ButtonProps) {
  const t = useT()
  const { brand, country } = OPERATORS[operator]
  return (
    <div className="mt-3 grid justify-items-start gap-1">
      {error && <ErrorNotice error={error} />}
      <Button isBusy={isPending} aria-label={t(name, { operator: `${brand} ${t(`country.${country.name}`)}` })} onClick={() => run()}>
        {label}
      </Button>
      <p className="text-second text-quiet">{note}</p>
    </div>
  )
}
