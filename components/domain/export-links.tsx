'use client'

import { buttonClass } from '#components/ui/button.tsx'
import { closePopover, MENU_ITEM, Popover } from '#components/ui/overlay/popover.tsx'
import { useT } from '#components/ui/translations.tsx'
import { paths, type QueryValues } from '#lib/pages/paths.ts'

/**
 * Downloads what a page shows, as a workbook or as CSV. `rest` is the data address that answers the file; `record`: it also answers the
 * whole record as JSON, regardless of the filter of the page.
 */
export function ExportLinks({
  application,
  rest,
  query = {},
  label,
  record,
}: {
  application: string
  rest: string
  query?: QueryValues
  label: string
  record?: string
}) {
  const t = useT()
  return (
    <Popover id="export-menu" align="end" triggerClass={buttonClass()} trigger={label}>
      {(['xlsx', 'csv'] as const).map((format) => (
        <a
          key={format}
          href={paths.data(application, rest, { ...query, format })}
          download
          // The page remains during the download; only the menu closes.
          onClick={closePopover}
          className={MENU_ITEM}
        >
          {t(`table.export.${format}`)}
        </a>
      ))}
      {record !== undefined && (
        <a href={paths.data(application, rest, { format: 'jsonl' })} download onClick={closePopover} className={MENU_ITEM}>
          {record}
        </a>
      )}
    </Popover>
  )
}
