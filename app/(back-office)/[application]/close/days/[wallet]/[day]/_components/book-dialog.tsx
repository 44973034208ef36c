import { Select, TextField } from '#components/ui/field.tsx'
import { useT } from '#components/ui/translations.tsx'
import { PERSON_POSTINGS, type PersonPosting } from '#lib/reconciliation/days.ts'
import { ProposalDialog } from '../../../../../_components/changes/proposal-dialog.tsx'
import { useProposal } from '../../../../../_components/changes/use-proposal.ts'

type Props = { application: string; lineId: string; kinds: readonly PersonPosting[]; onClose: () => void }

/** Asks what a line is to the wallet, with the evidence that the second person checks. */
export function BookDialog({ application, lineId, kinds, onClose }: Props) {
  const t = useT()
  const proposal = useProposal(application, onClose)
  function submit(form: FormData) {
    const textOf = (name: string) => String(form.get(name) ?? '').trim()
    const kind = PERSON_POSTINGS.find((each) => each === textOf('kind'))
    if (kind) proposal.propose(`wallet.${kind}`, { lineId, evidence: textOf('evidence'), note: textOf('note') })
  }
  return (
    <ProposalDialog title={t('close.book.title')} proposal={proposal} onSubmit={submit} onClose={onClose}>
      <Select id="book-kind" name="kind" label={t('close.book.kind')} defaultValue={kinds[0]}>
        {kinds.map((kind) => (
          <option key={kind} value={kind}>
            {t(`close.book.kind.${kind}`)}
          </option>
        ))}
      </Select>
      <TextField id="book-evidence" name="evidence" label={t('close.book.evidence')} autoComplete="off" maxLength={200} required />
      <TextField id="book-note" name="note" label={t('close.book.note')} autoComplete="off" maxLength={500} />
    </ProposalDialog>
  )
}
