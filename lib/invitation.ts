/** What a link is for, as its page shows it. `isKnown`: somebody signs in with this e-mail address already. */
export type Invitation = { applicationName: string; email: string; name: string; isKnown: boolean; requiresSecondFactor: boolean }

export type InvitationRefusal =
  | 'unknown'
  | 'expired'
  | 'used'
  | 'throttled'
  | 'invalid'
  | 'invalid_name'
  | 'password_too_short'
  | 'password_too_common'
  | 'has_account'
