import { Button, ButtonLink } from '#components/ui/button.tsx'
import { EmptyState } from '#components/ui/display/empty-state.tsx'
import { PageHeader } from '#components/ui/display/page.tsx'
import { PageLinks } from '#components/ui/display/page-links.tsx'
import { Select, TextField } from '#components/ui/field.tsx'
import { Link } from '#components/ui/link.tsx'
import { BENEFICIARY_CHANGES } from '#lib/approvals/proposed-change.ts'
import { BENEFICIARY_PAGE_SIZE, type BeneficiaryGroup } from '#lib/beneficiaries/beneficiaries.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { paths } from '#lib/pages/paths.ts'
import { can } from '#lib/people/permissions.ts'
import { type BeneficiaryListFilter, beneficiaryListSchema } from '#lib/schemas/beneficiary.ts'
import { readAddress } from '#lib/schemas/read-address.ts'
import { requireActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT, readLocale } from '#server/back-office/preferences.ts'
import { listGroups } from '#server/beneficiaries/beneficiary-store.ts'
import { listBeneficiaries } from '#server/beneficiaries/list-beneficiaries.ts'
import { listPaymentSchedules } from '#server/beneficiaries/schedules.ts'
import { listChanges } from '#server/changes/list-changes.ts'
import { ChangeList } from '../_components/changes/change-list.tsx'
import { ConfirmationNotice } from '../_components/changes/confirmation-notice.tsx'
import { PageContent, type PageProps, titled } from '../_components/page-content.tsx'
import { AddButton, PayGroupButton } from './_components/beneficiary-buttons.tsx'
import { BeneficiaryTable } from './_components/beneficiary-table.tsx'
import { BookDifference } from './_components/book-difference.tsx'
import { ScheduleSection } from './_components/schedule-section.tsx'

export const generateMetadata = titled('frame.beneficiaries')

/** The book of the people whom the application pays, and what waits for a second person. */
export default async function BeneficiariesPage({ params, searchParams }: PageProps) {
  const { application } = await params
  const actor = await requireActor(application, 'beneficiary:read')
  const address = readAddress(beneficiaryListSchema, await searchParams)
  const filter = address.ok ? address.value : beneficiaryListSchema.parse({})
  const { pool, clock } = backOfficeRuntime()
  const { applicationId } = actor
  const [t, locale, { beneficiaries, total }, groups, { changes, ...confirmation }, schedules] = await Promise.all([
    getT(),
    readLocale(),
    listBeneficiaries(pool, applicationId, filter),
    listGroups(pool, applicationId),
    listChanges(pool, { applicationId, kinds: BENEFICIARY_CHANGES, actor }),
    listPaymentSchedules(pool, applicationId, clock.now()),
  ])
  const mayChange = can(actor.roles, 'beneficiary:change')
  const isFiltered = filter.q !== undefined || filter.group !== undefined
  const nothing = filter.show === 'archived' ? 'beneficiaries.noneArchived' : 'beneficiaries.none'
  return (
    <PageContent words={['beneficiaries.', 'repeat.', 'plan.', 'treasury.weekdays', 'change.']}>
      <PageHeader
        title={t('frame.beneficiaries')}
        lead={t('beneficiaries.lead')}
        actions={mayChange && <BookActions t={t} application={application} groups={groups} mayPropose={!confirmation.isAlone} />}
      />
      {mayChange && <ConfirmationNotice t={t} alone="beneficiaries.alone" {...confirmation} />}
      <ChangeList
        t={t}
        locale={locale}
        application={application}
        changes={changes}
        describe={(change) => <BookDifference t={t} locale={locale} application={application} change={change} />}
      />
      <div className="mt-4 grid grid-cols-1 gap-4">
        <BookFilters t={t} application={application} filter={filter} groups={groups} />
        {beneficiaries.length === 0 ? (
          <EmptyState
            icon="people"
            title={t(isFiltered ? 'beneficiaries.noMatch' : nothing)}
            text={isFiltered || filter.show === 'archived' ? undefined : t('beneficiaries.noneText')}
          />
        ) : (
          <BeneficiaryTable
            t={t}
            application={application}
            beneficiaries={beneficiaries}
            groups={groups}
            mayChange={mayChange}
            mayPropose={mayChange && !confirmation.isAlone}
            mayPay={can(actor.roles, 'transaction:create')}
          />
        )}
        <PageLinks
          t={t}
          locale={locale}
          page={filter.page}
          size={BENEFICIARY_PAGE_SIZE}
          total={total}
          hrefFor={(page) => paths.beneficiaries(application, { ...addressOf(filter), page: page || null })}
        />
      </div>
      <ScheduleSection
        t={t}
        application={application}
        schedules={schedules}
        groups={groups}
        zone={actor.businessZone}
        mayChange={can(actor.roles, 'transaction:create')}
      />
    </PageContent>
  )
}

function addressOf({ q, group, show }: BeneficiaryListFilter) {
  return { q, group, show: show === 'present' ? null : show }
}

type ActionsProps = { t: Translate; application: string; groups: readonly BeneficiaryGroup[]; mayPropose: boolean }

function BookActions({ t, application, groups, mayPropose }: ActionsProps) {
  return (
    <>
      {groups.length > 0 && <PayGroupButton application={application} groups={groups} />}
      {mayPropose && <ButtonLink href={paths.beneficiaryImport(application)}>{t('beneficiaries.import.button')}</ButtonLink>}
      {mayPropose && <AddButton application={application} groups={groups} />}
    </>
  )
}

type FilterProps = { t: Translate; application: string; filter: BeneficiaryListFilter; groups: readonly BeneficiaryGroup[] }

/** A plain form: the address holds the filter. */
function BookFilters({ t, application, filter, groups }: FilterProps) {
  const isFiltered = filter.q || filter.group || filter.show !== 'present'
  return (
    <form method="get" action={paths.beneficiaries(application)} className="no-print flex flex-wrap items-end gap-3">
      <div className="min-w-48 flex-1 basis-64 sm:max-w-md">
        <TextField id="book-q" name="q" type="search" label={t('beneficiaries.find')} defaultValue={filter.q ?? ''} maxLength={200} />
      </div>
      {groups.length > 0 && (
        <div className="min-w-40">
          <Select id="book-group" name="group" label={t('beneficiaries.group')} defaultValue={filter.group ?? ''}>
            <option value="">{t('beneficiaries.anyGroup')}</option>
            {groups.map(({ groupName }) => (
              <option key={groupName} value={groupName}>
                {groupName}
              </option>
            ))}
          </Select>
        </div>
      )}
      <div className="min-w-40">
        <Select id="book-show" name="show" label={t('beneficiaries.which')} defaultValue={filter.show}>
          <option value="present">{t('beneficiaries.present')}</option>
          <option value="archived">{t('beneficiaries.archived')}</option>
        </Select>
      </div>
      <Button type="submit">{t('ui.apply')}</Button>
      {isFiltered && (
        <Link href={paths.beneficiaries(application)} className="py-1 text-accent hover:underline">
          {t('ui.clear')}
        </Link>
      )}
    </form>
  )
}
