import { TimeText } from '#components/domain/time-text.tsx'
import { Badge, type Tone } from '#components/ui/display/badge.tsx'
import { Notice } from '#components/ui/display/empty-state.tsx'
import { Table, TableCard, Td, Th, Tr } from '#components/ui/display/table.tsx'
import { Link } from '#components/ui/link.tsx'
import type { ProposedChangeDto } from '#lib/approvals/proposed-change.ts'
import type { Locale } from '#lib/i18n/locale.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { paths } from '#lib/pages/paths.ts'
import { type ApprovalRule, BASE_RULE } from '#lib/rules/approval-policy.ts'
import { compareRules, type RuleDifference, ruleSentence } from '#lib/rules/rule-sentence.ts'
import type { RuleVersion } from '#server/policy/policies.ts'

/** The name of a rule; that of the default rule is in the language of the page. */
function ruleTitle(t: Translate, name: string): string {
  return name === BASE_RULE.name ? t('rules.baseName') : name
}

/** The rules of a version, a sentence each. Null: they cannot be read. */
export function RuleSentences({ t, locale, rules }: { t: Translate; locale: Locale; rules: readonly ApprovalRule[] | null }) {
  if (rules === null) {
    return (
      <div className="mt-2">
        <Notice tone="bad">{t('rules.unreadable')}</Notice>
      </div>
    )
  }
  if (rules.length === 0) return <p className="mt-2">{t('rules.none')}</p>
  return (
    <ol className="mt-2 divide-y divide-line rounded-lg border border-line bg-surface">
      {rules.map((rule) => (
        <li key={rule.name} className="px-4 py-2.5">
          <span className="block wrap-anywhere">{ruleSentence(t, locale, rule)}</span>
          <span className="block text-second text-quiet wrap-anywhere">{ruleTitle(t, rule.name)}</span>
        </li>
      ))}
    </ol>
  )
}

const TONES: Readonly<Record<RuleDifference['kind'], Tone>> = { added: 'ok', removed: 'bad', changed: 'wait', renamed: 'neutral' }

type Props = { t: Translate; locale: Locale; before: readonly ApprovalRule[] | null; after: readonly ApprovalRule[] | null }

/** The differences between two versions, rule by rule, in sentences. */
export function RuleDifferences({ t, locale, before, after }: Props) {
  if (before === null || after === null) return <p className="mt-2">{t('rules.unreadable')}</p>
  const differences = compareRules(before, after)
  if (differences.length === 0) return <p className="mt-2">{t('rules.same')}</p>
  return (
    <ul className="mt-2 grid gap-3">
      {differences.map((difference) => (
        <li key={`${difference.kind} ${nameOf(difference)}`}>
          <p className="flex flex-wrap items-center gap-2">
            <Badge tone={TONES[difference.kind]}>{t(`rules.difference.${difference.kind}`)}</Badge>
            <span className="font-medium wrap-anywhere">{ruleTitle(t, nameOf(difference))}</span>
          </p>
          {'before' in difference && <del className="mt-1 block text-quiet wrap-anywhere">{sentence(t, locale, difference, 'before')}</del>}
          {'after' in difference && <ins className="mt-1 block no-underline wrap-anywhere">{sentence(t, locale, difference, 'after')}</ins>}
        </li>
      ))}
    </ul>
  )
}

function nameOf(difference: RuleDifference): string {
  return 'after' in difference ? difference.after.name : difference.before.name
}

/** A renamed rule differs only by its name. */
function sentence(t: Translate, locale: Locale, difference: RuleDifference, side: 'before' | 'after'): string {
  const rule = side === 'before' && 'before' in difference ? difference.before : 'after' in difference ? difference.after : null
  if (!rule) return ''
  return difference.kind === 'renamed' ? rule.name : ruleSentence(t, locale, rule)
}

type ActivationDifferenceProps = {
  t: Translate
  locale: Locale
  /** Null for a viewer of another application, who cannot open its versions. */
  application: string | null
  change: ProposedChangeDto
  versions: readonly RuleVersion[]
}

/** The differences that a proposed activation makes, rule by rule, with links to the version and its replay. */
export function ActivationDifference({ t, locale, application, change, versions }: ActivationDifferenceProps) {
  const rulesOf = (number: unknown) => (number === 0 ? [] : (versions.find(({ version }) => version === number)?.rules ?? null))
  const after = Number(change.after['version'])
  const gaps = Number(change.after['acceptedGaps'] ?? 0)
  return (
    <>
      <p className="mt-1">
        {t('rules.fromTo', { before: Number(change.before['version']), after })}{' '}
        {application !== null && (
          <Link href={paths.ruleVersion(application, after, { against: Number(change.before['version']) })} className="underline">
            {t('rules.openReplay')}
          </Link>
        )}
      </p>
      {gaps > 0 && <p className="mt-1">{t('rules.gapsAccepted', { count: gaps, name: change.proposedBy.name })}</p>}
      <RuleDifferences t={t} locale={locale} before={rulesOf(change.before['version'])} after={rulesOf(after)} />
    </>
  )
}

/** All versions, the newest first, with who wrote and who activated each. */
export function VersionTable({ t, application, versions }: { t: Translate; application: string; versions: readonly RuleVersion[] }) {
  if (versions.length === 0) return null
  return (
    <div className="mt-6">
      <h2>{t('rules.versions')}</h2>
      <TableCard label={t('rules.versions')} className="mt-2">
        <Table
          caption={t('rules.versions')}
          isList
          head={
            <>
              <Th>{t('rules.column.version')}</Th>
              <Th>{t('rules.column.state')}</Th>
              <Th align="end">{t('rules.column.rules')}</Th>
              <Th>{t('rules.column.proposed')}</Th>
              <Th>{t('rules.column.activated')}</Th>
            </>
          }
        >
          {versions.map((version) => (
            <Tr key={version.version}>
              <Td>
                <Link href={paths.ruleVersion(application, version.version)} className="font-medium underline">
                  {t('rules.version', { version: version.version })}
                </Link>
              </Td>
              <Td>
                <VersionBadge t={t} version={version} />
              </Td>
              <Td align="end" label={t('rules.column.rules')}>
                {version.rules?.length ?? '–'}
              </Td>
              <Td label={t('rules.column.proposed')}>
                <By t={t} name={version.proposedBy?.name ?? null} at={version.proposedAt} />
              </Td>
              <Td label={t('rules.column.activated')}>
                {version.activatedAt === null ? '–' : <By t={t} name={version.activatedBy} at={version.activatedAt} />}
              </Td>
            </Tr>
          ))}
        </Table>
      </TableCard>
    </div>
  )
}

export function VersionBadge({ t, version }: { t: Translate; version: RuleVersion }) {
  if (version.isActive) {
    return (
      <Badge tone="ok" hasDot>
        {t('rules.state.active')}
      </Badge>
    )
  }
  return <Badge>{t(version.activatedAt === null ? 'rules.state.draft' : 'rules.state.earlier')}</Badge>
}

function By({ t, name, at }: { t: Translate; name: string | null; at: string }) {
  return (
    <>
      {name ?? t('rules.commandLine')} <TimeText at={at} className="text-quiet" />
    </>
  )
}
