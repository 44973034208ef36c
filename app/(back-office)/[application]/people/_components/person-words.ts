/** The messages of refusals that the actions about people return. */
export const PERSON_REFUSALS = {
  not_permitted: 'action.forbidden',
  not_found: 'action.not_found',
  own_membership: 'people.ownMembership',
  works_elsewhere: 'people.worksElsewhere',
  items_waiting: 'change.itemsWaiting',
  own_proposal: 'people.ownInvitation',
  too_old: 'people.invitationTooOld',
  offline: 'action.offline',
} as const
