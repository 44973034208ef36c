import type { Metadata } from 'next'
import { ButtonLink } from '#components/ui/button.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { PageMessages } from '#components/ui/translations.tsx'
import { BATCH_PAGE_SIZE } from '#lib/batch-dto.ts'
import { MESSAGES } from '#lib/i18n/messages.ts'
import { pickMessages } from '#lib/i18n/translate.ts'
import { paths } from '#lib/paths.ts'
import { can } from '#lib/permissions.ts'
import { batchListSchema } from '#lib/schemas/batch-address.ts'
import { readAddress } from '#lib/schemas/read-address.ts'
import { requireActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT, readLocale } from '#server/back-office/preferences.ts'
import { listBatches } from '#server/reports/batches/list-batches.ts'
import { BatchFilters } from './_components/batch-filters.tsx'
import { BatchTable } from './_components/batch-table.tsx'
import { PageLinks } from './_components/page-links.tsx'

type Props = { params: Promise<{ application: string }>; searchParams: Promise<Record<string, string | string[] | undefined>> }

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getT())('frame.batches') }
}

/** The batches of an application, newest first. */
export default async function BatchesPage({ params, searchParams }: Props) {
  const { application } = await params
  const actor = await requireActor(application, 'batch:read')
  const address = readAddress(batchListSchema, await searchParams)
  const filter = address.ok ? address.value : batchListSchema.parse({})
  const [t, locale, { batches, total }] = await Promise.all([
    getT(),
    readLocale(),
    listBatches(backOfficeRuntime().pool, actor.applicationId, filter),
  ])
  const isFiltered = filter.q !== undefined || filter.state !== undefined
  return (
    <PageMessages messages={pickMessages(MESSAGES[locale], ['batches.'])}>
      <PageHeader
        title={t('frame.batches')}
        actions={
          can(actor.roles, 'transaction:create') && (
            <ButtonLink variant="primary" href={paths.newBatch(application)}>
              {t('batches.new')}
            </ButtonLink>
          )
        }
      />
      <div className="mt-4 grid grid-cols-1 gap-4">
        <BatchFilters t={t} application={application} filter={filter} />
        {batches.length === 0 ? (
          <EmptyState
            icon="file"
            title={t(isFiltered ? 'batches.noMatch' : 'batches.none')}
            text={isFiltered ? undefined : t('batches.noneText')}
          />
        ) : (
          <BatchTable t={t} locale={locale} application={application} batches={batches} />
        )}
        <PageLinks
          t={t}
          locale={locale}
          page={filter.page}
          size={BATCH_PAGE_SIZE}
          total={total}
          hrefFor={(page) => paths.batches(application, { q: filter.q, state: filter.state, page: page || null })}
        />
      </div>
    </PageMessages>
  )
}
