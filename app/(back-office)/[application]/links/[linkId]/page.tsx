import { notFound } from 'next/navigation'
import { z } from 'zod'
import { TimeText } from '#components/domain/time-text.tsx'
import { ButtonLink } from '#components/ui/button.tsx'
import { CopyButton } from '#components/ui/copy-button.tsx'
import { Card, Facts } from '#components/ui/display/card.tsx'
import { Notice } from '#components/ui/display/empty-state.tsx'
import { PageHeader } from '#components/ui/display/page.tsx'
import type { Locale } from '#lib/i18n/locale.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { OPERATORS } from '#lib/operators/operators.ts'
import { paths } from '#lib/pages/paths.ts'
import { countExcess, type PaymentLinkDto, paymentLinkPath } from '#lib/payments/payment-links.ts'
import { can } from '#lib/people/permissions.ts'
import { paymentLinkPageSchema } from '#lib/schemas/payment-link.ts'
import { readAddress } from '#lib/schemas/read-address.ts'
import { formatCount, moneyText } from '#lib/text/format.ts'
import { requireActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT, readLocale } from '#server/back-office/preferences.ts'
import { drawQrCode } from '#server/http/pay/pay-document.ts'
import { findPaymentLink, listLinkPayments } from '#server/payment-links/payment-link-list-store.ts'
import { PageContent, type PageProps, titled } from '../../_components/page-content.tsx'
import { LinkStateBadge, linkAmount } from '../_components/link-table.tsx'
import { CloseLinkButton } from './_components/close-link-button.tsx'
import { LinkPayments } from './_components/link-payments.tsx'

export const generateMetadata = titled('links.title')

/** One payment link: its address and code, what it accepts, and its payments. */
export default async function PaymentLinkPage({ params, searchParams }: PageProps<'linkId'>) {
  const { application, linkId } = await params
  const actor = await requireActor(application, 'link:read')
  if (!z.uuid().safeParse(linkId).success) notFound()
  const address = readAddress(paymentLinkPageSchema, await searchParams)
  const page = address.ok ? address.value.page : 0
  const { pool, config } = backOfficeRuntime()
  const [t, locale, link, { payments, total }] = await Promise.all([
    getT(),
    readLocale(),
    findPaymentLink(pool, actor.applicationId, linkId),
    listLinkPayments(pool, actor.applicationId, linkId, page),
  ])
  if (!link) notFound()
  const mayClose = can(actor.roles, 'link:close') && (link.state === 'open' || link.state === 'expired')
  const excess = countExcess(link)
  return (
    <PageContent words={['links.']}>
      <PageHeader
        title={link.purpose}
        actions={
          <>
            <ButtonLink href={paths.paymentLinks(application)}>{t('links.toList')}</ButtonLink>
            {mayClose && <CloseLinkButton application={application} linkId={linkId} />}
          </>
        }
      />
      <div className="mt-4 grid grid-cols-1 gap-5">
        {excess > 0 && <Notice tone="bad">{t('links.paidTwiceText', { count: excess })}</Notice>}
        <div className="grid grid-cols-1 gap-5 lg:grid-cols-2">
          <LinkFacts t={t} locale={locale} link={link} />
          <LinkAddress t={t} application={application} link={link} publicUrl={config.publicUrl} />
        </div>
        <LinkPayments t={t} locale={locale} application={application} link={link} payments={payments} total={total} page={page} />
      </div>
    </PageContent>
  )
}

function LinkFacts({ t, locale, link }: { t: Translate; locale: Locale; link: PaymentLinkDto }) {
  const uses =
    link.paymentsMax === 1
      ? t('links.once')
      : link.paymentsMax === null
        ? t('links.reusable')
        : t('links.upTo', { count: link.paymentsMax })
  const facts = [
    { name: t('links.state'), value: <LinkStateBadge t={t} link={link} /> },
    { name: t('links.collected'), value: moneyText({ amount: link.collected, currency: link.currency }, locale) },
    { name: t('links.payments'), value: formatCount(link.paidCount, locale) },
    ...(link.openCount > 0 ? [{ name: t('links.openPayments'), value: formatCount(link.openCount, locale) }] : []),
    { name: t('links.amount'), value: linkAmount(t, locale, link) },
    { name: t('links.operators'), value: link.operators.map((code) => OPERATORS[code].brand).join(', ') },
    { name: t('links.country'), value: t(`country.${link.country}`) },
    { name: t('links.uses'), value: uses },
    {
      name: t('links.lastDay'),
      value: link.lastDay === null ? t('links.noEnd') : <TimeText at={`${link.lastDay}T12:00:00Z`} style="day-year" />,
    },
    { name: t('links.created'), value: <ByWhom name={link.createdBy} at={link.createdAt} /> },
    ...(link.closedBy !== null && link.closedAt !== null
      ? [{ name: t('links.closedBy'), value: <ByWhom name={link.closedBy} at={link.closedAt} /> }]
      : []),
  ]
  return (
    <Card>
      <Facts facts={facts} nameClass="w-28 sm:w-44" />
    </Card>
  )
}

function ByWhom({ name, at }: { name: string; at: string }) {
  return (
    <>
      <bdi>{name}</bdi>, <TimeText at={at} style="day-time" />
    </>
  )
}

type AddressProps = { t: Translate; application: string; link: PaymentLinkDto; publicUrl: string }

/** The address and its code, also as files to print. */
function LinkAddress({ t, application, link, publicUrl }: AddressProps) {
  const url = new URL(paymentLinkPath(link.token), publicUrl).href
  const { size, path } = drawQrCode(url)
  const file = (format: 'svg' | 'png') => paths.data(application, `links/${link.linkId}/code`, { format })
  return (
    <Card className="grid content-start gap-3">
      <h2>{t('links.address')}</h2>
      <p className="flex items-center gap-1">
        <a href={url} target="_blank" rel="noreferrer" className="min-w-0 wrap-anywhere text-accent underline">
          {url}
        </a>
        <CopyButton text={url} label={t('links.address')} />
      </p>
      <svg
        role="img"
        aria-label={t('links.code')}
        viewBox={`-2 -2 ${size + 4} ${size + 4}`}
        shapeRendering="crispEdges"
        className="size-44 rounded-md border border-line bg-[#fff]"
      >
        <path d={path} fill="#000" />
      </svg>
      <p className="text-second text-quiet">
        {t('links.download')}{' '}
        <a href={file('png')} download className="text-accent underline">
          {t('links.png')}
        </a>
        {' · '}
        <a href={file('svg')} download className="text-accent underline">
          {t('links.svg')}
        </a>
      </p>
    </Card>
  )
}
