/** The messages of refusals that the actions of proposed changes return. */
export const CHANGE_REFUSALS = {
  invalid: 'action.invalid',
  not_found: 'action.not_found',
  not_permitted: 'action.forbidden',
  unknown_application: 'action.not_found',
  about_you: 'change.aboutYou',
  no_second_person: 'change.noSecondPerson',
  already_proposed: 'change.alreadyProposed',
  no_difference: 'change.noDifference',
  refused: 'change.refusedByRule',
  not_open: 'change.notOpen',
  own_proposal: 'change.ownProposal',
  changed_meanwhile: 'change.changedMeanwhile',
  not_collectable: 'change.notCollectable',
  confirmation_ended: 'change.confirmationEnded',
  invalid_reason: 'change.reasonMissing',
  offline: 'action.offline',
} as const
