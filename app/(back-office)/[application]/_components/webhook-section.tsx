'use client'

import { RelativeTime } from '#components/domain/time-text.tsx'
import { Table, Td, Th, Tr } from '#components/ui/table.tsx'
import { TableCard } from '#components/ui/table-card.tsx'
import { useWords } from '#components/ui/words.tsx'
import type { WebhookHealthDto } from '#lib/finance-dto.ts'
import { formatCount } from '#lib/format.ts'

/** How the receivers of webhooks did in the last 24 hours; those that failed most are named. */
export function WebhookSection({ webhooks }: { webhooks: WebhookHealthDto }) {
  const { t, locale } = useWords()
  const words = (count: number) => formatCount(count, locale)
  const isQuiet = webhooks.delivered + webhooks.failed === 0
  return (
    <section aria-labelledby="webhooks">
      <h2 id="webhooks" className="text-amount font-strong">
        {t('overview.webhooks')}
      </h2>
      <p className="text-ink-2 tabular">
        {isQuiet
          ? t('overview.webhooksNone')
          : t('overview.webhooksText', {
              delivered: words(webhooks.delivered),
              failed: words(webhooks.failed),
              exhausted: words(webhooks.exhausted),
            })}
      </p>
      {webhooks.worst.length > 0 && (
        <TableCard label={t('overview.worst')} className="mt-2">
          <Table
            caption={t('overview.worst')}
            head={
              <>
                <Th>{t('overview.target')}</Th>
                <Th align="end">{t('overview.delivered')}</Th>
                <Th align="end">{t('overview.failedAttempts')}</Th>
                <Th align="end" className="max-sm:hidden">
                  {t('overview.exhausted')}
                </Th>
                <Th align="end" className="max-sm:hidden">
                  {t('overview.lastAttempt')}
                </Th>
              </>
            }
          >
            {webhooks.worst.map((target) => (
              <Tr key={target.target}>
                <Td className="break-all">{target.target}</Td>
                <Td align="end">{words(target.delivered)}</Td>
                <Td align="end" className="text-bad">
                  {words(target.failed)}
                </Td>
                <Td align="end" className="max-sm:hidden">
                  {words(target.exhausted)}
                </Td>
                <Td align="end" className="max-sm:hidden">
                  <RelativeTime at={target.lastAttemptAt} />
                </Td>
              </Tr>
            ))}
          </Table>
        </TableCard>
      )}
    </section>
  )
}
