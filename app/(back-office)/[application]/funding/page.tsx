import type { Metadata } from 'next'
import { Money } from '#components/domain/money.tsx'
import { TimeText } from '#components/domain/time-text.tsx'
import { Badge, type Tone } from '#components/ui/display/badge.tsx'
import { Facts } from '#components/ui/display/card.tsx'
import { EmptyState, Notice } from '#components/ui/display/empty-state.tsx'
import { PageHeader } from '#components/ui/display/page.tsx'
import { Table, TableCard, Td, Th, Tr } from '#components/ui/display/table.tsx'
import { PageMessages } from '#components/ui/translations.tsx'
import type { FundingDto } from '#lib/approvals/proposed-change.ts'
import { MESSAGES } from '#lib/i18n/messages.ts'
import { pickMessages, type Translate } from '#lib/i18n/translate.ts'
import { can } from '#lib/people/permissions.ts'
import { requireActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT, readLocale } from '#server/back-office/preferences.ts'
import { listFundings } from '#server/funding/list-fundings.ts'
import { listActiveMembers } from '#server/people/person-store.ts'
import { FundingButtons, NewFundingButton } from './_components/funding-buttons.tsx'
import { FundingDocument, FundingHead, FundingSteps } from './_components/funding-facts.tsx'

type Props = { params: Promise<{ application: string }> }

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getT())('funding.title') }
}

/** Money that two people put into balances: what waits, and what became of the others. */
export default async function FundingPage({ params }: Props) {
  const { application } = await params
  const actor = await requireActor(application, 'funding:read')
  const { pool } = backOfficeRuntime()
  const { applicationId } = actor
  const [t, locale, fundings, members] = await Promise.all([
    getT(),
    readLocale(),
    listFundings(pool, { applicationId, actor }),
    listActiveMembers(pool, applicationId),
  ])
  const isAlone = !members.some(({ personId, roles }) => personId !== actor.id && can(roles, 'funding:decide'))
  const waiting = fundings.filter(({ state }) => state === 'open')
  const earlier = fundings.filter(({ state }) => state !== 'open')
  return (
    <PageMessages messages={pickMessages(MESSAGES[locale], ['funding.'])}>
      <PageHeader
        title={t('funding.title')}
        lead={t('funding.lead')}
        actions={!isAlone && <NewFundingButton application={application} />}
      />
      {isAlone && (
        <div className="mt-4">
          <Notice>{t('funding.alone')}</Notice>
        </div>
      )}
      <section aria-labelledby="waiting" className="mt-6">
        <h2 id="waiting">{waiting.length === 0 ? t('funding.noneWaiting') : t('funding.waiting', { count: waiting.length })}</h2>
        <ul className="mt-2 grid gap-2">
          {waiting.map((funding) => (
            <WaitingFunding key={funding.fundingId} t={t} application={application} funding={funding} />
          ))}
        </ul>
      </section>
      <div className="mt-6">
        <h2 id="earlier">{t('funding.earlier')}</h2>
        {earlier.length === 0 ? <EmptyState icon="wallet" title={t('funding.noneEarlier')} /> : <FundingTable t={t} fundings={earlier} />}
      </div>
    </PageMessages>
  )
}

type WaitingFundingProps = { t: Translate; application: string; funding: FundingDto }

/** A funding that waits, with everything that the second person decides on. */
function WaitingFunding({ t, application, funding }: WaitingFundingProps) {
  const facts = [
    { name: t('funding.reference'), value: funding.reference },
    { name: t('funding.account'), value: <FundingSteps t={t} funding={funding} /> },
    ...(funding.attachment ? [{ name: t('funding.document'), value: <FundingDocument t={t} funding={funding} /> }] : []),
    ...(funding.note === '' ? [] : [{ name: t('funding.note'), value: funding.note }]),
  ]
  return (
    <li className="rounded-lg border border-line bg-surface p-4">
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-1">
        <h3 className="font-regular">
          <FundingHead t={t} funding={funding} />
        </h3>
        <Money amount={funding.amount} currency={funding.currency} size="balance" />
      </div>
      <div className="mt-3">
        <Facts facts={facts} />
      </div>
      <p className="mt-3 text-second text-quiet">
        {t('funding.proposedBy', { name: funding.proposedBy.name })} <TimeText at={funding.proposedAt} />
        {' · '}
        {t('funding.expires')} <TimeText at={funding.expiresAt} />
      </p>
      <FundingButtons application={application} funding={funding} />
    </li>
  )
}

const TONES: Readonly<Record<FundingDto['state'], Tone>> = {
  open: 'wait',
  confirmed: 'ok',
  refused: 'bad',
  withdrawn: 'neutral',
  expired: 'neutral',
}

const WIDE = 'max-sm:hidden'

/** The fundings that no longer wait, newest first. */
function FundingTable({ t, fundings }: { t: Translate; fundings: readonly FundingDto[] }) {
  return (
    <TableCard label={t('funding.earlier')} className="mt-2">
      <Table
        caption={t('funding.earlier')}
        head={
          <>
            <Th>{t('funding.kind')}</Th>
            <Th align="end">{t('funding.amount')}</Th>
            <Th className={WIDE}>{t('funding.reference')}</Th>
            <Th className={WIDE}>{t('funding.people')}</Th>
            <Th>{t('funding.state')}</Th>
          </>
        }
      >
        {fundings.map((funding) => (
          <Tr key={funding.fundingId} className="align-top">
            <Td className="sm:min-w-52">
              <FundingHead t={t} funding={funding} />
              <span className="block text-second wrap-anywhere sm:hidden">{funding.reference}</span>
            </Td>
            <Td align="end">
              <Money amount={funding.amount} currency={funding.currency} className="font-medium" />
              <span className="block text-second whitespace-nowrap max-sm:hidden">
                <FundingSteps t={t} funding={funding} />
              </span>
            </Td>
            <Td className={`min-w-56 ${WIDE}`}>
              <span className="wrap-anywhere">{funding.reference}</span>
              <span className="block text-second text-quiet">
                <FundingDocument t={t} funding={funding} />
              </span>
              {funding.note !== '' && <span className="block text-second text-quiet">{funding.note}</span>}
            </Td>
            <Td className={`min-w-56 ${WIDE}`}>
              <People t={t} funding={funding} />
            </Td>
            <Td className="sm:min-w-32">
              <Badge tone={TONES[funding.state]} hasDot>
                {t(`funding.state.${funding.state}`)}
              </Badge>
              {funding.reason !== '' && (
                <span className="block text-second text-quiet max-sm:max-w-40">{t('funding.reasonIs', { reason: funding.reason })}</span>
              )}
            </Td>
          </Tr>
        ))}
      </Table>
    </TableCard>
  )
}

function People({ t, funding }: { t: Translate; funding: FundingDto }) {
  const { proposedBy, proposedAt, decidedBy, decidedAt, state } = funding
  const words = state === 'confirmed' ? 'funding.confirmedBy' : state === 'refused' ? 'funding.refusedBy' : null
  return (
    <>
      <span className="block">
        {t('funding.proposedBy', { name: proposedBy.name })} <TimeText at={proposedAt} className="text-second text-quiet" />
      </span>
      {words && decidedBy && decidedAt && (
        <span className="block">
          {t(words, { name: decidedBy.name })} <TimeText at={decidedAt} className="text-second text-quiet" />
        </span>
      )}
    </>
  )
}
