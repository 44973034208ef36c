import { ButtonLink } from '#components/ui/button.tsx'
import { Notice } from '#components/ui/display/empty-state.tsx'
import { PageHeader } from '#components/ui/display/page.tsx'
import { OPERATOR_CODES } from '#lib/operators/operators.ts'
import { paths } from '#lib/pages/paths.ts'
import { dayIn } from '#lib/time/format-time.ts'
import { serviceFor } from '#server/applications/snapshot.ts'
import { requireActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT } from '#server/back-office/preferences.ts'
import { mayHaveLinks } from '#server/payment-links/payment-link-store.ts'
import { PageContent, type PageProps, titled } from '../../_components/page-content.tsx'
import { LinkForm } from './_components/link-form.tsx'

export const generateMetadata = titled('links.new')

/** The form of a new payment link, with the operators at which the application can collect. */
export default async function NewPaymentLinkPage({ params }: PageProps) {
  const { application } = await params
  const actor = await requireActor(application, 'link:create')
  const { pool, directory, connectors, clock } = backOfficeRuntime()
  const snapshot = directory.find(actor.applicationId)
  const [t, isAllowed] = await Promise.all([getT(), mayHaveLinks(pool, actor.applicationId)])
  const operators = OPERATOR_CODES.filter(
    (code) => snapshot && serviceFor(snapshot, code, 'COLLECT').isEnabled && connectors.has(code, 'COLLECT'),
  )
  const problem = !isAllowed ? t('links.notAllowed') : operators.length === 0 ? t('links.noService') : null
  return (
    <PageContent words={['links.', 'form.field.', 'payment.wrong.']}>
      <PageHeader title={t('links.new')} actions={<ButtonLink href={paths.paymentLinks(application)}>{t('links.toList')}</ButtonLink>} />
      <div className="mt-4 grid max-w-2xl gap-5">
        {problem === null ? (
          <LinkForm application={application} operators={operators} today={dayIn(actor.businessZone, clock.now())} />
        ) : (
          <Notice tone="wait">{problem}</Notice>
        )}
      </div>
    </PageContent>
  )
}
