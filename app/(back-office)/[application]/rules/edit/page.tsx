import { PageHeader } from '#components/ui/display/page.tsx'
import { toRuleFields } from '#lib/rules/rule-form.ts'
import { ruleEditorAddressSchema } from '#lib/schemas/page-address.ts'
import { readAddress } from '#lib/schemas/read-address.ts'
import { requireActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT, readLocale } from '#server/back-office/preferences.ts'
import { readConfirmation } from '#server/changes/list-changes.ts'
import { readRuleVersion, readRuleVersions } from '#server/policy/policies.ts'
import { ConfirmationNotice } from '../../_components/changes/confirmation-notice.tsx'
import { PageContent, type PageProps, titled } from '../../_components/page-content.tsx'
import { RuleEditorPart } from './_components/rule-editor-part.tsx'

export const generateMetadata = titled('rules.editor.title')

/** The editor of approval rules. It begins with a copy of a version, and stores a new one. */
export default async function EditRulesPage({ params, searchParams }: PageProps) {
  const { application } = await params
  const actor = await requireActor(application, 'policy:change')
  const { applicationId } = actor
  const address = readAddress(ruleEditorAddressSchema, await searchParams)
  const from = address.ok ? address.value.from : undefined
  const { pool } = backOfficeRuntime()
  const [t, locale, chosen, { active }, confirmation] = await Promise.all([
    getT(),
    readLocale(),
    from === undefined ? null : readRuleVersion(pool, applicationId, from),
    readRuleVersions(pool, applicationId),
    readConfirmation(pool, { applicationId, kinds: ['policy.activate'], actor }),
  ])
  const version = chosen ?? active
  return (
    <PageContent words={['rules.', 'source.']}>
      <PageHeader title={t('rules.editor.title')} lead={version && t('rules.editor.lead', { version: version.version })} />
      <ConfirmationNotice t={t} alone="rules.alone" {...confirmation} />
      <RuleEditorPart
        application={application}
        initial={(version?.rules ?? []).map((rule) => toRuleFields(rule, locale))}
        keptAs={`rules ${applicationId} ${actor.id} ${version?.version ?? 0}`}
      />
    </PageContent>
  )
}
