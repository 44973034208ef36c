'use client'

import { Button } from '#components/ui/button.tsx'
import { Card } from '#components/ui/card.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { BatchDto } from '#lib/batch-dto.ts'
import { decideRepair } from '../../actions.ts'
import { useChange } from './use-change.ts'

/** The repairs by rule, with examples before and after. Each can be accepted, and undone. */
export function Repairs({ application, batch, mayChange }: { application: string; batch: BatchDto; mayChange: boolean }) {
  const t = useT()
  const { change, error, isBusy } = useChange()
  const { batchId, version } = batch
  return (
    <Card>
      <h2 className="mb-2">{t('batches.repairs')}</h2>
      {error && (
        <p role="alert" className="mb-2 text-bad">
          {error}
        </p>
      )}
      <ul className="grid gap-3">
        {batch.repairs.map(({ kind, count, isAccepted, examples }) => (
          <li key={kind} className="flex flex-wrap items-start justify-between gap-x-6 gap-y-2">
            <div className="min-w-0">
              <p className="font-medium">{t(`batches.repair.${kind}`, { count })}</p>
              <ul className="text-second text-ink-2">
                {examples.map(({ rowNumber, before, after }) => (
                  <li key={rowNumber} className="wrap-anywhere">
                    {t('batches.repairExample', { row: rowNumber, before, after })}
                  </li>
                ))}
              </ul>
            </div>
            {mayChange && (
              <span className="flex items-center gap-2">
                {isAccepted && <span className="text-ok">{t('batches.repairAccepted')}</span>}
                <Button
                  size="small"
                  isBusy={isBusy}
                  onClick={() => void change(() => decideRepair(application, { batchId, version, repair: kind, isAccepted: !isAccepted }))}
                >
                  {t(isAccepted ? 'batches.repairUndo' : 'batches.repairAccept')}
                  <span className="sr-only">{t(`batches.repair.${kind}`, { count })}</span>
                </Button>
              </span>
            )}
          </li>
        ))}
      </ul>
    </Card>
  )
}
