import { RelativeTime, TimeText } from '#components/domain/time-text.tsx'
import { ButtonLink } from '#components/ui/button.tsx'
import { PageHeader } from '#components/ui/display/page.tsx'
import { Link } from '#components/ui/link.tsx'
import type { BlockedGroup, BlockedItems, Unblock } from '#lib/approvals/blocked-items.ts'
import type { Locale } from '#lib/i18n/locale.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { paths } from '#lib/pages/paths.ts'
import { can } from '#lib/people/permissions.ts'
import { moneyText } from '#lib/text/format.ts'
import { listBlocked } from '#server/approvals/queue/list-blocked.ts'
import { requireActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT, readLocale } from '#server/back-office/preferences.ts'
import { listChanges } from '#server/changes/list-changes.ts'
import { readRuleVersions } from '#server/policy/policies.ts'
import { ChangeList } from '../_components/changes/change-list.tsx'
import { ConfirmationNotice } from '../_components/changes/confirmation-notice.tsx'
import { PageContent, type PageProps, titled } from '../_components/page-content.tsx'
import { ActivationDifference, RuleSentences, VersionTable } from './_components/rule-list.tsx'

export const generateMetadata = titled('rules.title')

/** Approval rules: the active ones, proposals, all versions, and items that nobody can decide. */
export default async function RulesPage({ params }: PageProps) {
  const { application } = await params
  const actor = await requireActor(application, 'policy:read')
  const { pool } = backOfficeRuntime()
  const { applicationId } = actor
  const mayChange = can(actor.roles, 'policy:change')
  const [t, locale, { versions, active }, { changes, ...confirmation }, blocked] = await Promise.all([
    getT(),
    readLocale(),
    readRuleVersions(pool, applicationId),
    mayChange
      ? listChanges(pool, { applicationId, kinds: ['policy.activate'], actor })
      : { changes: [], isAlone: false, isConfirmedElsewhere: false, needsNobody: false },
    mayChange ? listBlocked(pool, applicationId) : null,
  ])
  return (
    <PageContent words={['rules.', 'change.']}>
      <PageHeader
        title={t('rules.title')}
        lead={t('rules.lead')}
        actions={mayChange && <ButtonLink href={paths.editRules(application, { from: active?.version })}>{t('rules.edit')}</ButtonLink>}
      />
      <ConfirmationNotice t={t} alone="rules.alone" {...confirmation} />
      {blocked && <BlockedSection t={t} locale={locale} application={application} blocked={blocked} />}
      <ChangeList
        t={t}
        locale={locale}
        application={application}
        changes={changes}
        describe={(change) => <ActivationDifference t={t} locale={locale} application={application} change={change} versions={versions} />}
      />
      <section aria-labelledby="active-rules" className="mt-6">
        <h2 id="active-rules">{active ? t('rules.active', { version: active.version }) : t('rules.noActive')}</h2>
        <p className="text-ink-2">{t('rules.together')}</p>
        <RuleSentences t={t} locale={locale} rules={active ? active.rules : []} />
      </section>
      <VersionTable t={t} application={application} versions={versions} />
    </PageContent>
  )
}

/** Groups that a page shows; more would not be read. */
const SHOWN_MAX = 20

type BlockedSectionProps = { t: Translate; locale: Locale; application: string; blocked: BlockedItems }

/** Waiting items that nobody can currently decide, with the remedies. Renders nothing if there are none. */
function BlockedSection({ t, locale, application, blocked }: BlockedSectionProps) {
  if (blocked.count === 0) return null
  return (
    <section aria-labelledby="blocked" className="mt-6">
      <h2 id="blocked">{t('rules.blocked.title', { count: blocked.count })}</h2>
      <p className="text-ink-2">{t('rules.blocked.lead')}</p>
      <ul className="mt-2 grid gap-2">
        {blocked.groups.slice(0, SHOWN_MAX).map((group) => (
          <li key={`${group.batch?.batchId} ${group.transactionIds[0]}`} className="rounded-lg border border-line bg-surface p-4">
            <Group t={t} locale={locale} application={application} group={group} />
          </li>
        ))}
      </ul>
      {blocked.groups.length > SHOWN_MAX && (
        <p className="mt-2 text-quiet">{t('rules.blocked.more', { count: blocked.groups.length - SHOWN_MAX })}</p>
      )}
    </section>
  )
}

function Group({ t, locale, application, group }: Omit<BlockedSectionProps, 'blocked'> & { group: BlockedGroup }) {
  const { maker, batch, sums, missing, available, needsCode, transactionIds } = group
  const from = maker === null ? t('rules.blocked.ofProgram') : t('rules.blocked.of', { name: maker })
  const title = batch ? t('rules.blocked.batch', { name: batch.name ?? batch.batchId }) : t('rules.blocked.items', { count: group.count })
  return (
    <>
      <h3 className="font-strong wrap-anywhere">
        {title} {from} · {sums.map((sum) => moneyText(sum, locale)).join(' · ')}
      </h3>
      <p className="mt-1">
        {t(needsCode ? 'rules.blocked.whyCode' : 'rules.blocked.why', { missing, count: available })}{' '}
        <span className="text-quiet">
          {t('rules.blocked.since')} <RelativeTime at={group.oldestAt} /> · {t('rules.blocked.expires')} <TimeText at={group.expiresAt} />
        </span>
      </p>
      <p className="mt-2 font-medium">{t('rules.blocked.ways')}</p>
      <ul className="ml-5 list-disc">
        {group.unblock.map((way) => (
          <li key={way.kind} className="wrap-anywhere">
            {wayText(t, way)}
          </li>
        ))}
      </ul>
      <p className="mt-2 flex flex-wrap gap-x-4 text-second">
        {batch ? (
          <Link href={paths.batchApproval(application, batch.batchId)} className="underline">
            {t('rules.blocked.openBatch')}
          </Link>
        ) : (
          transactionIds.map((id, index) => (
            <Link key={id} href={paths.transaction(application, id)} className="underline">
              {transactionIds.length === 1 ? t('rules.blocked.openOnly') : t('rules.blocked.open', { number: index + 1 })}
            </Link>
          ))
        )}
      </p>
    </>
  )
}

function wayText(t: Translate, way: Unblock): string {
  switch (way.kind) {
    case 'add_checkers':
      return t('rules.unblock.add_checkers', { count: way.count })
    case 'recall':
      return t('rules.unblock.recall', { name: way.name })
    default:
      return t(`rules.unblock.${way.kind}`, { names: way.names.join(', ') })
  }
}
