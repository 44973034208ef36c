import type { Metadata } from 'next'
import { Notice } from '#components/ui/empty-state.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { PageMessages } from '#components/ui/translations.tsx'
import { MESSAGES } from '#lib/i18n/messages.ts'
import { pickMessages } from '#lib/i18n/translate.ts'
import { can } from '#lib/permissions.ts'
import { requireActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT, readLocale } from '#server/back-office/preferences.ts'
import { listChanges } from '#server/changes/list-changes.ts'
import { listActiveMembers } from '#server/people/person-queries.ts'
import { ChangeList } from '../_components/changes/change-list.tsx'
import { SettingsPart } from './_components/settings-part.tsx'
import { TermsTable } from './_components/terms-table.tsx'
import { readPageTerms } from './read-page-terms.ts'

const KINDS = ['application.set', 'time_zone.set', 'service.set', 'fees.set'] as const

type Props = { params: Promise<{ application: string }> }

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getT())('terms.title') }
}

/** The terms of an application: its settings, transfer services, limits and fees. Every change waits for a second administrator. */
export default async function ApplicationPage({ params }: Props) {
  const { application } = await params
  const actor = await requireActor(application, 'access:change')
  const { pool } = backOfficeRuntime()
  const { applicationId } = actor
  const [t, locale, terms, changes, members] = await Promise.all([
    getT(),
    readLocale(),
    readPageTerms(pool, applicationId),
    listChanges(pool, { applicationId, kinds: KINDS, actor }),
    listActiveMembers(pool, applicationId),
  ])
  const isAlone = !members.some(({ personId, roles }) => personId !== actor.id && can(roles, 'access:change'))
  return (
    <PageMessages messages={pickMessages(MESSAGES[locale], ['terms.', 'change.'])}>
      <PageHeader title={t('terms.title')} lead={t('terms.lead', { name: terms.settings.name })} />
      {isAlone && (
        <div className="mt-4">
          <Notice>{t('terms.alone')}</Notice>
        </div>
      )}
      <ChangeList t={t} locale={locale} application={application} changes={changes} />
      <SettingsPart t={t} application={application} settings={terms.settings} zone={terms.zone} mayChange={!isAlone} />
      <TermsTable application={application} services={terms.services} mayChange={!isAlone} />
    </PageMessages>
  )
}
