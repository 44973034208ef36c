import { useState } from 'react'
import { FormDialog } from '#components/form/form-dialog.tsx'
import { useAction } from '#components/form/use-action.tsx'
import { useT, useTranslations } from '#components/ui/translations.tsx'
import { AMOUNT_SETTINGS_NAME, type ProtocolSettings, type SettingField } from '#lib/operators/operator-settings.ts'
import type { ProofAnswer } from '#lib/people/passkeys.ts'
import { ProposalDialog } from '../../../_components/changes/proposal-dialog.tsx'
import { useProposal } from '../../../_components/changes/use-proposal.ts'
import { protocolName, settingName } from '../../_components/operator-words.ts'
import { TRIAL_REFUSALS, TrialResult } from '../../_components/settings-trial.tsx'
import { returnToPrevious, trySettings } from '../../actions.ts'
import { readSettingsForm, SettingInput } from './setting-input.tsx'

type Props = { application: string; settings: ProtocolSettings; onClose: () => void }

/** Settings to be proposed, as the protocol names them. */
type Changes = ReturnType<typeof readSettingsForm>

/**
 * Proposes other settings: a field for each one that the protocol has. They are tested first. Where the test fails, its result is shown, and the
 * same settings are proposed by pressing again.
 */
export function SettingsDialog({ application, settings, onClose }: Props) {
  const { t, locale } = useTranslations()
  const proposal = useProposal(application, onClose)
  const { operator, protocol } = settings
  const isAmounts = protocol === AMOUNT_SETTINGS_NAME
  const [tried, setTried] = useState<string | null>(null)
  const trial = useAction((changes: Changes) => trySettings(application, { operator, protocol, changes }), {
    words: TRIAL_REFUSALS,
    onDone({ test }, [changes]) {
      setTried(JSON.stringify(changes))
      if (test?.problem === null) proposal.propose('operator.set', { operator, protocol, changes })
    },
  })
  const problems = trial.refusal?.fields ?? proposal.problems
  const groups = Map.groupBy(settings.fields, ({ path }) => path.split('.').slice(0, -1).join('.'))
  const optional = (groups.get('') ?? []).filter(({ isRequired }) => !isRequired)
  function submit(form: FormData) {
    const changes = readSettingsForm(form, settings, locale)
    // With nothing stored, the refusal names the fields that are missing.
    if (settings.stored && Object.keys(changes).length === 0) return proposal.setError(t('change.noDifference'))
    // Amounts have nothing to test. A test that could not be made, because there were too many, keeps nobody from proposing.
    const isTried = isAmounts || tried === JSON.stringify(changes) || trial.refusal?.code === 'throttled'
    if (isTried) return proposal.propose('operator.set', { operator, protocol, changes })
    proposal.setError(null)
    trial.run(changes)
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
      proposal={{ ...proposal, isPending: proposal.isPending || trial.isPending, error: proposal.error ?? trial.error }}
      submitLabel={t(
        isAmounts ? 'operators.proposeAmounts' : trial.value?.test?.problem ? 'operators.proposeAnyway' : 'operators.tryAndPropose',
      )}
      onSubmit={submit}
      afterwards={`${t(isAmounts ? 'operators.amountsAfterwards' : 'operators.openWorkNote')} ${t('change.afterwards')}`}
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
      {isAmounts ? (
        optional.map(inputOf)
      ) : (
        <details open={optional.some(({ path }) => problems[path]) || undefined}>
          <summary className="cursor-pointer text-ink-2">{t('operators.moreFields')}</summary>
          <div className="mt-3 grid gap-4">{optional.map(inputOf)}</div>
        </details>
      )}
      {trial.value && <TrialResult trial={trial.value} />}
    </ProposalDialog>
  )
}

type ReturnProps = { application: string; settings: ProtocolSettings; version: number; onClose: () => void }

/** Returns to the settings that the present ones replaced. */
export function ReturnDialog({ application, settings: { operator, protocol }, version, onClose }: ReturnProps) {
  const t = useT()
  const back = (proof?: ProofAnswer) => returnToPrevious(application, { operator, protocol, version, ...(proof && { proof }) })
  const { run, error, isPending, proofDialog } = useAction(() => back(), {
    words: { not_found: 'operators.noReturn', changed_meanwhile: 'operators.changedMeanwhile', not_permitted: 'action.forbidden' },
    withProof: back,
    said: () => t('operators.returnedNow'),
    refreshes: 'done',
    onDone: onClose,
  })
  return (
    <>
      <FormDialog
        title={t('operators.returnOf', { protocol: protocolName(t, protocol) })}
        submitLabel={t('operators.return')}
        isPending={isPending}
        error={error}
        onSubmit={() => run()}
        onClose={onClose}
      >
        <p>{t('operators.returnText', { version })}</p>
      </FormDialog>
      {proofDialog}
    </>
  )
}
