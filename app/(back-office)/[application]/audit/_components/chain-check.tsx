'use client'

import { useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { Notice } from '#components/ui/display/empty-state.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import { paths } from '#lib/pages/paths.ts'
import { hasParts } from '#lib/pages/query-client.ts'
import type { AuditCheck } from '#lib/people/audit-actions.ts'
import { formatTime } from '#lib/time/format-time.ts'

type State = { kind: 'idle' | 'failed' } | { kind: 'running'; count: number } | { kind: 'done'; check: AuditCheck }

const PAUSE_MS = 1_500
const FAILURES_MAX = 20

const isCheck = hasParts<AuditCheck>('isUnbroken')

/** Asks for one part of the check after the other; a refusal because of too many requests is a pause. */
async function checkAll(application: string, onPart: (count: number) => void): Promise<AuditCheck | null> {
  let failures = 0
  for (let after = '0'; failures < FAILURES_MAX; ) {
    // biome-ignore lint/plugin/no-silent-error: No connection: the check says that it could not be finished.
    const answer = await fetch(paths.data(application, 'audit/chain', { after })).catch(() => null)
    if (answer?.ok) {
      const check: unknown = await answer.json()
      if (!isCheck(check)) return null
      if (!check.isUnbroken || check.isWhole) return check
      after = check.checkedUntil
      onPart(Number(after))
    } else if (answer?.status === 503) {
      failures++
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    } else return null
  }
  return null
}

/** Recomputes the chain of the record from the first entry to the last, and says what was found. */
export function ChainCheck({ application }: { application: string }) {
  const { t } = useTranslations()
  const [state, setState] = useState<State>({ kind: 'idle' })
  async function start() {
    setState({ kind: 'running', count: 0 })
    const check = await checkAll(application, (count) => setState({ kind: 'running', count }))
    setState(check ? { kind: 'done', check } : { kind: 'failed' })
  }
  return (
    <section aria-labelledby="chain" className="no-print mt-4 rounded-lg border border-line bg-surface p-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <div>
          <h2 id="chain">{t('audit.check.title')}</h2>
          <p className="text-second text-quiet">{t('audit.check.text')}</p>
        </div>
        <Button isBusy={state.kind === 'running'} onClick={start}>
          {t('audit.check.start')}
        </Button>
      </div>
      <div aria-live="polite">
        {state.kind === 'running' && <p className="mt-3 tabular">{t('audit.check.running', { count: state.count })}</p>}
        {state.kind === 'failed' && (
          <div className="mt-3">
            <Notice tone="bad">{t('audit.check.failed')}</Notice>
          </div>
        )}
        {state.kind === 'done' && <Outcome check={state.check} />}
      </div>
    </section>
  )
}

function Outcome({ check }: { check: AuditCheck }) {
  const { t, businessZone } = useTranslations()
  if (!check.isUnbroken)
    return (
      <div className="mt-3 grid gap-2">
        <Notice tone="bad">
          {t('audit.check.broken', { number: Number(check.brokenAt), problem: t(`audit.check.problem.${check.problem}`) })}
        </Notice>
        <p>{t('audit.check.brokenAdvice')}</p>
      </div>
    )
  if (check.startedAt === null) return <p className="mt-3">{t('audit.check.empty')}</p>
  const date = formatTime(t, businessZone, new Date(check.startedAt), 'day-year')
  return (
    <div className="mt-3 grid gap-2">
      <Notice tone="ok" icon="check">
        {t('audit.check.unbroken', { count: Number(check.checkedUntil), date })}
      </Notice>
      <p className="text-second text-quiet">{t('audit.check.anchor')}</p>
      <p className="text-second tabular break-all">{check.headHash}</p>
    </div>
  )
}
