'use client'

import { useState } from 'react'
import { ErrorNotice } from '#components/form/error-notice.tsx'
import { usePageKeys } from '#components/frame/use-page-keys.ts'
import { Button } from '#components/ui/button.tsx'
import { onDemand } from '#components/ui/overlay/on-demand.tsx'
import { useT } from '#components/ui/translations.tsx'
import { useTake } from '../../_components/use-take.ts'

const NoteDialog = onDemand(async () => (await import('../../_components/exception-dialogs.tsx')).NoteDialog)
const HandOverDialog = onDemand(async () => (await import('../../_components/exception-dialogs.tsx')).HandOverDialog)
const MatchDialog = onDemand(async () => (await import('../../../_components/match-dialog.tsx')).MatchDialog)
const CloseDialog = onDemand(async () => (await import('../../_components/exception-dialogs.tsx')).CloseDialog)

type Props = {
  application: string
  exceptionId: string
  may: { take: boolean; handOver: boolean; note: boolean; close: boolean }
  /** To whom it can be handed over. */
  people: readonly { personId: string; name: string }[]
  canBeAdjusted: boolean
  /** The line whose match this person may take back; null: none. */
  undoable: string | null
}

/** The actions of this person on an open exception: take, hand over, note, close, take back the match. Their keys: O, H, N, C and U. */
export function ExceptionActions({ application, exceptionId, may, people, canBeAdjusted, undoable }: Props) {
  const t = useT()
  const take = useTake(application)
  const [asked, setAsked] = useState<'note' | 'handOver' | 'close' | 'undo' | null>(null)
  usePageKeys({
    o: may.take && (() => take.run({ exceptionId })),
    n: may.note && (() => setAsked('note')),
    h: may.handOver && (() => setAsked('handOver')),
    c: may.close && (() => setAsked('close')),
    u: undoable !== null && (() => setAsked('undo')),
  })
  const onClose = () => setAsked(null)
  const dialog = { application, about: { exceptionId }, onClose }
  return (
    <>
      <div className="flex flex-wrap gap-2">
        {may.take && (
          <Button variant="primary" isBusy={take.isPending} aria-keyshortcuts="O" onClick={() => take.run({ exceptionId })}>
            {t('exceptions.take')}
          </Button>
        )}
        {may.close && (
          <Button variant="primary" aria-keyshortcuts="C" onClick={() => setAsked('close')}>
            {t('exceptions.close')}
          </Button>
        )}
        {may.note && (
          <Button aria-keyshortcuts="N" onClick={() => setAsked('note')}>
            {t('exceptions.note')}
          </Button>
        )}
        {may.handOver && (
          <Button aria-keyshortcuts="H" onClick={() => setAsked('handOver')}>
            {t('exceptions.handOver')}
          </Button>
        )}
        {undoable !== null && (
          <Button aria-keyshortcuts="U" onClick={() => setAsked('undo')}>
            {t('close.undo')}
          </Button>
        )}
      </div>
      {take.error && <ErrorNotice error={take.error} />}
      {asked === 'note' && <NoteDialog {...dialog} />}
      {asked === 'handOver' && <HandOverDialog {...dialog} people={people} />}
      {asked === 'undo' && undoable !== null && <MatchDialog application={application} lineId={undoable} isMatched onClose={onClose} />}
      {asked === 'close' && (
        <CloseDialog application={application} exceptionId={exceptionId} canBeAdjusted={canBeAdjusted} onClose={onClose} />
      )}
    </>
  )
}
