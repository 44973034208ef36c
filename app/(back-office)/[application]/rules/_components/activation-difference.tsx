import { Link } from '#components/ui/link.tsx'
import type { Locale } from '#lib/i18n/locale.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { paths } from '#lib/paths.ts'
import type { ProposedChangeDto } from '#lib/proposed-change.ts'
import type { RuleVersion } from '#server/policy/read-rules.ts'
import { RuleDifferences } from './rule-differences.tsx'

type Props = { t: Translate; locale: Locale; application: string; change: ProposedChangeDto; versions: readonly RuleVersion[] }

/** What a proposed activation changes, rule by rule, with a link to the version and its replay. */
export function ActivationDifference({ t, locale, application, change, versions }: Props) {
  const rulesOf = (number: unknown) => (number === 0 ? [] : (versions.find(({ version }) => version === number)?.rules ?? null))
  const after = Number(change.after['version'])
  return (
    <>
      <p className="mt-1">
        {t('rules.fromTo', { before: Number(change.before['version']), after })}{' '}
        <Link href={paths.ruleVersion(application, after, { against: Number(change.before['version']) })} className="underline">
          {t('rules.openReplay')}
        </Link>
      </p>
      <RuleDifferences t={t} locale={locale} before={rulesOf(change.before['version'])} after={rulesOf(after)} />
    </>
  )
}
