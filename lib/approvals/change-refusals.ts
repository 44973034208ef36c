/** The messages of all refusals of the actions of proposed changes. A refusal of a kind that has none is shown as `refused`. */
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
  proposer_gone: 'change.proposerGone',
  already_member: 'change.alreadyMember',
  already_invited: 'change.alreadyInvited',
  works_elsewhere: 'change.worksElsewhere',
  combined_roles: 'change.combinedRoles',
  items_waiting: 'change.itemsWaiting',
  invalid_settings: 'operators.invalidSettings',
  unknown_wallet: 'action.not_found',
  invalid_zone: 'change.invalidZone',
  has_lines: 'close.fixedDay',
  known_header: 'statements.map.knownHeader',
  balance_too_low: 'change.balanceTooLow',
  reference_booked: 'change.referenceBooked',
  unknown_transaction: 'change.unknownTransaction',
  not_final: 'change.notFinal',
  not_a_success: 'change.notASuccess',
  not_a_failure: 'change.notAFailure',
  unknown_line: 'action.not_found',
  does_not_fit: 'change.doesNotFit',
  already_posted: 'change.alreadyPosted',
  not_signed: 'change.notSigned',
  already_adjusted: 'change.alreadyAdjusted',
  not_the_installation: 'change.notTheInstallation',
  not_collectable: 'change.notCollectable',
  confirmation_ended: 'change.confirmationEnded',
  invalid_reason: 'change.reasonMissing',
  offline: 'action.offline',
} as const

export type ChangeRefusal = Exclude<keyof typeof CHANGE_REFUSALS, 'offline'>

/** Whether a refusal of a kind has a message. */
export function isChangeRefusal(reason: string): reason is ChangeRefusal {
  return reason !== 'offline' && Object.hasOwn(CHANGE_REFUSALS, reason)
}
