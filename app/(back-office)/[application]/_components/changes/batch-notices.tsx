import type { ProposedChangeDto } from '#lib/approvals/proposed-change.ts'
import type { Locale } from '#lib/i18n/locale.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { formatMinor } from '#lib/money/money.ts'
import { isOperatorCode, OPERATORS } from '#lib/operators/operators.ts'
import { moneyText } from '#lib/text/format.ts'
import { BatchButton } from './change-buttons.tsx'

type Props = { t: Translate; locale: Locale; changes: readonly ProposedChangeDto[] }

/** The changes that wait and were proposed together, with one decision for all; nothing where only one of them is left. */
export function BatchNotices({ t, locale, changes }: Props) {
  const batches = Map.groupBy(
    changes.filter(({ state, batchId }) => state === 'open' && batchId !== null),
    ({ batchId }) => batchId ?? '',
  )
  return [...batches].flatMap(([batchId, together]) => {
    const [first] = together
    if (!first || together.length < 2) return []
    const title = t(`change.kind.${first.kind}`)
    const lines = together.map((change) => lineOf(locale, change))
    return [
      <div key={batchId} className="mt-2 flex flex-wrap items-center gap-3 rounded-lg border border-line bg-sunken p-4">
        <p>
          <span className="font-strong">{title}</span> ·{' '}
          {t('change.batch.together', { count: together.length, name: first.proposedBy.name })}
        </p>
        {together.every(({ mayDecide }) => mayDecide === true) && <BatchButton batch={{ batchId, title, lines }} />}
      </div>,
    ]
  })
}

/** Whose books change, about which transaction, and by how much. */
function lineOf(locale: Locale, { after }: ProposedChangeDto): string {
  const { operator, amountMinor, ledger, transactionId } = after
  const amount =
    isOperatorCode(operator) && typeof amountMinor === 'string'
      ? moneyText({ amount: formatMinor(BigInt(amountMinor)), currency: OPERATORS[operator].country.currency }, locale)
      : null
  return [ledger, transactionId, amount].filter((part) => typeof part === 'string').join(' · ')
}
