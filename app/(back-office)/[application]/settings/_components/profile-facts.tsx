import { Facts } from '#components/ui/card.tsx'
import { Link } from '#components/ui/link.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import { paths } from '#lib/paths.ts'
import type { Role } from '#lib/permissions.ts'

type Membership = { slug: string; name: string; roles: readonly Role[] }
type Props = { t: Translate; application: string; person: { name: string; email: string; memberships: readonly Membership[] } }

/** Name, e-mail and roles. Only administrators change them. */
export function ProfileFacts({ t, application, person }: Props) {
  const rolesOf = (membership: Membership) => membership.roles.map((role) => t(`role.${role}`)).join(', ')
  const here = person.memberships.find((membership) => membership.slug === application)
  const others = person.memberships.filter((membership) => membership !== here)
  return (
    <Facts
      nameClass="w-28 sm:w-36"
      facts={[
        { name: t('settings.name'), value: <bdi>{person.name}</bdi> },
        { name: t('signIn.email'), value: person.email },
        ...(here ? [{ name: t('settings.rolesHere'), value: `${rolesOf(here)} · ${here.name}` }] : []),
        {
          name: t('settings.elsewhere'),
          value:
            others.length === 0 ? (
              <span className="text-quiet">{t('settings.nowhereElse')}</span>
            ) : (
              <ul className="grid gap-1">
                {others.map((membership) => (
                  <li key={membership.slug}>
                    <Link href={paths.settings(membership.slug)} className="text-accent hover:underline">
                      {membership.name}
                    </Link>
                    <span className="text-quiet"> · {rolesOf(membership)}</span>
                  </li>
                ))}
              </ul>
            ),
        },
      ]}
    />
  )
}
