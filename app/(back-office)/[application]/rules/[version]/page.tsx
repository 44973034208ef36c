import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { Suspense } from 'react'
import { ButtonLink } from '#components/ui/button.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { Skeleton } from '#components/ui/skeleton.tsx'
import { PageMessages } from '#components/ui/translations.tsx'
import { MESSAGES } from '#lib/i18n/messages.ts'
import { pickMessages } from '#lib/i18n/translate.ts'
import { paths } from '#lib/paths.ts'
import { can } from '#lib/permissions.ts'
import { readAddress } from '#lib/schemas/read-address.ts'
import { parseVersion, ruleVersionAddressSchema } from '#lib/schemas/rule-address.ts'
import { requireActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT, readLocale } from '#server/back-office/preferences.ts'
import { CompareLinks } from '../_components/compare-links.tsx'
import { Findings } from '../_components/findings.tsx'
import { ReplaySection } from '../_components/replay-section.tsx'
import { RuleDifferences } from '../_components/rule-differences.tsx'
import { RuleSentences } from '../_components/rule-sentences.tsx'
import { VersionButtons } from '../_components/version-buttons.tsx'
import { VersionBadge } from '../_components/version-table.tsx'
import { readVersionPage } from '../read-version-page.ts'

type Props = {
  params: Promise<{ application: string; version: string }>
  searchParams: Promise<Record<string, string | string[] | undefined>>
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: (await getT())('rules.version', { version: (await params).version }) }
}

/** One version of the rules: what it changes, what it says, and what it would have stopped. */
export default async function RuleVersionPage({ params, searchParams }: Props) {
  const { application, version: segment } = await params
  const actor = await requireActor(application, 'policy:read')
  const number = parseVersion(segment)
  const address = readAddress(ruleVersionAddressSchema, await searchParams)
  if (number === undefined) notFound()
  const [t, locale, state] = await Promise.all([
    getT(),
    readLocale(),
    readVersionPage(
      backOfficeRuntime(),
      actor.applicationId,
      number,
      address.ok ? address.value.against : undefined,
      can(actor.roles, 'policy:change'),
    ),
  ])
  if (!state) notFound()
  const { version, other, versions, active, findings, replay, isAlone, canActivate } = state
  return (
    <PageMessages messages={pickMessages(MESSAGES[locale], ['rules.', 'change.'])}>
      <PageHeader
        title={t('rules.version', { version: version.version })}
        lead={<VersionBadge t={t} version={version} />}
        actions={findings && <ButtonLink href={paths.editRules(application, { from: version.version })}>{t('rules.editCopy')}</ButtonLink>}
      />
      {findings && (
        <div className="mt-4 grid gap-3">
          <Findings t={t} locale={locale} findings={findings} />
          {!isAlone && (
            <VersionButtons
              application={application}
              version={version.version}
              canActivate={canActivate}
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
    </PageMessages>
  )
}
