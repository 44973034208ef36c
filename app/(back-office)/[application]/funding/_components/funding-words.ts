/** The messages of refusals that the actions of fundings return. */
export const FUNDING_REFUSALS = {
  not_found: 'action.not_found',
  not_permitted: 'action.forbidden',
  unknown_application: 'action.not_found',
  no_second_person: 'funding.alone',
  reference_waiting: 'funding.referenceWaiting',
  reference_booked: 'funding.referenceBooked',
  balance_too_low: 'funding.balanceTooLow',
  proposer_gone: 'funding.proposerGone',
  not_open: 'funding.notOpen',
  own_proposal: 'funding.ownProposal',
  invalid_reason: 'funding.reasonMissing',
  offline: 'action.offline',
} as const
