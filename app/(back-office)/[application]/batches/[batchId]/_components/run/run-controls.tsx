import { useState } from 'react'
import { ReasonForm } from '#components/form/reason-form.tsx'
import { ReleaseForm } from '#components/form/release-field.tsx'
import { useAction } from '#components/form/use-action.tsx'
import { Button } from '#components/ui/button.tsx'
import { Notice } from '#components/ui/display/empty-state.tsx'
import { toast } from '#components/ui/overlay/toast.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import { useRouter } from '#components/ui/use-router.ts'
import { type BatchRunDto, REPEATED_ROWS, type RepeatedRows } from '#lib/batches/batches.ts'
import { paths } from '#lib/pages/paths.ts'
import { queryKeys } from '#lib/pages/queries.ts'
import { recallWholeBatch } from '../../../../approvals/actions.ts'
import { pauseRun, planRun, resumeRun, retryRun, stopRun } from '../../../actions.ts'

const REFUSALS = {
  not_yours: 'batch.refused.not_yours',
  not_running: 'batch.refused.not_running',
  not_paused: 'batch.refused.not_paused',
  stopped: 'batch.refused.stopped',
  nothing_left: 'batch.refused.nothingOpen',
  still_open: 'batch.refused.still_open',
  nothing_to_retry: 'batch.refused.nothing_to_retry',
  all_left_out: 'batch.refused.all_left_out',
  submitting: 'batch.refused.submitting',
  not_the_maker: 'approvals.recall.not_the_maker',
  not_waiting: 'approvals.recall.not_waiting',
  wrong_time: 'batch.refused.wrong_time',
} as const
const CHANGES = { pause: pauseRun, resume: resumeRun, stop: stopRun, plan: planRun, recall: recallWholeBatch } as const

type Intent = 'pause' | 'stop' | 'plan' | 'recall'
type Props = { application: string; run: BatchRunDto }

/** Pause, resume, stop and repeat, as far as the server says that this person may. */
export function RunControls({ application, run }: Props) {
  const { t } = useTranslations()
  const router = useRouter()
  const [asked, setAsked] = useState<Intent | null>(null)
  const { batchId, can, retryable, returned, unsubmitted } = run
  const counts: Readonly<Record<RepeatedRows, number>> = { failed: retryable, returned, unsubmitted: unsubmitted.count }
  const repeatable = REPEATED_ROWS.filter((rows) => can.repeat[rows])
  const invalidates = [queryKeys.transactions(application)]
  const change = useAction(
    (kind: Intent | 'resume', text?: string) => CHANGES[kind](application, { batchId, [kind === 'plan' ? 'releaseAt' : 'reason']: text }),
    {
      words: REFUSALS,
      invalidates,
      onDone({ count }, [kind]) {
        setAsked(null)
        toast(t(`batch.run.done.${kind}`, { count }))
      },
    },
  )
  const retry = useAction((rows: RepeatedRows) => retryRun(application, { batchId, rows }), {
    words: REFUSALS,
    invalidates,
    onDone: (child) => router.push(paths.batch(application, child.batchId)),
  })
  const isBusy = change.isPending || retry.isPending
  const problem = change.error ?? retry.error
  const isTimed = run.release !== null && run.release.releasedAt === null
  if (!can.pause && !can.resume && !can.plan && !can.recall && !can.stop && repeatable.length === 0 && !problem) return null

  return (
    <div className="grid gap-2.5">
      {problem && <Notice tone="bad">{problem}</Notice>}
      {asked === 'plan' ? (
        <ReleaseForm at={run.release?.at ?? null} isBusy={isBusy} onCancel={() => setAsked(null)} onTime={(at) => change.run('plan', at)} />
      ) : asked ? (
        <ReasonForm
          id="field-run-reason"
          label={t(`batch.run.reason.${asked}`)}
          hint={t(`batch.run.hint.${asked}`)}
          submitLabel={t(`batch.run.${asked}`)}
          isDanger={asked !== 'pause'}
          isBusy={isBusy}
          onCancel={() => setAsked(null)}
          onReason={(reason) => change.run(asked, reason)}
        />
      ) : (
        <div className="flex flex-wrap gap-2">
          {can.pause && <Button onClick={() => setAsked('pause')}>{t(isTimed ? 'batch.run.hold' : 'batch.run.pause')}</Button>}
          {can.resume && (
            <Button variant={run.state === 'waiting' ? 'quiet' : 'primary'} isBusy={isBusy} onClick={() => change.run('resume')}>
              {t(run.state === 'waiting' ? 'batch.run.onApproval' : isTimed ? 'batch.run.sendNow' : 'batch.run.resume')}
            </Button>
          )}
          {can.plan && <Button onClick={() => setAsked('plan')}>{t(isTimed ? 'batch.run.otherTime' : 'batch.run.chooseTime')}</Button>}
          {can.recall && (
            <Button variant="danger" onClick={() => setAsked('recall')}>
              {t('batch.run.recall')}
            </Button>
          )}
          {can.stop && (
            <Button variant="danger" onClick={() => setAsked('stop')}>
              {t('batch.run.stop')}
            </Button>
          )}
          {repeatable.map((rows) => (
            <Button key={rows} isBusy={isBusy} onClick={() => retry.run(rows)}>
              {t(`batch.run.repeat.${rows}`, { count: counts[rows] })}
            </Button>
          ))}
        </div>
      )}
    </div>
  )
}
