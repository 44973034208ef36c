import { FormDialog } from '#components/form/form-dialog.tsx'
import { useAction } from '#components/form/use-action.tsx'
import { Select, TextField } from '#components/ui/field.tsx'
import { useT } from '#components/ui/translations.tsx'
import { endDeputyship } from '../../../../actions/deputies.ts'
import { ProposalDialog } from '../changes/proposal-dialog.tsx'
import { useProposal } from '../changes/use-proposal.ts'

type Choice = { personId: string; name: string }

export type NameProps = {
  application: string
  /** Who can be absent; one: the person themselves. */
  checkers: readonly Choice[]
  deputies: readonly Choice[]
  today: string
  onClose: () => void
}

/** Proposes who decides in the place of an absent checker, and on which days. */
export function NameDialog({ application, checkers, deputies, today, onClose }: NameProps) {
  const t = useT()
  const proposal = useProposal(application, onClose)
  function submit(form: FormData) {
    const [absentId, deputyId, from, until] = ['absentId', 'deputyId', 'from', 'until'].map((field) => String(form.get(field) ?? ''))
    if (!from || !until || from > until) return proposal.setError(t('deputy.refused.invalidPeriod'))
    proposal.propose('person.deputy', { absentId, deputyId, from, until })
  }
  return (
    <ProposalDialog title={t('deputy.name')} proposal={proposal} onSubmit={submit} onClose={onClose}>
      <p>{t('deputy.lead')}</p>
      <Choices id="deputy-absent" name="absentId" label={t('deputy.absent')} people={checkers} />
      <Choices id="deputy-deputy" name="deputyId" label={t('deputy.deputy')} hint={t('deputy.deputyHint')} people={deputies} />
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <TextField id="deputy-from" name="from" type="date" label={t('deputy.from')} defaultValue={today} min={today} required />
        <TextField id="deputy-until" name="until" type="date" label={t('deputy.until')} hint={t('deputy.untilHint')} min={today} required />
      </div>
    </ProposalDialog>
  )
}

function Choices({ people, ...field }: { id: string; name: string; label: string; hint?: string; people: readonly Choice[] }) {
  return (
    <Select {...field}>
      {people.map(({ personId, name }) => (
        <option key={personId} value={personId}>
          {name}
        </option>
      ))}
    </Select>
  )
}

export type EndProps = { application: string; deputyshipId: string; deputy: string; absent: string; onClose: () => void }

/** Ends a deputyship, after a question. */
export function EndDialog({ application, deputyshipId, deputy, absent, onClose }: EndProps) {
  const t = useT()
  const { run, error, isPending } = useAction(() => endDeputyship(application, { deputyshipId }), {
    words: { not_permitted: 'action.forbidden', not_found: 'action.not_found' },
    said: () => t('deputy.ended'),
    refreshes: 'done',
    onDone: onClose,
  })
  return (
    <FormDialog
      title={t('deputy.endOf', { deputy, absent })}
      submitLabel={t('deputy.end')}
      submitVariant="danger"
      isPending={isPending}
      error={error}
      onSubmit={() => run()}
      onClose={onClose}
    >
      <p>{t('deputy.endText', { deputy, absent })}</p>
    </FormDialog>
  )
}
