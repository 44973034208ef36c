import type { Metadata } from 'next'
import { redirect } from 'next/navigation'
import { SearchForm } from '#components/frame/top-bar.tsx'
import { ButtonLink } from '#components/ui/button.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import { paths } from '#lib/paths.ts'
import { requireActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT } from '#server/back-office/preferences.ts'
import { listFilterOf, resolveSearch } from '#server/reports/transaction-search/resolve-search.ts'

type Props = { params: Promise<{ application: string }>; searchParams: Promise<{ q?: string | string[] }> }

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getT())('search.title') }
}

/** The target of the search box: redirects to the result, or renders this page if nothing matches. */
export default async function SearchPage({ params, searchParams }: Props) {
  const [{ application }, { q }, t] = await Promise.all([params, searchParams, getT()])
  const actor = await requireActor(application, 'transaction:read')
  const text = (typeof q === 'string' ? q : '').slice(0, 200).toWellFormed()
  const target = await resolveSearch(backOfficeRuntime().pool, actor.applicationId, text)
  switch (target?.kind) {
    case 'transaction':
      return redirect(paths.transaction(application, target.transactionId))
    case 'batch':
      return redirect(paths.transactions(application, { batch: target.batchId }))
    case 'phone':
      return redirect(paths.transactions(application, { phone: target.phoneNumber }))
    case undefined:
      return (
        <>
          <PageHeader title={t('search.title')} lead={text === '' ? t('search.empty') : undefined} />
          <div className="mt-4 max-w-md">
            <SearchForm t={t} application={application} id="search-page-box" value={text} />
          </div>
          {text !== '' && <NothingFound t={t} application={application} text={text} />}
        </>
      )
  }
}

/** The text is not an id: links to the list, which searches parts of phone numbers and names. */
function NothingFound({ t, application, text }: { t: Translate; application: string; text: string }) {
  const filter = listFilterOf(text)
  const [name, value] = filter.phone === undefined ? (['search.byName', filter.name] as const) : (['search.byPhone', filter.phone] as const)
  return (
    <EmptyState
      icon="search"
      title={t('search.none', { text })}
      action={value && <ButtonLink href={paths.transactions(application, filter)}>{t(name, { text: value })}</ButtonLink>}
    />
  )
}
