import { Checkbox } from '#components/ui/field.tsx'
import { useT } from '#components/ui/translations.tsx'
import { ROLES, type Role } from '#lib/permissions.ts'

type Props = {
  /** The roles of the administrator, who can grant only these. */
  ownRoles: readonly Role[]
  /** The roles that the person has already, which can be kept. */
  held?: readonly Role[]
}

/** The roles of a person, one field per role, named like the role. */
export function RoleBoxes({ ownRoles, held = [] }: Props) {
  const t = useT()
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1 font-medium">{t('people.roles')}</legend>
      {ROLES.map((role) => {
        const mayGrant = held.includes(role) || ownRoles.includes(role)
        return (
          <Checkbox
            key={role}
            name={role}
            defaultChecked={held.includes(role)}
            disabled={!mayGrant}
            label={
              <>
                {t(`role.${role}`)}
                {!mayGrant && <span className="ml-1.5 text-second text-quiet">{t('people.notYourRole')}</span>}
              </>
            }
          />
        )
      })}
    </fieldset>
  )
}
