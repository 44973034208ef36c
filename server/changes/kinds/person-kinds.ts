import { z } from 'zod'
import { can, combinesRoles } from '#lib/people/permissions.ts'
import { err, ok } from '#lib/result.ts'
import { rolesChangeSchema, someRoles, text } from '#lib/schemas/proposal.ts'
import { isUtcDay } from '#lib/time/time.ts'
import { nameDeputy, readDeputyTerms } from '#server/people/deputies.ts'
import { findInvitee } from '#server/people/invitation-store.ts'
import { invitePerson } from '#server/people/invitations.ts'
import { combinesTooMuch, setMembership } from '#server/people/membership.ts'
import { mayCombineRoles, readMember, worksElsewhere } from '#server/people/person-store.ts'
import { resetMemberSecondFactor } from '#server/people/sign-in/second-factor.ts'
import { type ChangeKind, defineKind } from '../change-kind.ts'

/** A member's roles, and whether the member may act at all. Two administrators grant any role, never to themselves. */
const roles: ChangeKind = defineKind({
  schema: rolesChangeSchema,
  subjectOf: ({ personId }) => personId,
  personOf: ({ personId }) => personId,
  async read(queryable, applicationId, payload) {
    const member = await readMember(queryable, applicationId, payload.personId)
    if (!member) return err('not_a_member')
    if (await combinesTooMuch(queryable, applicationId, member, payload)) return err('combined_roles')
    return ok({
      before: { person: member.name, roles: [...member.roles].sort(), isActive: member.isActive },
      after: { person: member.name, roles: [...payload.roles].sort(), isActive: payload.isActive },
    })
  },
  apply: (trx, { applicationId, payload, actor }) => setMembership(trx, { applicationId, ...payload, actor }),
})

const secondFactorReset: ChangeKind = defineKind({
  schema: z.strictObject({ personId: z.uuid() }),
  subjectOf: ({ personId }) => personId,
  personOf: ({ personId }) => personId,
  async read(queryable, applicationId, { personId }) {
    const member = await readMember(queryable, applicationId, personId)
    if (!member?.isActive) return err('not_a_member')
    if (await worksElsewhere(queryable, applicationId, personId)) return err('works_elsewhere')
    return ok({
      before: { person: member.name, hasSecondFactor: member.hasSecondFactor },
      after: { person: member.name, hasSecondFactor: false },
    })
  },
  apply: (trx, { applicationId, payload, actor }) => resetMemberSecondFactor(trx, { applicationId, ...payload, actor }),
})

/** A person who is not a member yet. Whether they work in another application is not shown: the administrators learn it by confirming. */
const invitation: ChangeKind = defineKind({
  schema: z.strictObject({
    email: z
      .string()
      .trim()
      .toLowerCase()
      .max(320)
      .regex(/^[^\s@\0]+@[^\s@\0]+$/)
      .refine((value) => value.isWellFormed()),
    name: text(200).min(1),
    roles: someRoles,
  }),
  subjectOf: ({ email }) => email,
  async read(queryable, applicationId, { email, name, roles: granted }) {
    const invitee = await findInvitee(queryable, applicationId, email)
    if (invitee === 'member') return err('already_member')
    if (invitee === 'invited') return err('already_invited')
    if (combinesRoles(granted) && !(await mayCombineRoles(queryable, applicationId))) return err('combined_roles')
    return ok({
      before: { person: email, name: null, roles: null },
      after: { person: email, name, roles: [...granted].sort() },
    })
  },
  apply: (trx, { applicationId, payload, actor, proposedBy }) => invitePerson(trx, { applicationId, ...payload, actor, proposedBy }),
  secretOf: ({ token }) => token,
})

const day = z.string().refine(isUtcDay)

/**
 * A deputy for an absent checker. The deputy takes no part in it; the absent person may propose it, and so may an administrator for somebody who
 * cannot. It needs as many people as making the deputy a checker would.
 */
const deputy: ChangeKind = defineKind({
  schema: z.strictObject({ absentId: z.uuid(), deputyId: z.uuid(), from: day, until: day }),
  subjectOf: ({ deputyId }) => deputyId,
  personOf: ({ deputyId }) => deputyId,
  mayPropose: ({ absentId }, personId, granted) => personId === absentId || can(granted, 'people:change'),
  async read(queryable, applicationId, terms) {
    const read = await readDeputyTerms(queryable, applicationId, terms)
    if (!read.ok) return read
    const { absent, deputy: name } = read.value
    return ok({ before: { person: name }, after: { person: name, decidesFor: absent, from: terms.from, until: terms.until } })
  },
  apply: (trx, { applicationId, payload, changeId, actor }) => nameDeputy(trx, { applicationId, ...payload, changeId, actor }),
})

export const PERSON_KINDS = {
  'person.deputy': deputy,
  'person.invite': invitation,
  'person.roles': roles,
  'person.second_factor_reset': secondFactorReset,
}
