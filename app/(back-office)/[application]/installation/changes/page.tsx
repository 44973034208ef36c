import { EmptyState } from '#components/ui/display/empty-state.tsx'
import { PageHeader } from '#components/ui/display/page.tsx'
import type { ProposedChangeDto } from '#lib/approvals/proposed-change.ts'
import type { ImportedPersonDto } from '#lib/beneficiaries/beneficiary-import.ts'
import type { Locale } from '#lib/i18n/locale.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { requireInstaller } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT, readLocale } from '#server/back-office/preferences.ts'
import { readImportedPeople } from '#server/changes/imported-people.ts'
import { listChangesElsewhere } from '#server/changes/list-changes.ts'
import type { Pool } from '#server/database/pool.ts'
import { type RuleVersion, readRuleVersions } from '#server/policy/policies.ts'
import { ChangeDifference } from '../../_components/changes/change-difference.tsx'
import { ChangeList } from '../../_components/changes/change-list.tsx'
import { PageContent, type PageProps, titled } from '../../_components/page-content.tsx'
import { ImportedTable } from '../../beneficiaries/_components/imported-table.tsx'
import { ActivationDifference } from '../../rules/_components/rule-list.tsx'

export const generateMetadata = titled('installation.changes.title')

/** Changes that only the administrators of the installation can confirm: those of applications that have nobody else who may. */
export default async function ChangesElsewherePage({ params }: PageProps) {
  const { application } = await params
  const actor = await requireInstaller(application, 'installation:read')
  const { pool } = backOfficeRuntime()
  const [t, locale, changes] = await Promise.all([getT(), readLocale(), listChangesElsewhere(pool, actor)])
  const [rules, people] = await Promise.all([readRulesOf(pool, changes), readPeopleOf(pool, changes)])
  return (
    <PageContent words={['change.', 'people.link', 'rules.']}>
      <PageHeader title={t('installation.changes.title')} lead={t('installation.changes.lead')} />
      {changes.length === 0 && <EmptyState title={t('installation.changes.none')} text={t('installation.changes.noneText')} />}
      <ChangeList
        t={t}
        locale={locale}
        application={application}
        changes={changes}
        isElsewhere
        describe={(change) => {
          const imported = people.get(change.changeId)
          if (imported) return <ImportedPeople t={t} locale={locale} change={change} people={imported} />
          const versions = rules.get(change.application.applicationId)
          return versions && change.kind === 'policy.activate' ? (
            <ActivationDifference t={t} locale={locale} application={null} change={change} versions={versions} />
          ) : (
            <ChangeDifference t={t} locale={locale} change={change} />
          )
        }}
      />
    </PageContent>
  )
}

/** The rules of each application whose rules would change: their versions, by application. */
async function readRulesOf(pool: Pool, changes: readonly ProposedChangeDto[]): Promise<Map<string, readonly RuleVersion[]>> {
  const ids = changes.filter(({ kind }) => kind === 'policy.activate').map(({ application }) => application.applicationId)
  const read = async (id: string) => [id, (await readRuleVersions(pool, id)).versions] as const
  return new Map(await Promise.all([...new Set(ids)].map(read)))
}

/** The people of each change by a file that waits, by change: those who decide it are not members of the application whose page lists them. */
async function readPeopleOf(pool: Pool, changes: readonly ProposedChangeDto[]): Promise<Map<string, readonly ImportedPersonDto[]>> {
  const imports = changes.filter(({ kind, state }) => kind === 'beneficiary.import' && state === 'open')
  const read = async ({ application, changeId }: ProposedChangeDto) =>
    [changeId, (await readImportedPeople(pool, application.applicationId, changeId)) ?? []] as const
  return new Map(await Promise.all(imports.map(read)))
}

type ImportedProps = { t: Translate; locale: Locale; change: ProposedChangeDto; people: readonly ImportedPersonDto[] }

function ImportedPeople({ t, locale, change, people }: ImportedProps) {
  return (
    <>
      <ChangeDifference t={t} locale={locale} change={change} />
      <details className="mt-2">
        <summary className="cursor-pointer text-ink-2">{t('beneficiaries.import.seePeople', { count: people.length })}</summary>
        <ImportedTable t={t} people={people} />
      </details>
    </>
  )
}
