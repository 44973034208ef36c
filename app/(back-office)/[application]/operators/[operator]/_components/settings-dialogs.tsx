import { type FormEvent, useState, useTransition } from 'react'
import { FormDialog } from '#components/form/form-dialog.tsx'
import { toast } from '#components/ui/overlay/toast.tsx'
import { useT } from '#components/ui/translations.tsx'
import { useRouter } from '#components/ui/use-router.ts'
import type { ProtocolSettings, SettingField } from '#lib/operators/operator-settings.ts'
import { callAction, refusalText } from '#lib/result.ts'
import { CHANGE_REFUSALS } from '../../../_components/changes/use-proposal.ts'
import { protocolName, settingName } from '../../_components/operator-words.ts'
import { type ProposedSettings, proposeSettings } from '../../actions.ts'
import { readSettingsForm, SettingInput } from './setting-input.tsx'

const REFUSALS = { ...CHANGE_REFUSALS, invalid_settings: 'operators.invalidSettings' } as const

/** Proposes other settings from a dialog, which closes once the proposal is stored. `problems`: by the path of the field. */
function useSettingsProposal(application: string, { operator, protocol }: ProtocolSettings, onClose: () => void) {
  const t = useT()
  const router = useRouter()
  const [error, setError] = useState<string | null>(null)
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({})
  const [isPending, startTransition] = useTransition()
  function propose(changes: ProposedSettings['changes']): void {
    startTransition(async () => {
      const result = await callAction(() => proposeSettings(application, { operator, protocol, changes }))
      if (!result.ok) {
        setProblems(result.error.code === 'invalid_settings' ? (result.error.fields ?? {}) : {})
        return setError(refusalText(t, result.error.code, REFUSALS))
      }
      toast(t('change.proposedNow'))
      onClose()
      router.refresh()
    })
  }
  return { propose, error, setError, problems, isPending }
}

type Props = { application: string; settings: ProtocolSettings; onClose: () => void }

/** Proposes other settings: a field for each one that the protocol has. A default export, because it is loaded on demand. */
export function SettingsDialog({ application, settings, onClose }: Props) {
  const t = useT()
  const { propose, error, setError, problems, isPending } = useSettingsProposal(application, settings, onClose)
  const groups = Map.groupBy(settings.fields, ({ path }) => path.split('.').slice(0, -1).join('.'))
  const optional = (groups.get('') ?? []).filter(({ isRequired }) => !isRequired)
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const changes = readSettingsForm(new FormData(event.currentTarget), settings)
    // With nothing stored, the refusal names the fields that are missing.
    if (settings.stored && Object.keys(changes).length === 0) return setError(t('change.noDifference'))
    propose(changes)
  }
  const inputOf = (field: SettingField) => (
    <SettingInput
      key={field.path}
      field={field}
      value={settings.stored?.values[field.path]}
      isStored={settings.stored?.secretsSet.includes(field.path) ?? false}
      problem={problems[field.path]}
    />
  )
  return (
    <FormDialog
      title={t(settings.stored ? 'operators.changeOf' : 'operators.enterOf', { protocol: protocolName(t, settings.protocol) })}
      submitLabel={t('change.propose')}
      isPending={isPending}
      error={error}
      onSubmit={submit}
      onClose={onClose}
    >
      {problems[''] && <p className="text-bad">{t('operators.fieldProblem.incomplete')}</p>}
      {(groups.get('') ?? []).filter(({ isRequired }) => isRequired).map(inputOf)}
      {[...groups.keys()]
        .filter((group) => group !== '')
        .map((group) => (
          <fieldset key={group} className="grid gap-4 rounded-md border border-line p-3">
            <legend className="px-1 font-strong">{settingName(t, group)}</legend>
            {(groups.get(group) ?? []).map(inputOf)}
          </fieldset>
        ))}
      <details open={optional.some(({ path }) => problems[path]) || undefined}>
        <summary className="cursor-pointer text-ink-2">{t('operators.moreFields')}</summary>
        <div className="mt-3 grid gap-4">{optional.map(inputOf)}</div>
      </details>
      <p className="text-second text-quiet">
        {t('operators.openWorkNote')} {t('change.afterwards')}
      </p>
    </FormDialog>
  )
}

/** Proposes to remove the settings of one protocol. A default export, because it is loaded on demand. */
export function RemovalDialog({ application, settings, onClose }: Props) {
  const t = useT()
  const { propose, error, isPending } = useSettingsProposal(application, settings, onClose)
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    propose(null)
  }
  return (
    <FormDialog
      title={t('operators.removeOf', { protocol: protocolName(t, settings.protocol) })}
      submitLabel={t('change.propose')}
      submitVariant="danger"
      isPending={isPending}
      error={error}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>{t('operators.removeText')}</p>
      <p className="text-second text-quiet">{t('change.afterwards')}</p>
    </FormDialog>
  )
}
