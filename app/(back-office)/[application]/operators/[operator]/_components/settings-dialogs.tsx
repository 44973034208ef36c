import { FormDialog } from '#components/form/form-dialog.tsx'
import { useAction } from '#components/form/use-action.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { ProtocolSettings, SettingField } from '#lib/operators/operator-settings.ts'
import { CHANGE_REFUSALS } from '../../../_components/changes/use-proposal.ts'
import { protocolName, settingName } from '../../_components/operator-words.ts'
import { type ProposedSettings, proposeSettings } from '../../actions.ts'
import { readSettingsForm, SettingInput } from './setting-input.tsx'

const REFUSALS = { ...CHANGE_REFUSALS, invalid_settings: 'operators.invalidSettings' } as const

/** Proposes other settings from a dialog, which closes once the proposal is stored. */
function useSettingsProposal({ application, settings: { operator, protocol }, onClose }: Props) {
  const t = useT()
  const propose = (changes: ProposedSettings['changes']) => proposeSettings(application, { operator, protocol, changes })
  return useAction(propose, { words: REFUSALS, said: () => t('change.proposedNow'), refreshes: 'done', onDone: onClose })
}

type Props = { application: string; settings: ProtocolSettings; onClose: () => void }

/** Proposes other settings: a field for each one that the protocol has. */
export function SettingsDialog(props: Props) {
  const { settings, onClose } = props
  const t = useT()
  const { run, error, setError, refusal, isPending } = useSettingsProposal(props)
  // By the path of the field.
  const problems = (refusal?.code === 'invalid_settings' && refusal.fields) || {}
  const groups = Map.groupBy(settings.fields, ({ path }) => path.split('.').slice(0, -1).join('.'))
  const optional = (groups.get('') ?? []).filter(({ isRequired }) => !isRequired)
  function submit(fields: FormData) {
    const changes = readSettingsForm(fields, settings)
    // With nothing stored, the refusal names the fields that are missing.
    if (settings.stored && Object.keys(changes).length === 0) return setError(t('change.noDifference'))
    run(changes)
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
      onSubmit={(_, fields) => submit(fields)}
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

/** Proposes to remove the settings of one protocol. */
export function RemovalDialog(props: Props) {
  const t = useT()
  const { run, error, isPending } = useSettingsProposal(props)
  return (
    <FormDialog
      title={t('operators.removeOf', { protocol: protocolName(t, props.settings.protocol) })}
      submitLabel={t('change.propose')}
      submitVariant="danger"
      isPending={isPending}
      error={error}
      onSubmit={() => run(null)}
      onClose={props.onClose}
    >
      <p>{t('operators.removeText')}</p>
      <p className="text-second text-quiet">{t('change.afterwards')}</p>
    </FormDialog>
  )
}
