'use client'

import type { FormEvent } from 'react'
import { FormDialog } from '#components/form/form-dialog.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { ProtocolSettings, SettingField } from '#lib/operator-settings.ts'
import { protocolName } from '../../_components/protocol-text.ts'
import { settingName } from '../../_components/setting-words.ts'
import { readSettingsForm } from './read-settings-form.ts'
import { SettingInput } from './setting-input.tsx'
import { useSettingsProposal } from './use-settings-proposal.ts'

type Props = { application: string; settings: ProtocolSettings; onClose: () => void }

/** Proposes other settings: a field for each one that the protocol has. A default export, because it is loaded on demand. */
export default function SettingsDialog({ application, settings, onClose }: Props) {
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
