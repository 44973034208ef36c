const WORDS_MAX = 8
const WORD_LENGTH_MAX = 40

/** Returns a text as it is compared when people search: lower case, without accents, one space between words. */
export function foldText(text: string): string {
  return text
    .normalize('NFD')
    .replace(/\p{Mn}+/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}

/** Returns the distinct words of a folded text that are searched: at most eight, each cut to 40 characters. */
export function foldedWords(text: string): string[] {
  const words = foldText(text).split(' ').filter(Boolean)
  return [...new Set(words.map((word) => [...word].slice(0, WORD_LENGTH_MAX).join('')))].slice(0, WORDS_MAX)
}
