'use client'

import { Notice } from '#components/ui/empty-state.tsx'
import { Link } from '#components/ui/link.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import type { AdministratorOverview } from '#lib/finance-dto.ts'
import { formatShare } from '#lib/format.ts'
import { paths } from '#lib/paths.ts'
import type { DayRange } from '#lib/time.ts'
import { DaysBack, HealthTable } from './operator-health.tsx'
import { MainFigure, OverviewPart } from './overview-part.tsx'
import { WebhookSection } from './webhook-section.tsx'

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
