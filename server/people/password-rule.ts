/** Length is the main strength of a password; rules about its characters are not. */
const LENGTH_MIN = 12
const LENGTH_MAX = 1_024
/** Estimating takes time that grows with the length; a password that is strong this far is strong. */
const ESTIMATED_LENGTH_MAX = 64
/** "Safely unguessable" where hashing is slow: more than 100 million guesses. */
const SCORE_MIN = 3
/** Shorter parts of a name are in too many good passwords. */
const WORD_LENGTH_MIN = 3
const PRODUCT_NAME = 'countersign'

/** Why a person may not choose a password. */
export type PasswordProblem = 'password_too_short' | 'password_too_common'

/** The person who chooses the password. Facts that colleagues know about them do not count towards its strength. */
type PasswordOwner = { email: string; name: string }

/**
 * Returns why a password is refused, or undefined. Refused are passwords that are too short or too long, those that a program guesses early
 * (the most common ones, also with digits added or letters replaced, sequences, repetitions and keyboard rows), and those of which little
 * is left without the person's name, e-mail address and the name of the product.
 */
export async function findPasswordProblem(password: string, owner: PasswordOwner): Promise<PasswordProblem | undefined> {
  if (password.length < LENGTH_MIN || password.length > LENGTH_MAX) return 'password_too_short'
  const rest = withoutWords(password.slice(0, ESTIMATED_LENGTH_MAX), wordsOf(owner))
  const estimate = await loadEstimate()
  return estimate(rest) < SCORE_MIN ? 'password_too_common' : undefined
}

function wordsOf({ email, name }: PasswordOwner): string[] {
  const words = [email, ...email.split(/[^\p{L}\p{N}]+/u), name, ...name.split(/[^\p{L}\p{N}]+/u), PRODUCT_NAME]
  const unique = new Set(words.map((word) => word.toLowerCase()).filter((word) => word.length >= WORD_LENGTH_MIN))
  // The longest first, so that no part of an address stays when the whole of it is there.
  return [...unique].sort((one, other) => other.length - one.length)
}

function withoutWords(password: string, words: readonly string[]): string {
  let rest = password.toLowerCase()
  for (const word of words) rest = rest.replaceAll(word, '')
  return rest
}

let estimating: Promise<(password: string) => number> | undefined

/** The dictionaries take 8 MB, and few processes ever set a password: they are loaded with the first one. */
function loadEstimate(): Promise<(password: string) => number> {
  estimating ??= Promise.all([import('@zxcvbn-ts/core'), import('@zxcvbn-ts/language-common')]).then(
    ([{ ZxcvbnFactory }, { adjacencyGraphs, dictionary }]) => {
      const estimator = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs })
      return (password) => estimator.check(password).score
    },
  )
  return estimating
}
