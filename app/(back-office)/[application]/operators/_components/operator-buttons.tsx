'use client'

import { useAction } from '#components/form/use-action.tsx'
import { Button } from '#components/ui/button.tsx'
import { DialogButton } from '#components/ui/overlay/dialog-button.tsx'
import { onDemand } from '#components/ui/overlay/on-demand.tsx'
import { useT, useTranslations } from '#components/ui/translations.tsx'
import { durationText } from '#lib/operators/duration-text.ts'
import { AMOUNT_SETTINGS_NAME, type ProtocolSettings } from '#lib/operators/operator-settings.ts'
import { OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'
import { testOperator } from '../actions.ts'
import { protocolName } from './operator-words.ts'

const REFUSALS = { not_set: 'operators.notSet', throttled: 'operators.throttled' } as const

type Props = { application: string; operator: OperatorCode }

/** Tests one operator and says in a sentence whether it works. */
export function TestButton({ application, operator }: Props) {
  const { t, locale } = useTranslations()
  const { run, isPending, error, value } = useAction(() => testOperator(application, { operator }), { words: REFUSALS })
  const time = value ? durationText(t, locale, value.durationMs) : ''
  const result = value && t(value.problem === null ? 'operators.testWorks' : `operators.problem.${value.problem}`, { time })
  const { brand, country } = OPERATORS[operator]
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Button
        size="small"
        isBusy={isPending}
        aria-label={t('operators.testOf', { operator: `${brand} ${t(`country.${country.name}`)}` })}
        onClick={() => run()}
      >
        {t('operators.test')}
      </Button>
      <span role="status" className={`text-second ${value?.problem === null ? 'text-ok' : 'text-bad'}`}>
        {error ?? result}
      </span>
    </div>
  )
}

const SettingsDialog = onDemand(async () => (await import('../[operator]/_components/settings-dialogs.tsx')).SettingsDialog)
const ReturnDialog = onDemand(async () => (await import('../[operator]/_components/settings-dialogs.tsx')).ReturnDialog)
const ProposalQuestion = onDemand(async () => (await import('../../_components/changes/proposal-dialog.tsx')).ProposalQuestion)

/** Opens the form of the settings of one protocol, or the question whether to remove them. */
export function SettingsButtons(props: { application: string; settings: ProtocolSettings }) {
  const t = useT()
  const { operator, protocol: code, stored } = props.settings
  const protocol = protocolName(t, code)
  return (
    <div className="no-print mt-3 flex flex-wrap gap-2">
      <DialogButton
        aria-label={t(stored ? 'operators.changeOf' : 'operators.enterOf', { protocol })}
        dialog={(onClose) => <SettingsDialog {...props} onClose={onClose} />}
      >
        {t(stored ? 'operators.change' : 'operators.enter')}
      </DialogButton>
      {stored?.returnUntil && (
        <DialogButton
          aria-label={t('operators.returnOf', { protocol })}
          dialog={(onClose) => <ReturnDialog {...props} version={stored.version} onClose={onClose} />}
        >
          {t('operators.return')}
        </DialogButton>
      )}
      {stored && (
        <DialogButton
          variant="danger"
          aria-label={t('operators.removeOf', { protocol })}
          dialog={(onClose) => (
            <ProposalQuestion
              application={props.application}
              kind="operator.set"
              input={{ operator, protocol: code, changes: null }}
              title={t('operators.removeOf', { protocol })}
              text={t(code === AMOUNT_SETTINGS_NAME ? 'operators.amountsRemoveText' : 'operators.removeText')}
              isRemoval
              onClose={onClose}
            />
          )}
        >
          {t('operators.remove')}
        </DialogButton>
      )}
    </div>
  )
}
