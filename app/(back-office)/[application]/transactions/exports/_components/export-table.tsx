'use client'

import { TimeText } from '#components/domain/time-text.tsx'
import { CopyButton } from '#components/ui/copy-button.tsx'
import { Link } from '#components/ui/link.tsx'
import { Table, Td, Th, Tr } from '#components/ui/table.tsx'
import { TableCard } from '#components/ui/table-card.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import type { ExportDto } from '#lib/export-dto.ts'
import { formatAmount, formatCount } from '#lib/format.ts'
import { paths } from '#lib/paths.ts'

/** The exported files with their content, linked to the current list with the same filter. */
export function ExportTable({ application, exports }: { application: string; exports: readonly ExportDto[] }) {
  const { t, locale } = useTranslations()
  const head = (
    <>
      <Th>{t('exports.time')}</Th>
      <Th>{t('exports.person')}</Th>
      <Th>{t('exports.content')}</Th>
      <Th align="end">{t('exports.rows')}</Th>
      <Th align="end">{t('exports.totals')}</Th>
      <Th>{t('exports.hash')}</Th>
      <Th>{t('exports.file')}</Th>
    </>
  )
  return (
    <TableCard label={t('exports.title')}>
      <Table caption={t('exports.title')} isList head={head}>
        {exports.map((one) => (
          <Tr key={one.exportId}>
            <Td>
              <TimeText at={one.cutOffAt} style="full" />
            </Td>
            <Td className="whitespace-nowrap">
              <bdi>{one.personName}</bdi>
            </Td>
            <Td className="whitespace-nowrap">
              {one.format.toUpperCase()}{' '}
              <Link href={`${paths.transactions(application)}${one.query ? `?${one.query}` : ''}`} className="text-accent hover:underline">
                {contentOf(one, t)}
              </Link>
              <span className="block text-second text-quiet" title={one.columns?.map((id) => t(`transactions.${id}`)).join(', ')}>
                {one.columns === null ? t('exports.allColumns') : t('exports.columns', { count: one.columns.length })}
              </span>
            </Td>
            <Td align="end" label={t('exports.rows')}>
              {one.rowCount === null ? <span className="text-quiet">{t('exports.broken')}</span> : formatCount(one.rowCount, locale)}
            </Td>
            <Td align="end" label={t('exports.totals')}>
              {one.totals?.map((total) => (
                <span key={total.currency} className="block whitespace-nowrap">
                  {formatAmount(total.amount, locale)} {total.currency}
                </span>
              ))}
            </Td>
            <Td>
              {one.fileSha256 && (
                <span className="flex items-center gap-1">
                  <code title={one.fileSha256} className="text-second text-quiet">{`${one.fileSha256.slice(0, 12)}…`}</code>
                  <CopyButton text={one.fileSha256} label={t('exports.hash')} />
                </span>
              )}
            </Td>
            <Td>
              <Downloads application={application} one={one} />
            </Td>
          </Tr>
        ))}
      </Table>
    </TableCard>
  )
}

/** The file again, if it is stored, and its record. */
function Downloads({ application, one }: { application: string; one: ExportDto }) {
  const { t } = useTranslations()
  if (one.finishedAt === null) return null
  const link = 'text-accent hover:underline'
  return (
    <span className="flex items-center gap-3 whitespace-nowrap">
      {one.isStored ? (
        <a href={paths.data(application, `exports/${one.exportId}/file`)} download className={link}>
          {t('exports.again')}
        </a>
      ) : (
        <span className="text-quiet">{t('exports.notStored')}</span>
      )}
      <a href={paths.data(application, `exports/${one.exportId}/record`)} download={`export-${one.exportId}.json`} className={link}>
        {t('exports.recordFile')}
      </a>
    </span>
  )
}

function contentOf(one: ExportDto, t: ReturnType<typeof useTranslations>['t']): string {
  if (one.selected !== null) return t('exports.selected', { count: one.selected })
  return t(one.query === '' ? 'exports.wholeList' : 'exports.filtered')
}
