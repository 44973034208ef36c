import { Money } from '#components/domain/money.tsx'
import { TimeText } from '#components/domain/time-text.tsx'
import { Facts } from '#components/ui/card.tsx'
import type { FundingDto } from '#lib/funding.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { FundingButtons } from './funding-buttons.tsx'
import { FundingDocument, FundingHead, FundingSteps } from './funding-facts.tsx'

type Props = { t: Translate; application: string; funding: FundingDto }

/** A funding that waits, with everything that the second person decides on. */
export function WaitingFunding({ t, application, funding }: Props) {
  const facts = [
    { name: t('funding.reference'), value: funding.reference },
    { name: t('funding.account'), value: <FundingSteps t={t} funding={funding} /> },
    ...(funding.attachment ? [{ name: t('funding.document'), value: <FundingDocument t={t} funding={funding} /> }] : []),
    ...(funding.note === '' ? [] : [{ name: t('funding.note'), value: funding.note }]),
  ]
  return (
    <li className="rounded-lg border border-line bg-surface p-4">
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-1">
        <h3 className="font-regular">
          <FundingHead t={t} funding={funding} />
        </h3>
        <Money amount={funding.amount} currency={funding.currency} size="balance" />
      </div>
      <div className="mt-3">
        <Facts facts={facts} />
      </div>
      <p className="mt-3 text-second text-quiet">
        {t('funding.proposedBy', { name: funding.proposedBy.name })} <TimeText at={funding.proposedAt} />
        {' · '}
        {t('funding.expires')} <TimeText at={funding.expiresAt} />
      </p>
      <FundingButtons application={application} funding={funding} />
    </li>
  )
}
