import { useState } from 'react'
import { Select, TextField } from '#components/ui/field.tsx'
import { useT } from '#components/ui/translations.tsx'
import { ProposalDialog } from '../../../../_components/changes/proposal-dialog.tsx'
import { useProposal } from '../../../../_components/changes/use-proposal.ts'

type Props = { application: string; ledger: string; transactionId: string; step: 'ask' | 'end'; onClose: () => void }

/** Proposes that the operator takes a payment back, or what became of that according to its statement. */
export function ReverseDialog({ application, ledger, transactionId, step, onClose }: Props) {
  const t = useT()
  const proposal = useProposal(application, onClose)
  const [isMissing, setIsMissing] = useState(false)
  const isAsking = step === 'ask'
  function submit(form: FormData) {
    const text = String(form.get('text') ?? '').trim()
    setIsMissing(text === '')
    if (text === '') return
    if (isAsking) proposal.propose('reversal.ask', { ledger, transactionId, reason: text })
    else proposal.propose('reversal.end', { ledger, transactionId, isDone: form.get('result') === 'done', evidence: text })
  }
  return (
    <ProposalDialog
      title={t(isAsking ? 'exceptions.reverse' : 'exceptions.reversed')}
      proposal={proposal}
      submitLabel={t(isAsking ? 'exceptions.reverseSubmit' : 'change.propose')}
      afterwards={t(isAsking ? 'exceptions.reverseAfterwards' : 'exceptions.reversedAfterwards')}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>{t(isAsking ? 'exceptions.reverseMeans' : 'exceptions.reversedMeans')}</p>
      {!isAsking && (
        <Select id="reversal-result" name="result" label={t('exceptions.reversedResult')} defaultValue="not_done">
          <option value="not_done">{t('exceptions.reversedNotDone')}</option>
          <option value="done">{t('exceptions.reversedDone')}</option>
        </Select>
      )}
      <TextField
        id="reversal-text"
        name="text"
        label={t(isAsking ? 'exceptions.reverseReason' : 'funding.evidence')}
        error={isMissing ? t(isAsking ? 'exceptions.reverseReasonMissing' : 'funding.evidenceMissing') : undefined}
        autoComplete="off"
        maxLength={200}
      />
    </ProposalDialog>
  )
}
