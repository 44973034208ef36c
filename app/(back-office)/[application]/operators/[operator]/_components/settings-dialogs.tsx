import { useT } from '#components/ui/translations.tsx'
import type { ProtocolSettings, SettingField } from '#lib/operators/operator-settings.ts'
import { ProposalDialog } from '../../../_components/changes/proposal-dialog.tsx'
import { useProposal } from '../../../_components/changes/use-proposal.ts'
import { protocolName, settingName } from '../../_components/operator-words.ts'
import { readSettingsForm, SettingInput } from './setting-input.tsx'

type Props = { application: string; settings: ProtocolSettings; onClose: () => void }

/** Proposes other settings: a field for each one that the protocol has. */
export function SettingsDialog({ application, settings, onClose }: Props) {
  const t = useT()
  const proposal = useProposal(application, onClose)
  const { problems } = proposal
  const groups = Map.groupBy(settings.fields, ({ path }) => path.split('.').slice(0, -1).join('.'))
  const optional = (groups.get('') ?? []).filter(({ isRequired }) => !isRequired)
  function submit(form: FormData) {
    const changes = readSettingsForm(form, settings)
    // With nothing stored, the refusal names the fields that are missing.
    if (settings.stored && Object.keys(changes).length === 0) return proposal.setError(t('change.noDifference'))
    const { operator, protocol } = settings
    proposal.propose('operator.set', { operator, protocol, changes })
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
    <ProposalDialog
      title={t(settings.stored ? 'operators.changeOf' : 'operators.enterOf', { protocol: protocolName(t, settings.protocol) })}
      proposal={proposal}
      onSubmit={submit}
      afterwards={`${t('operators.openWorkNote')} ${t('change.afterwards')}`}
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
    </ProposalDialog>
  )
}
