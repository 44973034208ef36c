import { FormDialog } from '#components/form/form-dialog.tsx'
import { useAction } from '#components/form/use-action.tsx'
import { Facts } from '#components/ui/display/card.tsx'
import { TextField } from '#components/ui/field.tsx'
import { useT } from '#components/ui/translations.tsx'
import { matchLine, undoMatch } from '../actions.ts'

type Props = {
  application: string
  lineId: string
  isMatched: boolean
  /** The transaction that was chosen already; its id is entered otherwise. */
  transactionId?: string
  onClose: () => void
}

/** Asks which transaction a line belongs to, or why a match is taken back; both with one note, which is kept. */
export function MatchDialog({ application, lineId, isMatched, transactionId: chosen, onClose }: Props) {
  const t = useT()
  const match = useAction((transactionId: string, note: string) => matchLine(application, { lineId, transactionId, note }), {
    words: { no_transaction: 'close.refused.noTransaction', taken: 'close.refused.taken', invalid: 'close.refused.invalid' },
    refreshes: 'done',
    onDone: onClose,
  })
  const undo = useAction((note: string) => undoMatch(application, { lineId, note }), {
    words: { invalid: 'close.refused.invalid', day_signed: 'close.refused.daySigned' },
    refreshes: 'done',
    onDone: onClose,
  })
  function submit(form: FormData) {
    const textOf = (name: string) => String(form.get(name) ?? '').trim()
    if (isMatched) undo.run(textOf('note'))
    else match.run(chosen ?? textOf('transactionId'), textOf('note'))
  }
  return (
    <FormDialog
      title={t(isMatched ? 'close.undoTitle' : 'close.matchTitle')}
      submitLabel={t(isMatched ? 'close.undo' : 'close.match')}
      isPending={match.isPending || undo.isPending}
      error={match.error ?? undo.error}
      onSubmit={(_, fields) => submit(fields)}
      onClose={onClose}
    >
      {chosen !== undefined && <Facts nameClass="w-28" facts={[{ name: t('close.transaction'), value: chosen }]} />}
      {!isMatched && chosen === undefined && (
        <TextField
          id="match-transaction"
          name="transactionId"
          label={t('close.transactionId')}
          autoComplete="off"
          maxLength={36}
          required
        />
      )}
      <TextField id="match-note" name="note" label={t('close.note')} autoComplete="off" maxLength={500} required />
    </FormDialog>
  )
}
