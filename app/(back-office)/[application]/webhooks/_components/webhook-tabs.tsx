import { Tabs } from '#components/ui/tabs.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import { paths } from '#lib/paths.ts'

/** The two pages about webhooks. */
export function WebhookTabs({ t, application, current }: { t: Translate; application: string; current: 'deliveries' | 'signing' }) {
  return (
    <div className="mt-4">
      <Tabs
        label={t('webhooks.title')}
        tabs={[
          { href: paths.webhooks(application), label: t('webhooks.deliveries'), isCurrent: current === 'deliveries' },
          { href: paths.webhookSigning(application), label: t('webhooks.signing'), isCurrent: current === 'signing' },
        ]}
      />
    </div>
  )
}
