'use client'

import { type ChangeEvent, useState } from 'react'
import { useTranslations } from '#components/ui/translations.tsx'
import type { ExportDto } from '#lib/export-dto.ts'
import { formatTime } from '#lib/format-time.ts'
import { paths } from '#lib/paths.ts'
import { fetchData, hasParts } from '#lib/query-client.ts'

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
