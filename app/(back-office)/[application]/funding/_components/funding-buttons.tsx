'use client'

import { useState } from 'react'
import { ErrorNotice } from '#components/form/error-notice.tsx'
import { Button, NotAllowed } from '#components/ui/button.tsx'
import { definePart, LazyPart } from '#components/ui/overlay/lazy-part.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { FundingDto } from '#lib/approvals/proposed-change.ts'
import { withdrawFunding } from '../actions.ts'
import { useFundingDecision } from './use-funding-decision.ts'

const CONFIRM = definePart(async () => ({ default: (await import('./decision-dialogs.tsx')).ConfirmDialog }))
const REFUSE = definePart(async () => ({ default: (await import('./decision-dialogs.tsx')).RefuseDialog }))

type Props = { application: string; funding: FundingDto }

/** Confirm and Refuse for the second person, Withdraw for the proposer, the reason for everybody else. */
export function FundingButtons({ application, funding }: Props) {
  const t = useT()
  const { fundingId, mayDecide } = funding
  const [open, setOpen] = useState<'confirm' | 'refuse' | null>(null)
  const { run, error, isPending } = useFundingDecision(() => undefined)
  const onClose = () => setOpen(null)
  return (
    <div className="mt-3 grid gap-2">
      {error && <ErrorNotice error={error} />}
      <div className="flex flex-wrap items-center gap-2">
        {mayDecide === true && (
          <>
            {funding.isCovered ? (
              <Button variant="primary" onClick={() => setOpen('confirm')}>
                {t('funding.confirm')}
              </Button>
            ) : (
              <NotAllowed reason={t('funding.notCovered')} />
            )}
            <Button variant="danger" onClick={() => setOpen('refuse')}>
              {t('funding.refuse')}
            </Button>
          </>
        )}
        {mayDecide === 'own_proposal' && (
          <>
            <NotAllowed reason={t('funding.waitsForAnother')} />
            <Button
              size="small"
              isBusy={isPending}
              onClick={() => run(() => withdrawFunding(application, { fundingId }), 'funding.withdrawnNow')}
            >
              {t('funding.withdraw')}
            </Button>
          </>
        )}
        {mayDecide === 'not_permitted' && <NotAllowed reason={t('funding.notPermitted')} />}
      </div>
      {open === 'confirm' && <LazyPart part={CONFIRM} props={{ application, funding, onClose }} />}
      {open === 'refuse' && <LazyPart part={REFUSE} props={{ application, fundingId, onClose }} />}
    </div>
  )
}

const DIALOG = definePart(() => import('./propose-dialog.tsx'))

/** Opens the form of a funding. */
export function NewFundingButton({ application }: { application: string }) {
  const t = useT()
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button variant="primary" onClick={() => setIsOpen(true)}>
        {t('funding.new')}
      </Button>
      {isOpen && <LazyPart part={DIALOG} props={{ application, onClose: () => setIsOpen(false) }} />}
    </>
  )
}
