import { z } from 'zod'

/** `a,b` in an address: words of a closed set, in the order of that set; the empty list if the address has none. */
export function listOf<const Values extends readonly [string, ...string[]]>(words: Values) {
  return z
    .string()
    .transform((text) => (text === '' ? [] : text.split(',')))
    .pipe(z.array(z.enum(words)))
    .transform((given) => words.filter((word): word is Values[number] => given.some((each) => each === word)))
    .default([])
}
