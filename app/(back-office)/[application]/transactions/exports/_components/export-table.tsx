'use client'

import { type ChangeEvent, useState } from 'react'
import { TimeText } from '#components/domain/time-text.tsx'
import { CopyButton } from '#components/ui/copy-button.tsx'
import { ListTable } from '#components/ui/display/table.tsx'
import { Link } from '#components/ui/link.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import { paths } from '#lib/pages/paths.ts'
import { fetchData, hasParts } from '#lib/pages/query-client.ts'
import type { ExportDto } from '#lib/payments/transactions/transaction-exports.ts'
import { formatAmount, formatCount } from '#lib/text/format.ts'
import { formatTime } from '#lib/time/format-time.ts'

/** The exported files with their content, linked to the current list with the same filter. */
export function ExportTable({ application, exports }: { application: string; exports: readonly ExportDto[] }) {
  const { t, locale } = useTranslations()
  return (
    <ListTable
      isList
      label={t('exports.title')}
      rows={exports}
      keyOf={({ exportId }) => exportId}
      columns={[
        { head: t('exports.time'), cell: ({ cutOffAt }) => <TimeText at={cutOffAt} style="full" /> },
        { head: t('exports.person'), cellClass: 'whitespace-nowrap', cell: ({ personName }) => <bdi>{personName}</bdi> },
        { head: t('exports.content'), cellClass: 'whitespace-nowrap', cell: (one) => <Content application={application} one={one} /> },
        {
          head: t('exports.rows'),
          align: 'end',
          isLabelled: true,
          cell: ({ rowCount }) =>
            rowCount === null ? <span className="text-quiet">{t('exports.broken')}</span> : formatCount(rowCount, locale),
        },
        {
          head: t('exports.totals'),
          align: 'end',
          isLabelled: true,
          cell: ({ totals }) =>
            totals?.map((total) => (
              <span key={total.currency} className="block whitespace-nowrap">
                {formatAmount(total.amount, locale)} {total.currency}
              </span>
            )),
        },
        {
          head: t('exports.hash'),
          cell: ({ fileSha256 }) =>
            fileSha256 && (
              <span className="flex items-center gap-1">
                <code title={fileSha256} className="text-second text-quiet">{`${fileSha256.slice(0, 12)}…`}</code>
                <CopyButton text={fileSha256} label={t('exports.hash')} />
              </span>
            ),
        },
        { head: t('exports.file'), cell: (one) => <Downloads application={application} one={one} /> },
      ]}
    />
  )
}

/** The format and the list that a file has. */
function Content({ application, one }: { application: string; one: ExportDto }) {
  const { t } = useTranslations()
  return (
    <>
      {one.format.toUpperCase()}{' '}
      <Link href={`${paths.transactions(application)}${one.query ? `?${one.query}` : ''}`} className="text-accent hover:underline">
        {contentOf(one, t)}
      </Link>
      <span className="block text-second text-quiet" title={one.columns?.map((id) => t(`transactions.${id}`)).join(', ')}>
        {one.columns === null ? t('exports.allColumns') : t('exports.columns', { count: one.columns.length })}
      </span>
    </>
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

type Verdict = { tone: 'ok' | 'bad' | 'quiet'; words: string }

const TONES: Record<Verdict['tone'], string> = { ok: 'text-ok', bad: 'text-bad', quiet: 'text-quiet' }

/** Checks whether a file is an unchanged export of this application. The file is not uploaded. */
export function CheckFile({ application }: { application: string }) {
  const { t, timeZone } = useTranslations()
  const [verdict, setVerdict] = useState<Verdict | null>(null)
  async function check(event: ChangeEvent<HTMLInputElement>) {
    const file = event.target.files?.[0]
    if (!file) return
    setVerdict({ tone: 'quiet', words: t('exports.checking') })
    try {
      const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', await file.arrayBuffer()))
      const sha256 = Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
      const { export: found } = await fetchData(
        paths.data(application, 'exports', { sha256 }),
        hasParts<{ export: ExportDto | null }>('export'),
      )
      setVerdict(
        found
          ? {
              tone: 'ok',
              words: t('exports.known', { name: found.personName, time: formatTime(t, timeZone, new Date(found.cutOffAt), 'full') }),
            }
          : { tone: 'bad', words: t('exports.unknown') },
      )
    } catch {
      // Offline, or the server failed and reported it there.
      setVerdict({ tone: 'bad', words: t('exports.checkFailed') })
    }
  }
  return (
    <section className="grid max-w-2xl gap-1.5">
      <h2>{t('exports.check')}</h2>
      <label className="grid gap-1.5">
        <span className="text-ink-2">{t('exports.choose')}</span>
        <input
          type="file"
          accept=".csv,.xlsx"
          onChange={(event) => void check(event)}
          className="rounded-sm border border-line-2 bg-surface p-1.5"
        />
      </label>
      <p className="text-second text-quiet">{t('exports.checkHint')}</p>
      <p role="status" className={`font-medium ${verdict ? TONES[verdict.tone] : ''}`}>
        {verdict?.words}
      </p>
    </section>
  )
}
