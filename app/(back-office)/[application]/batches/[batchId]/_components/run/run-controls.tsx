import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ReasonForm } from '#components/form/reason-form.tsx'
import { Button } from '#components/ui/button.tsx'
import { Notice } from '#components/ui/display/empty-state.tsx'
import { toast } from '#components/ui/overlay/toast.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import { useRouter } from '#components/ui/use-router.ts'
import type { BatchRunDto } from '#lib/batches/batches.ts'
import type { MessageKey } from '#lib/i18n/translate.ts'
import { paths } from '#lib/pages/paths.ts'
import { queryKeys } from '#lib/pages/query-keys.ts'
import { type ActionResult, callAction, refusalText } from '#lib/result.ts'

type Action<Value> = (application: string, input: unknown) => Promise<ActionResult<Value, string>>
export type RunActions = {
  pause: Action<{ count: number }>
  resume: Action<{ count: number }>
  stop: Action<{ count: number }>
  retry: Action<{ batchId: string; rows: number }>
}

const REFUSALS: Record<string, MessageKey> = {
  not_yours: 'batch.refused.not_yours',
  not_running: 'batch.refused.not_running',
  not_paused: 'batch.refused.not_paused',
  stopped: 'batch.refused.stopped',
  nothing_left: 'batch.refused.nothingOpen',
  still_open: 'batch.refused.still_open',
  nothing_to_retry: 'batch.refused.nothing_to_retry',
  all_left_out: 'batch.refused.all_left_out',
  not_permitted: 'action.forbidden',
  submitting: 'batch.refused.submitting',
  offline: 'action.offline',
}

type Intent = 'pause' | 'stop'
type Props = { application: string; run: BatchRunDto; actions: RunActions }

/** Pause, resume, stop and retry, as far as the server says that this person may. */
export function RunControls({ application, run, actions }: Props) {
  const { t } = useTranslations()
  const router = useRouter()
  const queryClient = useQueryClient()
  const [asked, setAsked] = useState<Intent | null>(null)
  const [isBusy, setIsBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const { batchId, can, retryable } = run
  if (!can.pause && !can.resume && !can.stop && !can.retry && !problem) return null

  async function send<Value>(call: () => Promise<ActionResult<Value, string>>, onDone: (value: Value) => void): Promise<void> {
    setIsBusy(true)
    setProblem(null)
    const answer = await callAction(call)
    setIsBusy(false)
    if (answer.ok) {
      setAsked(null)
      onDone(answer.value)
    } else setProblem(refusalText<string>(t, answer.error.code, REFUSALS))
    void queryClient.invalidateQueries({ queryKey: queryKeys.transactions(application) })
  }

  return (
    <div className="grid gap-2.5">
      {problem && <Notice tone="bad">{problem}</Notice>}
      {asked ? (
        <ReasonForm
          id="field-run-reason"
          label={t(`batch.run.reason.${asked}`)}
          hint={t(`batch.run.hint.${asked}`)}
          submitLabel={t(`batch.run.${asked}`)}
          isDanger={asked === 'stop'}
          isBusy={isBusy}
          onCancel={() => setAsked(null)}
          onReason={(reason) =>
            void send(
              () => actions[asked](application, { batchId, reason }),
              ({ count }) => toast(t(`batch.run.done.${asked}`, { count })),
            )
          }
        />
      ) : (
        <div className="flex flex-wrap gap-2">
          {can.pause && <Button onClick={() => setAsked('pause')}>{t('batch.run.pause')}</Button>}
          {can.resume && (
            <Button
              variant="primary"
              isBusy={isBusy}
              onClick={() =>
                void send(
                  () => actions.resume(application, { batchId }),
                  ({ count }) => toast(t('batch.run.done.resume', { count })),
                )
              }
            >
              {t('batch.run.resume')}
            </Button>
          )}
          {can.stop && (
            <Button variant="danger" onClick={() => setAsked('stop')}>
              {t('batch.run.stop')}
            </Button>
          )}
          {can.retry && (
            <Button
              isBusy={isBusy}
              onClick={() =>
                void send(
                  () => actions.retry(application, { batchId }),
                  (child) => router.push(paths.batch(application, child.batchId)),
                )
              }
            >
              {t('batch.run.retry', { count: retryable })}
            </Button>
          )}
        </div>
      )}
    </div>
  )
}
