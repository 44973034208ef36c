import { redirect } from 'next/navigation'
import { SuggestionLine } from '#components/domain/suggestion-line.tsx'
import { SearchForm } from '#components/frame/top-bar.tsx'
import { ButtonLink } from '#components/ui/button.tsx'
import { EmptyState } from '#components/ui/display/empty-state.tsx'
import { PageHeader } from '#components/ui/display/page.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import { paths } from '#lib/pages/paths.ts'
import { type SearchSuggestion, suggestionAddress, suggestionKey } from '#lib/payments/search-suggestion.ts'
import { requireActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT } from '#server/back-office/preferences.ts'
import { suggestMatches } from '#server/reports/customers/customers.ts'
import { listFilterOf, resolveSearch } from '#server/reports/transaction-search/resolve-search.ts'
import { type PageProps, titled } from '../_components/page-content.tsx'

/** The maximum number of matches per kind. */
const MATCHES_MAX = 20

export const generateMetadata = titled('search.title')

/** The target of the search box: redirects to the result, or renders this page if nothing matches. */
export default async function SearchPage({ params, searchParams }: PageProps) {
  const [{ application }, { q }, t] = await Promise.all([params, searchParams, getT()])
  const actor = await requireActor(application, 'transaction:read')
  const text = (typeof q === 'string' ? q : '').slice(0, 200).toWellFormed()
  const target = await resolveSearch(backOfficeRuntime().pool, actor.applicationId, text)
  switch (target?.kind) {
    case 'transaction':
      return redirect(paths.transaction(application, target.transactionId))
    case 'batch':
      return redirect(
        target.hasPage ? paths.batch(application, target.batchId) : paths.transactions(application, { batch: target.batchId }),
      )
    case 'phone':
      return redirect(paths.transactions(application, { phone: target.phoneNumber }))
    case undefined:
      return (
        <>
          <PageHeader title={t('search.title')} lead={text === '' ? t('search.empty') : undefined} />
          <div className="mt-4 max-w-md">
            <SearchForm t={t} application={application} id="search-page-box" value={text} />
          </div>
          <Matches t={t} application={application} text={text} matches={await readMatches(actor.applicationId, text)} />
        </>
      )
  }
}

function readMatches(applicationId: string, text: string): Promise<SearchSuggestion[]> {
  return suggestMatches(backOfficeRuntime().reportPool, applicationId, text, MATCHES_MAX)
}

/** The matches that begin with the text, and a link to the list, which also finds parts of names. */
function Matches({ t, application, text, matches }: { t: Translate; application: string; text: string; matches: SearchSuggestion[] }) {
  if (text === '') return null
  const filter = listFilterOf(text)
  const [name, value] = filter.phone === undefined ? (['search.byName', filter.name] as const) : (['search.byPhone', filter.phone] as const)
  const list = value && <ButtonLink href={paths.transactions(application, filter)}>{t(name, { text: value })}</ButtonLink>
  if (matches.length === 0) return <EmptyState icon="search" title={t('search.none', { text })} action={list} />
  return (
    <div className="mt-4 grid max-w-2xl justify-items-start gap-4">
      <ul aria-label={t('search.title')} className="w-full divide-y divide-line rounded-lg border border-line bg-surface">
        {matches.map((match) => (
          <li key={suggestionKey(match)} className="relative px-3 py-2 hover:bg-sunken">
            <a href={suggestionAddress(application, match)} className="stretched block">
              <SuggestionLine suggestion={match} />
            </a>
          </li>
        ))}
      </ul>
      {list}
    </div>
  )
}
