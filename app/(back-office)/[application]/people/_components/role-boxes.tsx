'use client'

import { type FormEvent, useState } from 'react'
import { Notice } from '#components/ui/empty-state.tsx'
import { Checkbox } from '#components/ui/field.tsx'
import { useT } from '#components/ui/translations.tsx'
import { combinesRoles, ROLES, type Role } from '#lib/permissions.ts'

/** The roles of a person, one field per role, named like the role. `held`: those that the person has already. */
export function RoleBoxes({ held = [] }: { held?: readonly Role[] }) {
  const t = useT()
  const [isCombined, setIsCombined] = useState(combinesRoles(held))
  function note(event: FormEvent<HTMLFieldSetElement>) {
    const boxes = [...event.currentTarget.querySelectorAll<HTMLInputElement>('input:checked')]
    setIsCombined(combinesRoles(boxes.map(({ name }) => name)))
  }
  return (
    <fieldset className="grid gap-2" onChange={note}>
      <legend className="mb-1 font-medium">{t('people.roles')}</legend>
      {ROLES.map((role) => (
        <Checkbox key={role} name={role} defaultChecked={held.includes(role)} label={t(`role.${role}`)} />
      ))}
      {isCombined && <Notice tone="wait">{t('change.combinesRoles')}</Notice>}
    </fieldset>
  )
}
