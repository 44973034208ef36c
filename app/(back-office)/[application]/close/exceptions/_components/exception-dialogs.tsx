import { FormDialog } from '#components/form/form-dialog.tsx'
import { useAction } from '#components/form/use-action.tsx'
import { Select, TextField } from '#components/ui/field.tsx'
import { useT } from '#components/ui/translations.tsx'
import { queryKeys } from '#lib/pages/queries.ts'
import { EXCEPTION_NOTE_MAX, type ExceptionRef } from '#lib/reconciliation/exceptions.ts'
import { closeException, handOverException, noteOnException } from '../actions.ts'
import { goneWords } from './use-take.ts'

type Props = { application: string; about: ExceptionRef; onClose: () => void }

const textOf = (form: FormData, name: string) => String(form.get(name) ?? '').trim()

/** Adds a note. */
export function NoteDialog({ application, about, onClose }: Props) {
  const t = useT()
  const { run, isPending, error } = useAction((note: string) => noteOnException(application, { ...about, note }), {
    words: { ...goneWords(about), invalid: 'exceptions.refused.invalid' },
    invalidates: [queryKeys.transactions(application)],
    refreshes: 'done',
    onDone: onClose,
  })
  return (
    <FormDialog
      title={t('exceptions.note')}
      submitLabel={t('exceptions.noteSubmit')}
      isPending={isPending}
      error={error}
      onSubmit={(_, form) => run(textOf(form, 'note'))}
      onClose={onClose}
    >
      <TextField
        id="exception-note"
        name="note"
        label={t('exceptions.note')}
        autoComplete="off"
        maxLength={EXCEPTION_NOTE_MAX}
        autoFocus
        required
      />
    </FormDialog>
  )
}

/** Makes one of these people the owner. */
export function HandOverDialog({ people, ...props }: Props & { people: readonly { personId: string; name: string }[] }) {
  const { application, about, onClose } = props
  const t = useT()
  const { run, isPending, error } = useAction(
    (personId: string, note: string) => handOverException(application, { ...about, personId, note }),
    {
      words: {
        ...goneWords(about),
        not_owner: 'exceptions.refused.notOwner',
        not_a_worker: 'exceptions.refused.notAWorker',
      },
      invalidates: [queryKeys.transactions(application)],
      refreshes: 'done',
      onDone: onClose,
    },
  )
  return (
    <FormDialog
      title={t('exceptions.handOver')}
      submitLabel={t('exceptions.handOver')}
      isPending={isPending}
      error={error}
      onSubmit={(_, form) => run(textOf(form, 'personId'), textOf(form, 'note'))}
      onClose={onClose}
    >
      <Select id="exception-owner" name="personId" label={t('exceptions.handOverTo')}>
        {people.map(({ personId, name }) => (
          <option key={personId} value={personId}>
            {name}
          </option>
        ))}
      </Select>
      <TextField id="exception-note" name="note" label={t('exceptions.note')} autoComplete="off" maxLength={EXCEPTION_NOTE_MAX} />
    </FormDialog>
  )
}

type CloseProps = { application: string; exceptionId: string; canBeAdjusted: boolean; onClose: () => void }

/** Closes an exception, with the reason. `canBeAdjusted`: two people have confirmed an adjustment of its transaction. */
export function CloseDialog({ application, exceptionId, canBeAdjusted, onClose }: CloseProps) {
  const t = useT()
  const { run, isPending, error } = useAction(
    (outcome: string, note: string) => closeException(application, { exceptionId, outcome, note }),
    {
      words: {
        closed: 'exceptions.refused.closed',
        not_owner: 'exceptions.refused.notOwner',
        not_adjusted: 'exceptions.refused.notAdjusted',
        invalid: 'exceptions.refused.invalid',
      },
      refreshes: 'done',
      onDone: onClose,
    },
  )
  return (
    <FormDialog
      title={t('exceptions.closeTitle')}
      submitLabel={t('exceptions.close')}
      isPending={isPending}
      error={error}
      onSubmit={(_, form) => run(textOf(form, 'outcome'), textOf(form, 'note'))}
      onClose={onClose}
    >
      <p className="text-ink-2">{t('exceptions.noMoney')}</p>
      <Select id="exception-outcome" name="outcome" label={t('exceptions.outcome')} defaultValue={canBeAdjusted ? 'adjusted' : 'explained'}>
        <option value="explained">{t('exceptions.closeAs.explained')}</option>
        {canBeAdjusted && <option value="adjusted">{t('exceptions.closeAs.adjusted')}</option>}
      </Select>
      <TextField
        id="exception-note"
        name="note"
        label={t('exceptions.reason')}
        autoComplete="off"
        maxLength={EXCEPTION_NOTE_MAX}
        required
      />
    </FormDialog>
  )
}
