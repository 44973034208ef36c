import { TimeText } from '#components/domain/time-text.tsx'
import { ButtonLink } from '#components/ui/button.tsx'
import { Badge, type Tone } from '#components/ui/display/badge.tsx'
import { EmptyState } from '#components/ui/display/empty-state.tsx'
import { Tabs } from '#components/ui/display/page.tsx'
import { Table, TableCard, Td, Th, Tr } from '#components/ui/display/table.tsx'
import { Link } from '#components/ui/link.tsx'
import type { Locale } from '#lib/i18n/locale.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { paths } from '#lib/pages/paths.ts'
import type { WebhookState } from '#lib/payments/transactions/transaction-status.ts'
import type { DeliveryFilter } from '#lib/schemas/page-address.ts'
import type { DeliveryRow } from '#server/webhooks/history-store.ts'
import { diagnosisText } from './attempt-card.tsx'

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

const TONES: Readonly<Record<WebhookState, Tone>> = { delivered: 'ok', due: 'run', exhausted: 'bad' }

type DeliveryStateProps = { t: Translate; state: WebhookState; isInProgress: boolean; hasFailed: boolean; nextAt: Date | null }

/** The state of a delivery. One that failed and will be repeated is not like one that is new: it is amber, with its next attempt. */
export function DeliveryState({ t, state, isInProgress, hasFailed, nextAt }: DeliveryStateProps) {
  if (state !== 'due' || isInProgress || !hasFailed)
    return (
      <Badge tone={TONES[state]} hasDot>
        {t(isInProgress ? 'webhooks.inProgress' : `webhooks.stateIs.${state}`)}
      </Badge>
    )
  return (
    <>
      <Badge tone="wait" hasDot>
        {t('webhooks.retrying')}
      </Badge>
      {nextAt && (
        <span className="block text-second text-quiet">
          {t('webhooks.nextAt')} <TimeText at={nextAt.toISOString()} style="time-seconds" />
        </span>
      )}
    </>
  )
}

type Props = {
  t: Translate
  locale: Locale
  application: string
  filter: DeliveryFilter
  rows: readonly DeliveryRow[]
  hasMore: boolean
}

/** A page of deliveries: what was sent to whom, and why the last attempt ended as it did. */
export function DeliveryTable({ t, locale, application, filter, rows, hasMore }: Props) {
  const last = rows.at(-1)
  if (!last) return <EmptyState title={t('webhooks.none')} text={t('webhooks.noneText')} />
  return (
    <>
      <TableCard label={t('webhooks.deliveries')} className="mt-4">
        <Table
          caption={t('webhooks.deliveries')}
          isList
          head={
            <>
              <Th>{t('webhooks.event')}</Th>
              <Th>{t('webhooks.receiver')}</Th>
              <Th>{t('webhooks.state')}</Th>
              <Th>{t('webhooks.lastAttempt')}</Th>
            </>
          }
        >
          {rows.map((row) => (
            <DeliveryLine key={row.transactionId} t={t} locale={locale} application={application} row={row} />
          ))}
        </Table>
      </TableCard>
      {(hasMore || filter.before !== null) && (
        <nav aria-label={t('webhooks.pages')} className="no-print mt-3 flex gap-2">
          {filter.before !== null && (
            <ButtonLink href={paths.webhooks(application, { ...filter, before: null })}>{t('webhooks.newest')}</ButtonLink>
          )}
          {hasMore && (
            <ButtonLink href={paths.webhooks(application, { ...filter, before: last.transactionId })}>{t('webhooks.older')}</ButtonLink>
          )}
        </nav>
      )}
    </>
  )
}

function DeliveryLine({ t, locale, application, row }: Pick<Props, 't' | 'locale' | 'application'> & { row: DeliveryRow }) {
  const { transactionId, externalId, status, url, state, attempts, createdAt, outcome, startedAt, isInProgress, nextAt } = row
  return (
    <Tr>
      <Td className="@max-[560px]/card:basis-full">
        <Link href={paths.webhook(application, transactionId)} className="font-medium whitespace-nowrap text-accent underline">
          {status} · <TimeText at={createdAt.toISOString()} />
        </Link>
        <span className="block text-second text-quiet md:whitespace-nowrap">{externalId}</span>
      </Td>
      <Td>
        <span className="block min-w-52 wrap-anywhere lg:min-w-80 @max-[560px]/card:min-w-0">{url}</span>
      </Td>
      <Td>
        <DeliveryState
          t={t}
          state={state}
          isInProgress={isInProgress}
          hasFailed={outcome !== null && outcome !== 'delivered'}
          nextAt={nextAt}
        />
        <span className="block text-second text-quiet">{t('webhooks.attempts', { count: attempts })}</span>
      </Td>
      <Td className="w-full min-w-56 @max-[560px]/card:min-w-0">
        {outcome === null ? (
          <span className="text-quiet">{t(isInProgress ? 'webhooks.inProgress' : 'webhooks.noAttempt')}</span>
        ) : (
          <>
            {diagnosisText(t, locale, { ...row, outcome, durationMs: row.durationMs ?? 0 })}
            {startedAt && <TimeText at={startedAt.toISOString()} className="block text-second text-quiet" />}
          </>
        )}
      </Td>
    </Tr>
  )
}
