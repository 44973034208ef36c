import { Button, ButtonLink } from '#components/ui/button.tsx'
import { EmptyState } from '#components/ui/display/empty-state.tsx'
import { PageHeader } from '#components/ui/display/page.tsx'
import { PageLinks } from '#components/ui/display/page-links.tsx'
import { Select, TextField } from '#components/ui/field.tsx'
import { Link } from '#components/ui/link.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import { paths } from '#lib/pages/paths.ts'
import { PAYMENT_LINK_PAGE_SIZE, PAYMENT_LINK_STATES } from '#lib/payments/payment-links.ts'
import { can } from '#lib/people/permissions.ts'
import { type PaymentLinkFilter, paymentLinkListSchema } from '#lib/schemas/payment-link.ts'
import { readAddress } from '#lib/schemas/read-address.ts'
import { requireActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT, readLocale } from '#server/back-office/preferences.ts'
import { listPaymentLinks } from '#server/payment-links/payment-link-list-store.ts'
import { mayHaveLinks } from '#server/payment-links/payment-link-store.ts'
import { PageContent, type PageProps, titled } from '../_components/page-content.tsx'
import { LinkTable } from './_components/link-table.tsx'

export const generateMetadata = titled('frame.paymentLinks')

/** The payment links of an application, newest first. */
export default async function PaymentLinksPage({ params, searchParams }: PageProps) {
  const { application } = await params
  const actor = await requireActor(application, 'link:read')
  const address = readAddress(paymentLinkListSchema, await searchParams)
  const filter = address.ok ? address.value : paymentLinkListSchema.parse({})
  const { pool } = backOfficeRuntime()
  const [t, locale, { links, total }, isAllowed] = await Promise.all([
    getT(),
    readLocale(),
    listPaymentLinks(pool, actor.applicationId, filter),
    mayHaveLinks(pool, actor.applicationId),
  ])
  const isFiltered = filter.q !== undefined || filter.state !== undefined
  return (
    <PageContent words={['links.']}>
      <PageHeader
        title={t('frame.paymentLinks')}
        lead={t(isAllowed ? 'links.lead' : 'links.notAllowed')}
        actions={
          isAllowed &&
          can(actor.roles, 'link:create') && (
            <ButtonLink variant="primary" href={paths.newPaymentLink(application)}>
              {t('links.new')}
            </ButtonLink>
          )
        }
      />
      <div className="mt-4 grid grid-cols-1 gap-4">
        <LinkFilters t={t} application={application} filter={filter} />
        {links.length === 0 ? (
          <EmptyState
            icon="link"
            title={t(isFiltered ? 'links.noMatch' : 'links.none')}
            text={isFiltered ? undefined : t('links.noneText')}
          />
        ) : (
          <LinkTable t={t} locale={locale} application={application} links={links} />
        )}
        <PageLinks
          t={t}
          locale={locale}
          page={filter.page}
          size={PAYMENT_LINK_PAGE_SIZE}
          total={total}
          hrefFor={(page) => paths.paymentLinks(application, { q: filter.q, state: filter.state, page: page || null })}
        />
      </div>
    </PageContent>
  )
}

/** A plain form: the address holds the filter. */
function LinkFilters({ t, application, filter }: { t: Translate; application: string; filter: PaymentLinkFilter }) {
  return (
    <form method="get" action={paths.paymentLinks(application)} className="no-print flex flex-wrap items-end gap-3">
      <div className="min-w-48 flex-1 basis-64 sm:max-w-md">
        <TextField id="links-q" name="q" type="search" label={t('links.find')} defaultValue={filter.q ?? ''} maxLength={200} />
      </div>
      <div className="min-w-40">
        <Select id="links-state" name="state" label={t('links.state')} defaultValue={filter.state ?? ''}>
          <option value="">{t('links.anyState')}</option>
          {PAYMENT_LINK_STATES.map((state) => (
            <option key={state} value={state}>
              {t(`links.state.${state}`)}
            </option>
          ))}
        </Select>
      </div>
      <Button type="submit">{t('ui.apply')}</Button>
      {(filter.q || filter.state) && (
        <Link href={paths.paymentLinks(application)} className="py-1 text-accent hover:underline">
          {t('ui.clear')}
        </Link>
      )}
    </form>
  )
}
