import { Money } from '#components/domain/money.tsx'
import { OperatorMark } from '#components/domain/operator-mark.tsx'
import type { FundingDto } from '#lib/approvals/proposed-change.ts'
import type { Translate } from '#lib/i18n/translate.ts'

/** The money that a funding moves: operator, kind and amount; for a correction, the balance too. */
export function FundingHead({ t, funding }: { t: Translate; funding: FundingDto }) {
  return (
    <>
      <span className="block font-strong">{t(`funding.kind.${funding.kind}`)}</span>
      <span className="block text-second text-quiet">
        <OperatorMark code={funding.operator} />
        {funding.kind === 'correction' && <> · {t(`funding.account.${funding.account}`)}</>}
      </span>
    </>
  )
}

/** A line per balance that changes: before and after. */
export function FundingSteps({ t, funding }: { t: Translate; funding: FundingDto }) {
  return (
    <>
      {funding.steps.map(({ account, before, after }) => (
        <span key={account} className="block">
          <span className="text-quiet">{t(`funding.account.${account}`)}</span> <Money amount={before} currency={funding.currency} />
          <span aria-hidden="true" className="mx-1.5 text-ink-3">
            →
          </span>
          <Money amount={after} currency={funding.currency} className="font-medium" />
        </span>
      ))}
    </>
  )
}

/** Name and digest of the file that proves it. */
export function FundingDocument({ t, funding }: { t: Translate; funding: FundingDto }) {
  if (!funding.attachment) return null
  return (
    <>
      <span className="block wrap-anywhere">{funding.attachment.name}</span>
      <span className="block text-second text-quiet wrap-anywhere">{t('funding.digest', { digest: funding.attachment.sha256 })}</span>
    </>
  )
}
