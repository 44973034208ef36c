import type { AdjustmentKind } from '#lib/finance/finance-dto.ts'
import type { Translate } from '#lib/i18n/translate.ts'

/** The adjustments that two people made in the books after a status was final, in one line. */
export function adjustedText(t: Translate, adjustments: readonly AdjustmentKind[]): string {
  return t('transaction.adjustedBy', { kinds: adjustments.map((kind) => t(`transaction.postingKind.${kind}`)).join(', ') })
}
