import { CopyButton } from '#components/ui/copy-button.tsx'
import { PageHeader } from '#components/ui/display/page.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import { environmentText } from '#lib/partner/reference.ts'
import { requireActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT, readLocale } from '#server/back-office/preferences.ts'
import { ChangeList } from '../_components/changes/change-list.tsx'
import { ConfirmationNotice } from '../_components/changes/confirmation-notice.tsx'
import { PageContent, type PageProps, titled } from '../_components/page-content.tsx'
import { SecretSection } from '../webhooks/_components/secret-section.tsx'
import { AddressTable, ApiUserTable, RefusalList } from './_components/caller-tables.tsx'
import { KeyTable } from './_components/key-table.tsx'
import { type ListedChecker, readCredentials } from './read-credentials.ts'

/** The name of the header, which is the same in every language. */
const API_ID_HEADER = 'apiId'

export const generateMetadata = titled('credentials.title')

/** Credentials and addresses that a partner's program needs to call the API, and the reasons why calls were refused. */
export default async function KeysPage({ params }: PageProps) {
  const { application } = await params
  const actor = await requireActor(application, 'access:read')
  const { config } = backOfficeRuntime()
  const [t, locale, credentials] = await Promise.all([getT(), readLocale(), readCredentials(actor)])
  const { apiId, keys, apiUsers, addresses, ownAddress, secrets, checkers, refusals, changes, confirmation } = credentials
  const shared = { t, application, mayPropose: !confirmation.isAlone }
  return (
    <PageContent words={['credentials.', 'change.', 'webhooks.secret']}>
      <PageHeader title={t('credentials.title')} lead={t('credentials.lead')} />
      <ConfirmationNotice t={t} alone="credentials.noSecondPerson" {...confirmation} />
      <dl className="mt-4 flex flex-wrap gap-x-8 gap-y-1">
        <Fact label={API_ID_HEADER} value={apiId} />
        <Fact label={t('credentials.baseUrl')} value={config.publicUrl} />
      </dl>
      <div className="mt-3 max-w-xl">
        <Environment label={t('credentials.environment')} text={environmentText(config.publicUrl, apiId)} />
      </div>
      <ChangeList t={t} locale={locale} application={application} changes={changes} />
      <KeyTable {...shared} keys={keys} />
      <ApiUserTable {...shared} apiUsers={apiUsers} />
      <SecretSection {...shared} secrets={secrets} changes={changes} />
      <AddressTable {...shared} addresses={addresses} ownAddress={ownAddress} />
      <CheckerList t={t} checkers={checkers} />
      <RefusalList t={t} application={application} refusals={refusals} mayPropose={!confirmation.isAlone} />
    </PageContent>
  )
}

/** The people whom `checkerId` of the API may name. */
function CheckerList({ t, checkers }: { t: Translate; checkers: readonly ListedChecker[] }) {
  return (
    <section aria-labelledby="checkers" className="mt-8">
      <h2 id="checkers">{t('credentials.checkers')}</h2>
      <p className="max-w-3xl text-ink-2">{t('credentials.checkersText')}</p>
      {checkers.length === 0 && <p className="mt-3 text-quiet">{t('credentials.noCheckers')}</p>}
      <dl className="mt-2 grid gap-1">
        {checkers.map(({ personId, name }) => (
          <Fact key={personId} label={name} value={personId} />
        ))}
      </dl>
    </section>
  )
}

function Fact({ label, value }: { label: string; value: string }) {
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-x-2">
      <dt className="text-quiet">{label}</dt>
      <dd className="flex min-w-0 items-center gap-1">
        <span className="min-w-0 wrap-anywhere tabular">{value}</span>
        <CopyButton text={value} label={label} />
      </dd>
    </div>
  )
}

/** The variables of the examples of the reference, to copy. The code block of the reference would bring its scripts along. */
function Environment({ label, text }: { label: string; text: string }) {
  return (
    <figure className="overflow-hidden rounded-md border border-line bg-sunken">
      <figcaption className="flex min-h-9 items-center justify-between gap-2 border-b border-line py-1 pr-2 pl-3 text-second font-medium text-ink-2">
        {label}
        <CopyButton text={text} label={label} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keys. */}
      <section tabIndex={0} aria-label={label} className="overflow-x-auto -outline-offset-2">
        <pre className="w-max min-w-full p-3 font-mono text-second leading-5 text-ink">{text}</pre>
      </section>
    </figure>
  )
}
