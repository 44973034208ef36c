import { useTranslations } from '#components/ui/translations.tsx'
import { feeEffect, type ServiceTerms } from '#lib/money/fees.ts'
import { formatMinor } from '#lib/money/money.ts'
import { formatAmount } from '#lib/text/format.ts'

/** The effect of a transaction on the balance under these fees, with the fees listed. */
export function FeeEffect({ service, amountMinor }: { service: ServiceTerms; amountMinor: bigint }) {
  const { t, locale } = useTranslations()
  const effect = feeEffect(service, amountMinor)
  if (!effect) return <span className="text-bad">{t('terms.nothingLeft')}</span>
  const text = (minor: bigint) => formatAmount(formatMinor(minor), locale)
  return (
    <>
      <span className="block font-medium">
        {t(service.type === 'COLLECT' ? 'terms.credited' : 'terms.debited', { amount: text(effect.balanceMinor) })}
      </span>
      <span className="block text-second text-quiet">{t('terms.fees', { amount: text(effect.feesMinor) })}</span>
    </>
  )
}
