import type { Metadata } from 'next'
import { ButtonLink } from '#components/ui/button.tsx'
import { Notice } from '#components/ui/empty-state.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { PageMessages } from '#components/ui/translations.tsx'
import { MESSAGES } from '#lib/i18n/messages.ts'
import { pickMessages } from '#lib/i18n/translate.ts'
import { paths } from '#lib/paths.ts'
import { can } from '#lib/permissions.ts'
import { listBlocked } from '#server/approvals/list-blocked.ts'
import { requireActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT, readLocale } from '#server/back-office/preferences.ts'
import { listChanges } from '#server/changes/list-changes.ts'
import { listActiveMembers } from '#server/people/person-queries.ts'
import { readRuleVersions } from '#server/policy/read-rules.ts'
import { ChangeList } from '../_components/changes/change-list.tsx'
import { ActivationDifference } from './_components/activation-difference.tsx'
import { BlockedSection } from './_components/blocked-section.tsx'
import { RuleSentences } from './_components/rule-sentences.tsx'
import { VersionTable } from './_components/version-table.tsx'

type Props = { params: Promise<{ application: string }> }

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getT())('rules.title') }
}

/** What has to be approved and by how many: the rules that are active, what was proposed, all versions, and what nobody can decide. */
export default async function RulesPage({ params }: Props) {
  const { application } = await params
  const actor = await requireActor(application, 'policy:read')
  const { pool } = backOfficeRuntime()
  const { applicationId } = actor
  const mayChange = can(actor.roles, 'policy:change')
  const [t, locale, { versions, active }, changes, members, blocked] = await Promise.all([
    getT(),
    readLocale(),
    readRuleVersions(pool, applicationId),
    mayChange ? listChanges(pool, { applicationId, kinds: ['policy.activate'], actor }) : [],
    mayChange ? listActiveMembers(pool, applicationId) : [],
    mayChange ? listBlocked(pool, applicationId) : null,
  ])
  const isAlone = mayChange && !members.some(({ personId, roles }) => personId !== actor.id && can(roles, 'policy:change'))
  return (
    <PageMessages messages={pickMessages(MESSAGES[locale], ['rules.', 'change.'])}>
      <PageHeader
        title={t('rules.title')}
        lead={t('rules.lead')}
        actions={mayChange && <ButtonLink href={paths.editRules(application, { from: active?.version })}>{t('rules.edit')}</ButtonLink>}
      />
      {isAlone && (
        <div className="mt-4">
          <Notice>{t('rules.alone')}</Notice>
        </div>
      )}
      {blocked && <BlockedSection t={t} locale={locale} application={application} blocked={blocked} />}
      <ChangeList
        t={t}
        locale={locale}
        application={application}
        changes={changes}
        differenceOf={(change) => (
          <ActivationDifference t={t} locale={locale} application={application} change={change} versions={versions} />
        )}
      />
      <section aria-labelledby="active-rules" className="mt-6">
        <h2 id="active-rules">{active ? t('rules.active', { version: active.version }) : t('rules.noActive')}</h2>
        <p className="text-ink-2">{t('rules.together')}</p>
        <RuleSentences t={t} locale={locale} rules={active ? active.rules : []} />
      </section>
      <VersionTable t={t} application={application} versions={versions} />
    </PageMessages>
  )
}
