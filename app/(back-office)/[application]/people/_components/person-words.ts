import type { Role } from '#lib/people/permissions.ts'

/** A member as the dialogs show it. */
export type EditedPerson = { personId: string; name: string; roles: readonly Role[]; isActive: boolean; hasSecondFactor: boolean }

/** The messages of refusals that the actions about people return. */
export const PERSON_REFUSALS = {
  own_membership: 'people.ownMembership',
  items_waiting: 'change.itemsWaiting',
  own_proposal: 'people.ownInvitation',
  too_old: 'people.invitationTooOld',
  needed_for_code: 'people.neededForCode',
  one_administrator_a_day: 'people.oneAdministratorADay',
  had_the_link: 'people.hadTheLink',
  proposer_only: 'people.proposerOnly',
  confirmation_ended: 'people.confirmationEnded',
  wrong_spoken_code: 'people.wrongCode',
  too_many_codes: 'people.tooManyCodes',
  already_member: 'people.alreadyMember',
  combined_roles: 'change.combinedRoles',
} as const
