import { RelativeTime } from '#components/domain/time-text.tsx'
import { Notice } from '#components/ui/display/empty-state.tsx'
import { type Column, ListTable } from '#components/ui/display/table.tsx'
import { Link } from '#components/ui/link.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import { listBehindWebhooks } from '#lib/finance/finance-address.ts'
import type { AdministratorOverview, WebhookHealthDto } from '#lib/finance/finance-dto.ts'
import { paths } from '#lib/pages/paths.ts'
import { WEBHOOK_STATES, type WebhookState } from '#lib/payments/transactions/transaction-status.ts'
import { formatCount, formatShare } from '#lib/text/format.ts'
import type { DayRange } from '#lib/time/time.ts'
import { DaysBack, HealthTable } from './operator-health.tsx'
import { MainFigure, OverviewPart } from './overview-part.tsx'

type Props = { application: string; days: number; range: DayRange; health: AdministratorOverview; hasDays: boolean }

/** Whether operators and receivers work. `hasDays`: the choice of days is not on the page yet. */
export function AdministratorPart({ application, days, range: { from, to }, health, hasDays }: Props) {
  const { t, locale } = useTranslations()
  const { share, operators, webhooks, blocked } = health
  return (
    <>
      {blocked > 0 && (
        <Notice
          tone="wait"
          action={
            <Link href={paths.rules(application)} className="underline">
              {t('overview.blockedLink')}
            </Link>
          }
        >
          {t('overview.blocked', { count: blocked })}
        </Notice>
      )}
      <OverviewPart title={t('overview.operators')} aside={hasDays && <DaysBack application={application} days={days} />}>
        {share !== null && (
          <MainFigure
            value={formatShare(share, locale)}
            words={t('overview.succeeded', { days })}
            href={paths.transactions(application, { status: ['SUCCESS', 'FAILED'], from, to })}
          />
        )}
        <HealthTable application={application} operators={operators} range={{ from, to }} />
      </OverviewPart>
      <WebhookSection application={application} webhooks={webhooks} />
    </>
  )
}

/** The colour of a figure above zero. */
const TONES: Record<WebhookState, string> = { delivered: '', due: '', exhausted: 'text-bad' }

/** Webhooks of the last 24 hours by state, and the receivers with undelivered ones. */
function WebhookSection({ application, webhooks }: { application: string; webhooks: WebhookHealthDto }) {
  const { t } = useTranslations()
  const isQuiet = WEBHOOK_STATES.every((state) => webhooks[state] === 0)
  return (
    <section aria-labelledby="webhooks">
      <h2 id="webhooks" className="text-amount font-strong">
        {t('overview.webhooks')}
      </h2>
      {isQuiet ? (
        <p className="text-ink-2">{t('overview.webhooksNone')}</p>
      ) : (
        <ul className="mt-1 flex flex-wrap gap-x-6 tabular">
          {WEBHOOK_STATES.map((state) => (
            <li key={state}>
              <Figure application={application} webhooks={webhooks} state={state} count={webhooks[state]}>
                {' '}
                <span className="font-regular text-ink-2">{t(`overview.webhook.${state}`, { count: webhooks[state] })}</span>
              </Figure>
            </li>
          ))}
        </ul>
      )}
      {webhooks.worst.length > 0 && <Worst application={application} webhooks={webhooks} />}
    </section>
  )
}

function Worst({ application, webhooks }: { application: string; webhooks: WebhookHealthDto }) {
  const { t } = useTranslations()
  return (
    <ListTable
      label={t('overview.worst')}
      className="mt-2"
      rows={webhooks.worst}
      keyOf={({ target }) => target}
      columns={[
        { head: t('overview.target'), cellClass: 'break-all', cell: ({ target }) => target },
        ...WEBHOOK_STATES.map(
          (state): Column<WebhookHealthDto['worst'][number]> => ({
            head: t(`overview.webhookHead.${state}`),
            align: 'end',
            className: state === 'delivered' ? 'max-sm:hidden' : '',
            cell: ({ target, [state]: count }) => (
              <Figure application={application} webhooks={webhooks} state={state} count={count} target={target}>
                <span className="sr-only">
                  {' '}
                  {t(`overview.webhook.${state}`, { count })}, {target}
                </span>
              </Figure>
            ),
          }),
        ),
        {
          head: t('overview.lastDelivered'),
          align: 'end',
          className: 'max-sm:hidden',
          cell: ({ lastDeliveredAt }) =>
            lastDeliveredAt === null ? (
              <span className="text-quiet">{t('overview.noneDelivered')}</span>
            ) : (
              <RelativeTime at={lastDeliveredAt} />
            ),
        },
      ]}
    />
  )
}

type FigureProps = {
  application: string
  webhooks: WebhookHealthDto
  state: WebhookState
  count: number
  target?: string
  children: React.ReactNode
}

/** A number of transactions that links to their list. */
function Figure({ application, webhooks, state, count, target, children }: FigureProps) {
  const { locale } = useTranslations()
  if (count === 0) return <span className="inline-block py-0.5 text-quiet">{target === undefined ? <>0{children}</> : 0}</span>
  return (
    <Link
      href={paths.transactions(application, listBehindWebhooks(webhooks, state, target))}
      className={`inline-block py-0.5 font-strong hover:underline ${TONES[state]}`}
    >
      {formatCount(count, locale)}
      {children}
    </Link>
  )
}
