import type { Metadata } from 'next'
import { z } from 'zod'
import { DaysNote } from '#components/domain/days-note.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { PageMessages } from '#components/ui/translations.tsx'
import { formatCount } from '#lib/format.ts'
import { MESSAGES } from '#lib/i18n/messages.ts'
import { pickMessages } from '#lib/i18n/translate.ts'
import { OUTCOME_DAYS } from '#lib/operator-outcomes.ts'
import { OPERATOR_CODES } from '#lib/operators.ts'
import { paths } from '#lib/paths.ts'
import { readAddress } from '#lib/schemas/read-address.ts'
import { requireActor } from '#server/back-office/actor.ts'
import { getT, readLocale } from '#server/back-office/preferences.ts'
import { RESPONSE_SAMPLE } from '#server/reports/operator-outcomes/read-operator-outcomes.ts'
import { WrongAddress } from '../_components/wrong-address.tsx'
import { BalanceTable } from './_components/balance-table.tsx'
import { DayTable } from './_components/day-table.tsx'
import { OutcomeTable } from './_components/outcome-table.tsx'
import { readOperators } from './read-operators.ts'

const addressSchema = z.object({ operator: z.enum(OPERATOR_CODES).nullable().default(null) })

type Props = { params: Promise<{ application: string }>; searchParams: Promise<Record<string, string | string[] | undefined>> }

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getT())('operators.title') }
}

/** Whether the operators work for this application, what their balances are, and a test that moves no money. */
export default async function OperatorsPage({ params, searchParams }: Props) {
  const { application } = await params
  const actor = await requireActor(application, 'operator:read')
  const read = readAddress(addressSchema, await searchParams)
  if (!read.ok) return <WrongAddress href={paths.operators(application)} />
  const [t, locale, operators] = await Promise.all([getT(), readLocale(), readOperators(actor)])
  const chosen = read.value.operator
  return (
    <PageMessages messages={pickMessages(MESSAGES[locale], ['operators.'])}>
      <PageHeader title={t('operators.title')} lead={t('operators.lead', { days: OUTCOME_DAYS })} />
      <div className="mt-6">
        <h2 id="outcomes">{t('operators.outcomes')}</h2>
        <OutcomeTable t={t} locale={locale} application={application} directions={operators.directions} />
        <p className="mt-2 text-second text-quiet">
          {t('operators.stateHint')} {t('operators.sampleNote', { count: formatCount(RESPONSE_SAMPLE, locale) })}
        </p>
      </div>
      {chosen && <DayTable t={t} locale={locale} application={application} operator={chosen} directions={operators.directions} />}
      <div className="mt-6">
        <h2 id="balances">{t('operators.balances')}</h2>
        <p className="mt-1 text-second text-quiet">
          {t('operators.balancesNote')} {t('operators.testNote')}
        </p>
        <BalanceTable t={t} application={application} balances={operators.balances} />
      </div>
      <p className="mt-3 text-second">
        <DaysNote zone={actor.businessZone} />
      </p>
    </PageMessages>
  )
}
