import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { z } from 'zod'
import { DaysNote } from '#components/domain/days-note.tsx'
import { Link } from '#components/ui/link.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { PageMessages } from '#components/ui/translations.tsx'
import { MESSAGES } from '#lib/i18n/messages.ts'
import { pickMessages } from '#lib/i18n/translate.ts'
import { HISTORY_PERIODS } from '#lib/operator-outcomes.ts'
import { isOperatorCode, OPERATORS } from '#lib/operators.ts'
import { paths } from '#lib/paths.ts'
import { can } from '#lib/permissions.ts'
import { readAddress } from '#lib/schemas/read-address.ts'
import { requireActor } from '#server/back-office/actor.ts'
import { getT, readLocale } from '#server/back-office/preferences.ts'
import { ChangeList } from '../../_components/changes/change-list.tsx'
import { WrongAddress } from '../../_components/wrong-address.tsx'
import { SettingsDifference } from '../_components/settings-difference.tsx'
import { DisturbanceList } from './_components/disturbance-list.tsx'
import { HistoryPart } from './_components/history-part.tsx'
import { NowPart } from './_components/now-part.tsx'
import { SettingsPart } from './_components/settings-part.tsx'
import { readOneOperator } from './read-one-operator.ts'

const addressSchema = z.object({ period: z.enum(HISTORY_PERIODS).default('hours') })

type Props = {
  params: Promise<{ application: string; operator: string }>
  searchParams: Promise<Record<string, string | string[] | undefined>>
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { operator } = await params
  const t = await getT()
  if (!isOperatorCode(operator)) return { title: t('operators.title') }
  const { brand, country } = OPERATORS[operator]
  return { title: `${brand} ${t(`country.${country.name}`)}` }
}

/** One operator: whether it works now, what became of its transactions over time, and how it is reached. */
export default async function OperatorPage({ params, searchParams }: Props) {
  const { application, operator } = await params
  const actor = await requireActor(application, 'operator:read')
  if (!isOperatorCode(operator)) notFound()
  const read = readAddress(addressSchema, await searchParams)
  if (!read.ok) return <WrongAddress href={paths.operator(application, operator)} />
  const [t, locale, found] = await Promise.all([getT(), readLocale(), readOneOperator(actor, operator)])
  const { directions, history, settings, changes } = found
  const timeZone = actor.timeZone ?? actor.businessZone
  const { brand, country } = OPERATORS[operator]
  const words = { t, locale, timeZone }
  return (
    <PageMessages messages={pickMessages(MESSAGES[locale], ['operators.', 'availability.', 'change.'])}>
      <PageHeader
        title={`${brand} ${t(`country.${country.name}`)}`}
        lead={
          <Link href={paths.operators(application)} className="inline-block py-0.5 underline">
            {t('operators.all')}
          </Link>
        }
      />
      <ChangeList
        t={t}
        locale={locale}
        application={application}
        changes={changes}
        differenceOf={(change) => <SettingsDifference t={t} change={change} />}
      />
      <NowPart
        words={words}
        application={application}
        operator={operator}
        directions={directions}
        history={history}
        mayConfigure={settings !== null && can(actor.roles, 'operator:configure')}
      />
      <HistoryPart words={words} application={application} operator={operator} period={read.value.period} history={history} />
      <DisturbanceList t={t} history={history} />
      <SettingsPart
        t={t}
        application={application}
        settings={settings}
        isAlone={found.isAlone}
        isReachable={directions.some(({ protocol }) => protocol !== null)}
        mayConfigure={can(actor.roles, 'operator:configure')}
      />
      <p className="mt-3 text-second">
        <DaysNote zone={actor.businessZone} />
      </p>
    </PageMessages>
  )
}
