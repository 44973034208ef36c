import { useState } from 'react'
import { Money } from '#components/domain/money.tsx'
import { FormDialog } from '#components/form/form-dialog.tsx'
import { useFreshCode } from '#components/form/use-fresh-code.tsx'
import { TextField } from '#components/ui/field.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { FundingDto } from '#lib/approvals/proposed-change.ts'
import { confirmFunding, refuseFunding } from '../actions.ts'
import { FileField } from './file-field.tsx'
import { FundingDocument, FundingHead, FundingSteps } from './funding-facts.tsx'
import { useFundingDecision } from './use-funding-decision.ts'

type Props = { application: string; funding: FundingDto; onClose: () => void }

/** Shows once more what is posted, and compares a file with the digest. A default export, because it is loaded on demand. */
export function ConfirmDialog({ application, funding, onClose }: Props) {
  const t = useT()
  const { run, error, isPending } = useFundingDecision(onClose)
  const [isSame, setIsSame] = useState<boolean | null>(null)
  const freshCode = useFreshCode(isPending)
  const { fundingId, attachment } = funding
  function confirm(code?: string) {
    const confirmed = () => confirmFunding(application, { fundingId, ...(code && { code }) })
    run(confirmed, 'funding.confirmedNow', (refusal) => freshCode.asks(refusal, confirm))
  }
  return (
    <>
      <FormDialog
        title={t('funding.confirmTitle')}
        submitLabel={t('funding.confirm')}
        isPending={isPending}
        error={error}
        onSubmit={(event) => {
          event.preventDefault()
          confirm()
        }}
        onClose={onClose}
      >
        <div>
          <FundingHead t={t} funding={funding} />
          <Money amount={funding.amount} currency={funding.currency} size="balance" />
          <div className="mt-2">
            <FundingSteps t={t} funding={funding} />
          </div>
        </div>
        <p>{t('funding.confirmText')}</p>
        {attachment && (
          <div className="grid gap-2">
            <div>
              <FundingDocument t={t} funding={funding} />
            </div>
            <FileField
              label={t('funding.check')}
              hint={t('funding.checkHint')}
              onRead={(file) => setIsSame(file && file.sha256 === attachment.sha256)}
            />
            <p role="status" className={isSame ? 'text-ok' : 'text-bad'}>
              {isSame !== null && t(isSame ? 'funding.checkSame' : 'funding.checkOther')}
            </p>
          </div>
        )}
      </FormDialog>
      {/* A form of its own. */}
      {freshCode.dialog}
    </>
  )
}

type RefuseDialogProps = { application: string; fundingId: string; onClose: () => void }

/** Refuses a funding, with a reason for the proposer. A default export, because it is loaded on demand. */
export function RefuseDialog({ application, fundingId, onClose }: RefuseDialogProps) {
  const t = useT()
  const { run, error, setError, isPending } = useFundingDecision(onClose)
  return (
    <FormDialog
      title={t('funding.refuseTitle')}
      submitLabel={t('funding.refuse')}
      submitVariant="danger"
      isPending={isPending}
      error={error}
      onSubmit={(event) => {
        event.preventDefault()
        const reason = String(new FormData(event.currentTarget).get('reason') ?? '').trim()
        if (reason === '') return setError(t('funding.reasonMissing'))
        run(() => refuseFunding(application, { fundingId, reason }), 'funding.refusedNow')
      }}
      onClose={onClose}
    >
      <TextField id="funding-reason" name="reason" label={t('funding.reason')} hint={t('funding.reasonHint')} required maxLength={500} />
    </FormDialog>
  )
}
