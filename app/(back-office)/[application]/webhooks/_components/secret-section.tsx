import { TimeText } from '#components/domain/time-text.tsx'
import type { ProposedChangeDto } from '#lib/approvals/proposed-change.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { NewSecretButton } from './webhook-buttons.tsx'

type Props = {
  t: Translate
  application: string
  /** The secrets that sign now. */
  secrets: readonly { createdAt: Date; expiresAt: Date | null }[]
  changes: readonly ProposedChangeDto[]
  mayPropose: boolean
}

/** The secret that signs webhooks, the third credential of a partner's program: since when there is one, and how an engineer gets it. */
export function SecretSection({ t, application, secrets, changes, mayPropose }: Props) {
  const isFirst = !changes.some(({ kind, collection }) => kind === 'webhook_secret.rotate' && collection === 'collected')
  return (
    <section aria-labelledby="secrets" className="mt-8">
      <h2 id="secrets">{t('webhooks.secrets')}</h2>
      <p className="max-w-3xl text-ink-2">{t(isFirst ? 'webhooks.secretFirstText' : 'webhooks.secretsText')}</p>
      <ul className="mt-2 grid gap-1">
        {secrets.map(({ createdAt, expiresAt }) => (
          <li key={createdAt.toISOString()}>
            {t('webhooks.secretSince')} <TimeText at={createdAt.toISOString()} />
            {expiresAt && (
              <>
                {' · '}
                {t('webhooks.secretUntil')} <TimeText at={expiresAt.toISOString()} />
              </>
            )}
          </li>
        ))}
      </ul>
      {mayPropose && (
        <div className="mt-3">
          <NewSecretButton application={application} isFirst={isFirst} />
        </div>
      )}
    </section>
  )
}
