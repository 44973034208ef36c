import { Badge, type Tone } from '#components/ui/display/badge.tsx'
import type { BatchStage, StagedBatch } from '#lib/batches/batch-stage.ts'
import type { Translate } from '#lib/i18n/translate.ts'

const TONES: Record<BatchStage, Tone> = {
  checking: 'wait',
  draft: 'neutral',
  submitting: 'run',
  waiting: 'wait',
  running: 'run',
  succeeded: 'ok',
  partly: 'wait',
  failed: 'bad',
  rejected: 'bad',
  recalled: 'neutral',
  expired: 'bad',
  stopped: 'bad',
  discarded: 'neutral',
}

/** The one state of a batch in words: how far its rows are, or how they ended and who ended them. */
export function BatchStageBadge({ t, batch }: { t: Translate; batch: StagedBatch }) {
  const text = stageText(t, batch)
  return (
    <Badge tone={TONES[batch.stage]} hasDot>
      {/* A long name must not push the amount out of a narrow card. */}
      <span className="truncate @max-[560px]/card:max-w-40" title={text}>
        {text}
      </span>
    </Badge>
  )
}

function stageText(t: Translate, { type, stage, places }: StagedBatch): string {
  const { by, waiting = 0, open = 0, succeeded = 0, ...failed } = places
  const failedCount = Object.values(failed).reduce((sum, count) => sum + count, 0)
  const total = waiting + open + succeeded + failedCount
  if (stage === 'running') return t('batches.stage.runningOf', { ended: total - open - waiting, total })
  if (stage === 'succeeded') return t(`batches.stage.succeeded.${type}`, { count: succeeded })
  if (stage === 'partly') return t(`batches.stage.partly.${type}`, { succeeded, failed: failedCount })
  if ((stage === 'rejected' || stage === 'recalled') && by) return t(`batches.stage.${stage}By`, { name: by })
  return t(`batches.stage.${stage}`)
}
