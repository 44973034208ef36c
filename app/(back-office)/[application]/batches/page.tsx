import { Button, ButtonLink } from '#components/ui/button.tsx'
import { EmptyState } from '#components/ui/display/empty-state.tsx'
import { PageHeader } from '#components/ui/display/page.tsx'
import { PageLinks } from '#components/ui/display/page-links.tsx'
import { Select, TextField } from '#components/ui/field.tsx'
import { Link } from '#components/ui/link.tsx'
import { BATCH_STAGES } from '#lib/batches/batch-stage.ts'
import { BATCH_PAGE_SIZE } from '#lib/batches/batches.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { paths } from '#lib/pages/paths.ts'
import { can } from '#lib/people/permissions.ts'
import { type BatchListFilter, batchListSchema } from '#lib/schemas/page-address.ts'
import { readAddress } from '#lib/schemas/read-address.ts'
import { requireActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT, readLocale } from '#server/back-office/preferences.ts'
import { listBatches } from '#server/reports/batches/read-batch.ts'
import { PageContent, type PageProps, titled } from '../_components/page-content.tsx'
import { BatchTable } from './_components/batch-table.tsx'

export const generateMetadata = titled('frame.batches')

/** The batches of an application, newest first. */
export default async function BatchesPage({ params, searchParams }: PageProps) {
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
    <PageContent words={['batches.']}>
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
    </PageContent>
  )
}

/** A plain form: the address holds the filter. */
function BatchFilters({ t, application, filter }: { t: Translate; application: string; filter: BatchListFilter }) {
  return (
    <form method="get" action={paths.batches(application)} className="no-print flex flex-wrap items-end gap-3">
      <div className="min-w-48 flex-1 basis-64 sm:max-w-md">
        <TextField id="batch-q" name="q" type="search" label={t('batches.find')} defaultValue={filter.q ?? ''} maxLength={200} />
      </div>
      <div className="min-w-40">
        <Select id="batch-state" name="state" label={t('batches.state')} defaultValue={filter.state ?? ''}>
          <option value="">{t('batches.anyState')}</option>
          {BATCH_STAGES.map((stage) => (
            <option key={stage} value={stage}>
              {t(`batches.stage.${stage}`)}
            </option>
          ))}
        </Select>
      </div>
      <Button type="submit">{t('ui.apply')}</Button>
      {(filter.q || filter.state) && (
        <Link href={paths.batches(application)} className="py-1 text-accent hover:underline">
          {t('ui.clear')}
        </Link>
      )}
    </form>
  )
}
