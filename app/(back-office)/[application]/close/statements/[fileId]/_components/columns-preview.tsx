import { TimeText } from '#components/domain/time-text.tsx'
import { Notice } from '#components/ui/display/empty-state.tsx'
import { ListTable } from '#components/ui/display/table.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import type { MappedPreview } from '#lib/reconciliation/statement-columns.ts'
import { statementProblemText } from '#lib/reconciliation/statement-problem.ts'
import { formatAmount } from '#lib/text/format.ts'

/** The first lines as the chosen columns read them, and the rows that they cannot read. */
export function ColumnsPreview({ preview: { lines, bad, problem } }: { preview: MappedPreview }) {
  const { t, locale } = useTranslations()
  return (
    <div className="grid gap-2">
      <h2>{t('statements.readLines')}</h2>
      {problem && <Notice tone="bad">{statementProblemText(t, problem)}</Notice>}
      {bad.length > 0 && (
        <Notice tone="wait">
          <ul>
            {bad.slice(0, 5).map(({ row, problem: kind }) => (
              <li key={row}>
                {t('statements.row')} {row}: {t(`statements.row.${kind}`)}
              </li>
            ))}
          </ul>
        </Notice>
      )}
      {lines.length === 0 && <p className="text-quiet">{t('statements.readNone')}</p>}
      {lines.length > 0 && (
        <ListTable
          label={t('statements.readLines')}
          rows={lines.slice(0, 10)}
          keyOf={({ row }) => String(row)}
          columns={[
            { head: t('statements.column.time'), cellClass: 'whitespace-nowrap', cell: ({ at }) => <TimeText at={at} /> },
            {
              head: t('statements.column.type'),
              cell: ({ kind }) => t(kind === 'payment' ? 'statements.payment' : `close.class.${classOf(kind)}`),
            },
            {
              head: t('statements.column.amount'),
              align: 'end',
              cell: ({ amount }) => <span className="tabular">{formatAmount(amount, locale)}</span>,
            },
            {
              head: t('statements.column.fee'),
              align: 'end',
              cell: ({ fee }) => <span className="tabular">{formatAmount(fee, locale)}</span>,
            },
            { head: t('statements.column.operatorId'), cellClass: 'wrap-anywhere', cell: ({ operatorId }) => operatorId ?? '–' },
            { head: t('statements.column.ourId'), cellClass: 'wrap-anywhere', cell: ({ ourId }) => ourId ?? '–' },
            { head: t('statements.column.phone'), cell: ({ phone }) => phone ?? '–' },
          ]}
        />
      )}
    </div>
  )
}

const CLASSES = ['fee', 'tax', 'commission', 'transfer', 'reversal', 'other', 'failed'] as const

function classOf(kind: string): (typeof CLASSES)[number] {
  return CLASSES.find((each) => each === kind) ?? 'other'
}
