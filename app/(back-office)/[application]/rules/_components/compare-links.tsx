import { Link } from '#components/ui/link.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import { paths } from '#lib/paths.ts'
import type { RuleVersion } from '#server/policy/read-rules.ts'

/** Others are reached through the list of versions and the address. */
const OFFERED_MAX = 8

type Props = { t: Translate; application: string; version: number; other: number; versions: readonly RuleVersion[] }

/** The versions that this one can be compared with. */
export function CompareLinks({ t, application, version, other, versions }: Props) {
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
