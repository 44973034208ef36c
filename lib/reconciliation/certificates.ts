/** Why a day of a wallet cannot be prepared or signed. The texts are `close.sign.obstacle.<obstacle>`. */
export type DayObstacle =
  | 'already_signed'
  /** It ended less than an hour ago at the operator, or has not ended. */
  | 'not_over'
  /** Payments that began in the day could still be posted. */
  | 'not_sealed'
  | 'not_covered'
  | 'unexplained'
  /** A later day was signed before. */
  | 'before_first'
  /** The day before is not signed. */
  | 'previous_open'
  /** The statement opens with another balance than the one that was signed the day before. */
  | 'opening_differs'

/** `prepared` is no certificate yet. The texts are `close.sign.state.<state>`. */
export type CertificateState = 'prepared' | 'signed' | 'reopened' | 'to_be_signed_again'

/** One version of a day. `hash`: hexadecimal; `carried`: a decimal. */
export type DayVersionDto = {
  state: CertificateState
  version: number
  hash: string
  carried: string
  preparedBy: string
  preparedAt: string
  signedBy: string | null
  signedAt: string | null
}

/** The signature of a day as its page shows it. `refusal`: why the viewer cannot sign it. The newest version is first. */
export type DaySigningDto = {
  obstacle: DayObstacle | null
  refusal: 'not_prepared' | 'own_preparation' | 'maker' | null
  versions: readonly DayVersionDto[]
}
