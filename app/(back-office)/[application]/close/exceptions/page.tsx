import { Button } from '#components/ui/button.tsx'
import { EmptyState } from '#components/ui/display/empty-state.tsx'
import { PageHeader } from '#components/ui/display/page.tsx'
import { Select } from '#components/ui/field.tsx'
import { Link } from '#components/ui/link.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import { paths } from '#lib/pages/paths.ts'
import { can } from '#lib/people/permissions.ts'
import { EXCEPTION_AGES } from '#lib/reconciliation/exceptions.ts'
import { walletText } from '#lib/reconciliation/wallet-words.ts'
import { WALLETS } from '#lib/reconciliation/wallets.ts'
import { type ExceptionFilter, exceptionFilterSchema } from '#lib/schemas/exceptions.ts'
import { readAddress } from '#lib/schemas/read-address.ts'
import { requireInstaller } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT } from '#server/back-office/preferences.ts'
import { listActiveMembers } from '#server/people/person-store.ts'
import { EXCEPTION_PAGE_SIZE, listExceptions } from '#server/reconciliation/exceptions/list-exceptions.ts'
import { PageContent, type PageProps, titled } from '../../_components/page-content.tsx'
import { WrongAddress } from '../../_components/wrong-address.tsx'
import { CloseTabs } from '../_components/close-tabs.tsx'
import { ExceptionList } from './_components/exception-list.tsx'

export const generateMetadata = titled('close.exceptions')

/** Lists the exceptions that a person has to clear up, the gravest and oldest first: by state, owner, age and wallet. */
export default async function ExceptionsPage({ params, searchParams }: PageProps) {
  const { application } = await params
  const actor = await requireInstaller(application, 'reconciliation:read')
  const read = readAddress(exceptionFilterSchema, await searchParams)
  if (!read.ok) return <WrongAddress href={paths.exceptions(application)} />
  const filter = read.value
  const { pool, clock } = backOfficeRuntime()
  const { applicationId } = actor
  const [t, { rows, total }, members] = await Promise.all([
    getT(),
    listExceptions(pool, { applicationId, viewerId: actor.id, filter, now: clock.now() }),
    listActiveMembers(pool, applicationId),
  ])
  const { page, state, ...others } = filter
  const query = { ...others, state: state === 'open' ? null : state }
  return (
    <PageContent words={['close.', 'exceptions.', 'table.', 'change.', 'funding.']}>
      <PageHeader title={t('frame.close')} lead={t('exceptions.count', { count: total })} />
      <CloseTabs t={t} application={application} current="exceptions" />
      <Filters t={t} application={application} filter={filter} members={members.filter(({ roles }) => can(roles, 'reconciliation:work'))} />
      {rows.length === 0 ? (
        <EmptyState icon="shield" title={t('exceptions.none')} text={t('exceptions.noneText')} />
      ) : (
        <ExceptionList
          application={application}
          rows={rows}
          total={total}
          page={page}
          size={EXCEPTION_PAGE_SIZE}
          query={query}
          mayWork={can(actor.roles, 'reconciliation:work')}
          mayAdjust={state === 'open' && can(actor.roles, 'adjustment:propose')}
        />
      )}
    </PageContent>
  )
}

type FiltersProps = {
  t: Translate
  application: string
  filter: ExceptionFilter
  members: readonly { personId: string; name: string }[]
}

/** The filters as a form that needs no script: its fields become the address. */
function Filters({ t, application, filter: { state, owner, days, wallet }, members }: FiltersProps) {
  const isFiltered = state !== 'open' || owner !== null || days !== null || wallet !== null
  return (
    <form action={paths.exceptions(application)} className="no-print mt-5 flex flex-wrap items-end gap-3">
      <div className="w-36 max-sm:w-[calc(50%-0.375rem)]">
        <Select id="filter-state" name="state" label={t('exceptions.state')} defaultValue={state}>
          <option value="open">{t('exceptions.filter.open')}</option>
          <option value="closed">{t('exceptions.filter.closed')}</option>
        </Select>
      </div>
      <div className="w-48 max-sm:w-[calc(50%-0.375rem)]">
        <Select id="filter-owner" name="owner" label={t('exceptions.owner')} defaultValue={owner ?? ''}>
          <option value="">{t('exceptions.filter.anybody')}</option>
          <option value="me">{t('exceptions.filter.me')}</option>
          <option value="nobody">{t('exceptions.filter.nobody')}</option>
          {members.map(({ personId, name }) => (
            <option key={personId} value={personId}>
              {name}
            </option>
          ))}
        </Select>
      </div>
      <div className="w-40 max-sm:w-[calc(50%-0.375rem)]">
        <Select id="filter-days" name="days" label={t('exceptions.age')} defaultValue={days ?? ''}>
          <option value="">{t('exceptions.filter.anyAge')}</option>
          {EXCEPTION_AGES.map((each) => (
            <option key={each} value={each}>
              {t('exceptions.filter.days', { days: each })}
            </option>
          ))}
        </Select>
      </div>
      <div className="w-56 max-sm:w-[calc(50%-0.375rem)]">
        <Select id="filter-wallet" name="wallet" label={t('close.wallet')} defaultValue={wallet ?? ''}>
          <option value="">{t('exceptions.filter.anyWallet')}</option>
          {WALLETS.map(({ wallet: each }) => (
            <option key={each} value={each}>
              {walletText(t, each)}
            </option>
          ))}
        </Select>
      </div>
      <Button type="submit">{t('ui.apply')}</Button>
      {isFiltered && (
        <Link href={paths.exceptions(application)} className="py-1.5 text-accent underline">
          {t('ui.clear')}
        </Link>
      )}
    </form>
  )
}
