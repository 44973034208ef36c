import { notFound } from 'next/navigation'
import { z } from 'zod'
import { ButtonLink } from '#components/ui/button.tsx'
import { PageHeader } from '#components/ui/display/page.tsx'
import { PageLinks } from '#components/ui/display/page-links.tsx'
import { BENEFICIARY_PAGE_SIZE } from '#lib/beneficiaries/beneficiaries.ts'
import { paths } from '#lib/pages/paths.ts'
import { importedPeopleSchema } from '#lib/schemas/beneficiary.ts'
import { readAddress } from '#lib/schemas/read-address.ts'
import { requireActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT, readLocale } from '#server/back-office/preferences.ts'
import { readImportedPeople } from '#server/changes/imported-people.ts'
import { listChanges } from '#server/changes/list-changes.ts'
import { ChangeList } from '../../../_components/changes/change-list.tsx'
import { PageContent, type PageProps, titled } from '../../../_components/page-content.tsx'
import { ImportedTable } from '../../_components/imported-table.tsx'

export const generateMetadata = titled('beneficiaries.import.peopleTitle')

/** Everybody in a change by a file, and the decision about it. */
export default async function ImportedPage({ params, searchParams }: PageProps<'changeId'>) {
  const { application, changeId } = await params
  const actor = await requireActor(application, 'beneficiary:read')
  if (!z.uuid().safeParse(changeId).success) notFound()
  const address = readAddress(importedPeopleSchema, await searchParams)
  const page = address.ok ? address.value.page : 0
  const { pool } = backOfficeRuntime()
  const { applicationId } = actor
  const [t, locale, people, { changes }] = await Promise.all([
    getT(),
    readLocale(),
    readImportedPeople(pool, applicationId, changeId),
    listChanges(pool, { applicationId, kinds: ['beneficiary.import'], actor }),
  ])
  if (!people) notFound()
  return (
    <PageContent words={['change.']}>
      <PageHeader
        title={t('beneficiaries.import.peopleTitle')}
        actions={<ButtonLink href={paths.beneficiaries(application)}>{t('beneficiaries.import.toBook')}</ButtonLink>}
      />
      <ChangeList t={t} locale={locale} application={application} changes={changes.filter((one) => one.changeId === changeId)} isPage />
      <div className="mt-4 grid grid-cols-1 gap-4">
        <ImportedTable t={t} people={people.slice(page * BENEFICIARY_PAGE_SIZE, (page + 1) * BENEFICIARY_PAGE_SIZE)} />
        <PageLinks
          t={t}
          locale={locale}
          page={page}
          size={BENEFICIARY_PAGE_SIZE}
          total={people.length}
          hrefFor={(other) => paths.importedBeneficiaries(application, changeId, { page: other || null })}
        />
      </div>
    </PageContent>
  )
}
