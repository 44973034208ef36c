import { Badge } from '#components/ui/badge.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import type { DirectionState } from '../read-operators.ts'
import { protocolText } from './protocol-text.ts'

/** Whether an application may use a direction, and through which protocol it is reached. */
export function ServiceState({ t, direction: { isEnabled, protocol } }: { t: Translate; direction: DirectionState }) {
  if (protocol === null) return <Badge tone="bad">{t('operators.notConnected')}</Badge>
  return (
    <>
      {isEnabled ? <Badge tone="ok">{t('operators.on')}</Badge> : <Badge>{t('operators.off')}</Badge>}
      <span className="block text-second text-quiet">{t('operators.through', { protocol: protocolText(t, protocol) })}</span>
    </>
  )
}
