'use client'

import { OperatorMark } from '#components/domain/operator-mark.tsx'
import { PhoneText } from '#components/domain/payment.tsx'
import { useAction } from '#components/form/use-action.tsx'
import { Button } from '#components/ui/button.tsx'
import { Table, TableCard, Td, Th, Tr } from '#components/ui/display/table.tsx'
import { DialogButton } from '#components/ui/overlay/dialog-button.tsx'
import { onDemand } from '#components/ui/overlay/on-demand.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import { type CheckedBatchRow, problemText, type RowAccount, warningText } from '#lib/batches/batches.ts'
import { OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'
import { PAYMENT_TEXT_NAMES } from '#lib/payments/payment-fields.ts'
import { moneyText } from '#lib/text/format.ts'
import { formatTime } from '#lib/time/format-time.ts'
import { excludeRows } from '../../actions.ts'
import { BATCH_CHANGE } from './corrections.tsx'

const EditRowDialog = onDemand(async () => (await import('./row-dialogs.tsx')).EditRowDialog)
const ExcludeRowDialog = onDemand(async () => (await import('./row-dialogs.tsx')).ExcludeRowDialog)

type Props = { application: string; batchId: string; version: number; rows: readonly CheckedBatchRow[]; mayChange: boolean }

/** The rows of the file with what was found about each; a maker corrects them here or leaves them out. */
export function RowTable({ application, batchId, version, rows, mayChange }: Props) {
  const { t } = useTranslations()
  const { run, isPending, error } = useAction(
    (rowNumber: number) => excludeRows(application, { batchId, version, rowNumbers: [rowNumber], reason: null }),
    BATCH_CHANGE,
  )
  if (rows.length === 0) return <p className="text-ink-2">{t('batches.noRows')}</p>
  const place = { application, batchId, version }
  const head = (
    <>
      <Th align="end">{t('batches.row')}</Th>
      <Th>{t('payment.field.phoneNumber')}</Th>
      {PAYMENT_TEXT_NAMES.map((name) => (
        <Th key={name}>{t(`payment.field.${name}`)}</Th>
      ))}
      <Th>{t('payment.field.operator')}</Th>
      <Th align="end">{t('payment.field.amount')}</Th>
      <Th>{t('batches.findings')}</Th>
      {mayChange && <Th>{t('batches.actions')}</Th>}
    </>
  )
  return (
    <TableCard label={t('batches.rowTable')}>
      {error && (
        <p role="alert" className="p-3 text-bad">
          {error}
        </p>
      )}
      <Table caption={t('batches.rowTable')} isList head={head}>
        {rows.map((row) => (
          <Tr key={row.rowNumber} className={row.exclusion === null ? '' : 'text-quiet'}>
            <RowCells row={row} />
            {mayChange && (
              <Td>
                <span className="flex gap-2">
                  <DialogButton size="small" dialog={(onClose) => <EditRowDialog {...place} row={row} onClose={onClose} />}>
                    {t('batches.edit')}
                    <span className="sr-only">{t('batches.ofRow', { row: row.rowNumber })}</span>
                  </DialogButton>
                  {row.exclusion === null ? (
                    <DialogButton size="small" dialog={(onClose) => <ExcludeRowDialog {...place} row={row} onClose={onClose} />}>
                      {t('batches.exclude')}
                      <span className="sr-only">{t('batches.ofRow', { row: row.rowNumber })}</span>
                    </DialogButton>
                  ) : (
                    <Button size="small" isBusy={isPending} onClick={() => run(row.rowNumber)}>
                      {t('batches.include')}
                      <span className="sr-only">{t('batches.ofRow', { row: row.rowNumber })}</span>
                    </Button>
                  )}
                </span>
              </Td>
            )}
          </Tr>
        ))}
      </Table>
    </TableCard>
  )
}

function RowCells({ row }: { row: CheckedBatchRow }) {
  const words = useTranslations()
  const { locale } = words
  return (
    <>
      <Td align="end" label={words.t('batches.row')}>
        {row.rowNumber}
      </Td>
      <Td className="whitespace-nowrap">{row.phoneNumber ? <PhoneText phoneNumber={row.phoneNumber} /> : row.typed.phoneNumber}</Td>
      {PAYMENT_TEXT_NAMES.map((name) => (
        <Td key={name} className="min-w-32 @max-[560px]/card:basis-full @max-[560px]/card:font-medium">
          <bdi>{row[name] ?? row.typed[name]}</bdi>
        </Td>
      ))}
      <Td>{row.operator ? <OperatorMark code={row.operator} /> : row.typed.operator}</Td>
      <Td align="end" className="whitespace-nowrap">
        {row.amount && row.operator
          ? moneyText({ amount: row.amount, currency: OPERATORS[row.operator].country.currency }, locale)
          : row.typed.amount}
      </Td>
      <Td className="min-w-52 @max-[560px]/card:basis-full">
        <Findings row={row} />
      </Td>
    </>
  )
}

function Findings({ row }: { row: CheckedBatchRow }) {
  const words = useTranslations()
  const { t } = words
  const isEdited = Object.keys(row.edits).length > 0
  return (
    <ul className="grid gap-0.5 text-second">
      {row.exclusion !== null && <li>{t('batches.excludedBecause', { reason: row.exclusion })}</li>}
      {row.earlier && (
        <li className="text-wait">
          {t('batches.earlier', {
            time: formatTime(t, words.timeZone, new Date(row.earlier.at), 'day-time'),
            reason: t(`transaction.failure.${row.earlier.failure}.means`),
          })}
          {row.earlier.message && (
            <span className="block text-quiet">
              <bdi>{row.earlier.message}</bdi>
            </span>
          )}
        </li>
      )}
      {row.problems.map((problem) => (
        <li key={problem.kind} className="text-bad">
          {problemText(words, problem)}
        </li>
      ))}
      {row.warnings.map((warning) => (
        <li key={warning.kind} className="text-wait">
          {warningText(words, warning)}
        </li>
      ))}
      {row.account && row.operator && <AccountFinding account={row.account} operator={row.operator} />}
      {row.repairs.map((repair) => (
        <li key={repair.kind} className="text-ink-2">
          {t('batches.repairLine', { before: repair.before, after: repair.after })}
        </li>
      ))}
      {isEdited && <li className="text-quiet">{t('batches.edited')}</li>}
    </ul>
  )
}

/** What the operator says about the account. Another name is a warning: the row can be submitted. */
function AccountFinding({ account, operator }: { account: RowAccount; operator: OperatorCode }) {
  const { t } = useTranslations()
  const { answer, holderName, isOtherName } = account
  // Never stored: such an operator is not asked.
  if (answer === 'not_offered') return null
  const found = holderName === null ? 'active' : isOtherName ? 'otherName' : 'named'
  return (
    <li className={isOtherName || answer !== 'active' ? 'text-wait' : 'text-quiet'}>
      {t(`payment.account.${answer === 'active' ? found : answer}`, { operator: OPERATORS[operator].brand, name: holderName ?? '' })}
    </li>
  )
}
