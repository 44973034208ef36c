/** `unclear`: too little can be compared to say that they are the same or that they are not. */
type NameComparison = 'same' | 'different' | 'unclear'

/** A shorter word says too little: particles, titles, cut names. */
const WORD_LENGTH_MIN = 3

/**
 * Compares the name on a payment with the one under which an operator has registered the account, which may be masked ("CLARISSE M."), cut or in
 * another order. A false alarm teaches people to overlook warnings, so the names are `different` only where whole words of both were left, and
 * no word of one can be a word of the other: not as its beginning, its initial or another spelling of it.
 */
export function compareNames(written: string, registered: string): NameComparison {
  const [left, right] = [wordsOf(written), wordsOf(registered)]
  if (left === undefined || right === undefined) return 'unclear'
  const pairs = left.filter((word) => right.some((other) => isSameWord(word, other)))
  if (pairs.length > 0) return restsAgree(left, right) ? 'same' : 'unclear'
  const [wholeLeft, wholeRight] = [left.filter(isWhole), right.filter(isWhole)]
  if (wholeLeft.length === 0 || wholeRight.length === 0) return 'unclear'
  // With a masked name, the one whole word is compared; a family name alone cannot be, because its initial may be all that is shown.
  if (isOnlyInitials(wholeLeft, right) || isOnlyInitials(wholeRight, left)) return 'unclear'
  return wholeLeft.some((word) => wholeRight.some((other) => mayBeSame(word, other))) ? 'unclear' : 'different'
}

/** The words in lower case without accents; undefined where a letter is of another alphabet than ours, or there is none. */
function wordsOf(name: string): string[] | undefined {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().replaceAll('œ', 'oe').replaceAll('æ', 'ae').replace(/['’]/g, '')
  if (/[^\P{L}a-zßøłđŋɓɗɛɔƴ]/u.test(plain)) return undefined
  const words = plain.split(/[^a-zßøłđŋɓɗɛɔƴ]+/).filter((word) => word !== '' && !TITLES.has(word))
  return words.length === 0 ? undefined : words
}

/** Before names, on either side only. */
const TITLES: ReadonlySet<string> = new Set(['mr', 'mme', 'mlle', 'mrs', 'ms', 'dr', 'el', 'hadj', 'hadja', 'elhadj', 'ets'])

function isWhole(word: string): boolean {
  return word.length >= WORD_LENGTH_MIN
}

function isSameWord(word: string, other: string): boolean {
  return isWhole(word) && isWhole(other) && (word === other || word.startsWith(other) || other.startsWith(word) || isOneSlip(word, other))
}

/** Every word of the shorter name has its counterpart, if only an initial. */
function restsAgree(left: readonly string[], right: readonly string[]): boolean {
  const [shorter, longer] = left.length <= right.length ? [left, right] : [right, left]
  return shorter.every((word) => longer.some((other) => isSameWord(word, other) || isInitialOf(word, other) || isInitialOf(other, word)))
}

function isInitialOf(initial: string, word: string): boolean {
  return initial.length < WORD_LENGTH_MIN && word.startsWith(initial)
}

/** Every whole word of one name can be behind an initial of the other. */
function isOnlyInitials(whole: readonly string[], others: readonly string[]): boolean {
  return whole.every((word) => others.some((other) => isInitialOf(other, word)))
}

/** Spellings of one name differ mostly in vowels and silent letters: Mohamed and Mouhamadou, Usman and Ousmane. */
function mayBeSame(word: string, other: string): boolean {
  const [sound, otherSound] = [consonantsOf(word), consonantsOf(other)]
  return sound.startsWith(otherSound) || otherSound.startsWith(sound) || word.includes(other) || other.includes(word)
}

function consonantsOf(word: string): string {
  return word
    .replaceAll('dj', 'j')
    .replaceAll('ph', 'f')
    .replace(/[aeiouyhwɛɔƴ]/g, '')
    .replace(/[ckq]/g, 'k')
    .replace(/(.)\1+/g, '$1')
}

/** One letter was typed wrong, left out or added, in words of at least five. */
function isOneSlip(word: string, other: string): boolean {
  if (Math.min(word.length, other.length) < 5 || Math.abs(word.length - other.length) > 1) return false
  let start = 0
  while (start < word.length && word[start] === other[start]) start++
  const [rest, otherRest] = [word.slice(start), other.slice(start)]
  return rest.slice(1) === otherRest.slice(1) || rest === otherRest.slice(1) || rest.slice(1) === otherRest
}
