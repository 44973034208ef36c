import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { Suspense } from 'react'
import { ButtonLink } from '#components/ui/button.tsx'
import { PageHeader, Skeleton } from '#components/ui/display/page.tsx'
import { Link } from '#components/ui/link.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import { paths } from '#lib/pages/paths.ts'
import { can } from '#lib/people/permissions.ts'
import type { Result } from '#lib/result.ts'
import type { PolicyReplay, ReplayFailure } from '#lib/rules/rule-finding.ts'
import { parseVersion, ruleVersionAddressSchema } from '#lib/schemas/page-address.ts'
import { readAddress } from '#lib/schemas/read-address.ts'
import { type BackOfficeActor, requireActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT, readLocale } from '#server/back-office/preferences.ts'
import { readConfirmation } from '#server/changes/list-changes.ts'
import { compareFindings, type VersionFindings } from '#server/policy/check-activation.ts'
import { type RuleVersion, readRuleVersion, readRuleVersions } from '#server/policy/policies.ts'
import { replayPolicy } from '#server/reports/policy-replay/replay-policy.ts'
import { PageContent, type PageProps } from '../../_components/page-content.tsx'
import { Findings } from '../_components/findings.tsx'
import { ReplaySection } from '../_components/replay-section.tsx'
import { RuleDifferences, RuleSentences, VersionBadge } from '../_components/rule-list.tsx'
import { VersionButtons } from '../_components/version-buttons.tsx'

export async function generateMetadata({ params }: PageProps<'version'>): Promise<Metadata> {
  return { title: (await getT())('rules.version', { version: (await params).version }) }
}

/** One version of the rules: what it changes, what it says, and what it would have stopped. */
export default async function RuleVersionPage({ params, searchParams }: PageProps<'version'>) {
  const { application, version: segment } = await params
  const actor = await requireActor(application, 'policy:read')
  const number = parseVersion(segment)
  const address = readAddress(ruleVersionAddressSchema, await searchParams)
  if (number === undefined) notFound()
  const [t, locale, state] = await Promise.all([
    getT(),
    readLocale(),
    readVersionPage(backOfficeRuntime(), actor, number, address.ok ? address.value.against : undefined),
  ])
  if (!state) notFound()
  const { version, other, versions, active, findings, replay, isAlone, canActivate } = state
  return (
    <PageContent words={['rules.', 'change.']}>
      <PageHeader
        title={t('rules.version', { version: version.version })}
        lead={<VersionBadge t={t} version={version} />}
        actions={findings && <ButtonLink href={paths.editRules(application, { from: version.version })}>{t('rules.editCopy')}</ButtonLink>}
      />
      {findings && (
        <div className="mt-4 grid gap-3">
          <Findings t={t} locale={locale} findings={findings.added} />
          <Findings t={t} locale={locale} findings={findings.known} isInEffect={!version.isActive} />
          {!isAlone && (
            <VersionButtons
              application={application}
              version={version.version}
              canActivate={canActivate}
              added={findings.added}
              canRestore={!version.isActive && version.version < (active?.version ?? 0)}
            />
          )}
          {isAlone && !version.isActive && <p>{t('rules.aloneVersion', { version: version.version })}</p>}
        </div>
      )}
      <section aria-labelledby="rules" className="mt-6">
        <h2 id="rules">{t('rules.rulesOf', { count: version.rules?.length ?? 0 })}</h2>
        <RuleSentences t={t} locale={locale} rules={version.rules} />
      </section>
      <section aria-labelledby="difference" className="mt-6">
        <h2 id="difference">{t('rules.comparedWith', { version: other?.version ?? 0 })}</h2>
        <CompareLinks t={t} application={application} version={version.version} other={other?.version ?? 0} versions={versions} />
        <RuleDifferences t={t} locale={locale} before={other ? other.rules : []} after={version.rules} />
      </section>
      {replay && (
        <section aria-labelledby="replay" className="mt-6">
          <h2 id="replay">{t('rules.replay.title')}</h2>
          <Suspense
            fallback={
              <div role="status" className="mt-2 grid gap-3">
                <p>{t('rules.replay.running')}</p>
                <Skeleton className="h-64 w-full" />
              </div>
            }
          >
            <ReplaySection t={t} locale={locale} application={application} reading={replay} />
          </Suspense>
        </section>
      )}
    </PageContent>
  )
}

type VersionPage = {
  version: RuleVersion
  /** The version to compare with; null: no rules. */
  other: RuleVersion | null
  versions: readonly RuleVersion[]
  active: RuleVersion | null
  /** Null for those who may not change the rules, who see no replay either. */
  findings: VersionFindings | null
  /** In progress; null for the active version, which has nothing to be compared with. */
  replay: Promise<Result<PolicyReplay, ReplayFailure>> | null
  isAlone: boolean
  canActivate: boolean
}

/** Reads everything about one version except its replay, which it starts. Null if the application has no such version. */
async function readVersionPage(
  { pool, reportPool, directory, clock }: Pick<ReturnType<typeof backOfficeRuntime>, 'pool' | 'reportPool' | 'directory' | 'clock'>,
  actor: BackOfficeActor,
  number: number,
  against: number | undefined,
): Promise<VersionPage | null> {
  const { applicationId } = actor
  const mayChange = can(actor.roles, 'policy:change')
  const [version, { versions, active }, { isAlone }] = await Promise.all([
    readRuleVersion(pool, applicationId, number),
    readRuleVersions(pool, applicationId),
    readConfirmation(pool, { applicationId, kinds: ['policy.activate'], actor }),
  ])
  if (!version) return null
  const other = against === undefined ? active : await readRuleVersion(pool, applicationId, against)
  const findings = mayChange
    ? await compareFindings(pool, applicationId, { active: active?.rules ?? [], rules: version.rules ?? [] })
    : null
  const application = directory.find(applicationId)
  const isReplayed = mayChange && !version.isActive && version.rules !== null
  return {
    version,
    other,
    versions,
    active,
    findings,
    replay: isReplayed && application ? replayPolicy(reportPool, { application, version: number, now: clock.now() }) : null,
    isAlone,
    canActivate: !version.isActive && version.rules !== null && number > (active?.version ?? 0),
  }
}

/** Others are reached through the list of versions and the address. */
const OFFERED_MAX = 8

type CompareLinksProps = { t: Translate; application: string; version: number; other: number; versions: readonly RuleVersion[] }

/** The versions that this one can be compared with. */
function CompareLinks({ t, application, version, other, versions }: CompareLinksProps) {
  const others = versions.filter((each) => each.version !== version).slice(0, OFFERED_MAX)
  if (others.length < 2) return null
  return (
    <p className="flex flex-wrap gap-x-3 text-second">
      {t('rules.compareWith')}
      {others.map((each) => (
        <Link
          key={each.version}
          href={paths.ruleVersion(application, version, { against: each.version })}
          scroll={false}
          className="underline aria-[current]:font-strong aria-[current]:no-underline"
          aria-current={each.version === other ? 'true' : undefined}
        >
          {t(each.isActive ? 'rules.versionActive' : 'rules.version', { version: each.version })}
        </Link>
      ))}
    </p>
  )
}
