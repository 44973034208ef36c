import { TimeText } from '#components/domain/time-text.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import type { RecoveryDto } from '#lib/webhook-portal.ts'
import { StopRecoveryButton } from './stop-recovery-button.tsx'

type Props = { t: Translate; application: string; recoveries: readonly RecoveryDto[] }

/** What is being sent again, and the last ones that were. Nothing if there were none. */
export function RecoveryList({ t, application, recoveries }: Props) {
  if (recoveries.length === 0) return null
  return (
    <section aria-labelledby="recoveries" className="mt-5">
      <h2 id="recoveries">{t('webhooks.recoveries')}</h2>
      <ul className="mt-2 grid gap-2">
        {recoveries.map((recovery) => (
          <li key={recovery.recoveryId} className="rounded-lg border border-line bg-surface px-4 py-3">
            <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
              <p>
                <span className="font-medium">{t(stateOf(recovery), { resent: recovery.resent, counted: recovery.counted })}</span>{' '}
                {t(recovery.includesDelivered ? 'webhooks.recoveredAll' : 'webhooks.recoveredFailed')} <TimeText at={recovery.since} />
              </p>
              {recovery.endedAt === null && <StopRecoveryButton application={application} recoveryId={recovery.recoveryId} />}
            </div>
            <p className="text-second text-quiet">
              <bdi>{recovery.requestedBy}</bdi> · <TimeText at={recovery.requestedAt} />
            </p>
          </li>
        ))}
      </ul>
    </section>
  )
}

function stateOf({ endedAt, isStopped }: RecoveryDto): 'webhooks.recovering' | 'webhooks.recoveryStopped' | 'webhooks.recovered' {
  if (endedAt === null) return 'webhooks.recovering'
  return isStopped ? 'webhooks.recoveryStopped' : 'webhooks.recovered'
}
