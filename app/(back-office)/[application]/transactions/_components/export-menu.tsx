import { type ButtonVariant, buttonClass } from '#components/ui/button.tsx'
import { Link } from '#components/ui/link.tsx'
import { closePopover, MENU_ITEM, MenuRule, Popover } from '#components/ui/overlay/popover.tsx'
import { useT } from '#components/ui/translations.tsx'
import { paths, type QueryValues } from '#lib/pages/paths.ts'
import type { ExportFormat } from '#lib/payments/transactions/transaction-exports.ts'

type ExportFormProps = {
  application: string
  address: QueryValues
  format: ExportFormat
  ids?: readonly string[]
  /** The columns of the list to export, in order; absent: all. */
  columns?: readonly string[]
  label: string
  variant?: ButtonVariant
  isMenuItem?: boolean
}

/** A plain form: the browser downloads the response, of any length and without script. */
export function ExportForm({ application, address, format, ids, columns, label, variant = 'quiet', isMenuItem = false }: ExportFormProps) {
  return (
    <form
      method="post"
      action={paths.data(application, 'transactions/export', address)}
      // The page remains during the download; only the menu closes.
      onSubmit={closePopover}
    >
      <input type="hidden" name="format" value={format} />
      {ids && <input type="hidden" name="ids" value={ids.join(',')} />}
      {columns && <input type="hidden" name="columns" value={columns.join(',')} />}
      <button type="submit" className={isMenuItem ? MENU_ITEM : buttonClass(variant)}>
        {label}
      </button>
    </form>
  )
}

type ExportMenuProps = { application: string; address: QueryValues; total: number; columns: readonly string[] }

/** The whole filtered list as a file with the shown columns or all of them, and what was exported before. */
export function ExportMenu({ application, address, total, columns }: ExportMenuProps) {
  const t = useT()
  const list = { application, address, isMenuItem: true }
  return (
    <Popover id="export-menu" align="end" triggerClass={buttonClass()} trigger={t('transactions.export')} panelClass="w-72">
      <ExportForm {...list} format="xlsx" columns={columns} label={t('transactions.exportAllXlsx', { count: total })} />
      <ExportForm {...list} format="csv" columns={columns} label={t('transactions.exportAllCsv', { count: total })} />
      <MenuRule />
      <ExportForm {...list} format="xlsx" label={t('transactions.exportEveryColumnXlsx')} />
      <ExportForm {...list} format="csv" label={t('transactions.exportEveryColumnCsv')} />
      <p className="px-2.5 py-1 text-second text-quiet">{t('transactions.exportHint')}</p>
      <MenuRule />
      <Link href={paths.exports(application)} className={MENU_ITEM}>
        {t('transactions.exports')}
      </Link>
    </Popover>
  )
}
