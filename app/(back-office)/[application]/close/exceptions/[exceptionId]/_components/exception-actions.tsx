'use client'

import { useEffect, useEffectEvent, useState } from 'react'
import { ErrorNotice } from '#components/form/error-notice.tsx'
import { isTyping } from '#components/frame/keyboard.ts'
import { Button } from '#components/ui/button.tsx'
import { onDemand } from '#components/ui/overlay/on-demand.tsx'
import { useT } from '#components/ui/translations.tsx'
import { useTake } from '../../_components/use-take.ts'

const NoteDialog = onDemand(async () => (await import('../../_components/exception-dialogs.tsx')).NoteDialog)
const HandOverDialog = onDemand(async () => (await import('../../_components/exception-dialogs.tsx')).HandOverDialog)
const CloseDialog = onDemand(async () => (await import('../../_components/exception-dialogs.tsx')).CloseDialog)

type Props = {
  application: string
  exceptionId: string
  may: { take: boolean; handOver: boolean; note: boolean; close: boolean }
  /** To whom it can be handed over. */
  people: readonly { personId: string; name: string }[]
  canBeAdjusted: boolean
}

/** The actions of this person on an open exception: take, hand over, note, close. Their keys: O, H, N and C. */
export function ExceptionActions({ application, exceptionId, may, people, canBeAdjusted }: Props) {
  const t = useT()
  const take = useTake(application)
  const [asked, setAsked] = useState<'note' | 'handOver' | 'close' | null>(null)
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    if (isTyping(event) || event.shiftKey || event.repeat || document.querySelector('dialog[open], [popover]:popover-open')) return
    if (event.key === 'o' && may.take) take.run(exceptionId)
    else if (event.key === 'n' && may.note) setAsked('note')
    else if (event.key === 'h' && may.handOver) setAsked('handOver')
    else if (event.key === 'c' && may.close) setAsked('close')
    else return
    // Otherwise the letter would be typed into the dialog that it opens.
    event.preventDefault()
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent) => onKeyDown(event)
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [])
  const dialog = { application, exceptionId, onClose: () => setAsked(null) }
  return (
    <>
      <div className="flex flex-wrap gap-2">
        {may.take && (
          <Button variant="primary" isBusy={take.isPending} aria-keyshortcuts="O" onClick={() => take.run(exceptionId)}>
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
      </div>
      {take.error && <ErrorNotice error={take.error} />}
      {asked === 'note' && <NoteDialog {...dialog} />}
      {asked === 'handOver' && <HandOverDialog {...dialog} people={people} />}
      {asked === 'close' && <CloseDialog {...dialog} canBeAdjusted={canBeAdjusted} />}
    </>
  )
}
