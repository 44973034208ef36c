import { useEffect } from 'react'
import { PanelSteps, SidePanel } from '#components/table/side-panel.tsx'
import { ButtonLink } from '#components/ui/button.tsx'
import { definePart, LazyPart } from '#components/ui/overlay/lazy-part.tsx'
import { useT } from '#components/ui/translations.tsx'
import { PanelSkeleton } from './panel-skeleton.tsx'

export const SELECTION = definePart(() => import('./selection.tsx'))

const CONTENT = definePart(() => import('./transaction-panel.tsx'))

type Props = {
  application: string
  transactionId: string | null
  href: string
  position: { index: number; total: number }
  canResend: boolean
  canCreate: boolean
  onMove: (by: 1 | -1) => void
  onClose: () => void
}

/** The panel of the list. Its head is part of the page, so that it is there at once; the details are fetched while nobody waits for them. */
export function ListPanel({ application, transactionId, href, position, canResend, canCreate, onMove, onClose }: Props) {
  const t = useT()
  useEffect(() => {
    const idle = globalThis.requestIdleCallback ?? ((then: () => void) => setTimeout(then, 200))
    // biome-ignore lint/plugin/no-silent-error: a load that fails here is tried again when its part is opened.
    idle(() => [CONTENT, SELECTION].map((part) => part.load().catch(() => undefined)))
  }, [])
  if (transactionId === null) return null
  return (
    <SidePanel
      label={t('transaction.title')}
      contentKey={transactionId}
      onClose={onClose}
      head={
        <>
          <ButtonLink href={href} size="small">
            {t('transaction.openPage')}
          </ButtonLink>
          <span className="ml-auto" />
          {position.index >= 0 && <PanelSteps {...position} onMove={onMove} />}
        </>
      }
    >
      <LazyPart part={CONTENT} props={{ application, transactionId, canResend, canCreate }} fallback={<PanelSkeleton />} />
    </SidePanel>
  )
}
