import { behaviourFor } from './behaviour.ts'
import type { Books } from './books.ts'

/** The account of a number as a simulated operator knows it. */
type Account = { kind: 'not_registered' } | { kind: 'barred' | 'active'; given: string; family: string }

/** The number's account has another name than any payment to it. */
const OF_ANOTHER = '916'
const BARRED = '917'

// In this order, 237677209341 of the examples belongs to Clarisse Mbarga.
const GIVEN_NAMES = ['MOUSSA', 'AMINATA', 'KOFFI', 'ESTHER', 'IBRAHIMA', 'CLARISSE', 'ROSINE', 'SEYDOU']
const FAMILY_NAMES = ['TRAORE', 'DIOP', 'KOUASSI', 'OKELLO', 'NDIAYE', 'DOSSOU', 'KEITA', 'MBARGA']

/**
 * Returns the account of a number, with or without its dial code. Its name is that of the latest payment in the books, in capitals without accents as
 * operators store names; a number without one has a name of its own that never changes.
 */
export function accountOf(books: Pick<Books, 'entries'>, phoneNumber: string): Account {
  const { result } = behaviourFor(phoneNumber)
  if (result.kind === 'failed' && result.message === 'Compte non inscrit') return { kind: 'not_registered' }
  const ending = phoneNumber.slice(-3)
  const named = ending === OF_ANOTHER ? undefined : nameOf(books, phoneNumber)
  const [given = '', ...family] = (named ?? '').split(/\s+/)
  const own = Number(phoneNumber.slice(-6))
  const name = named
    ? { given, family: family.join(' ') }
    : {
        given: GIVEN_NAMES[own % GIVEN_NAMES.length] ?? '',
        family: FAMILY_NAMES[Math.floor(own / GIVEN_NAMES.length) % FAMILY_NAMES.length] ?? '',
      }
  return { kind: ending === BARRED ? 'barred' : 'active', ...name }
}

function nameOf(books: Pick<Books, 'entries'>, phoneNumber: string): string | undefined {
  let latest: { customerName?: string | undefined; acceptedAtMs: number } | undefined
  for (const entry of books.entries()) {
    const isSame = entry.phoneNumber.endsWith(phoneNumber) || phoneNumber.endsWith(entry.phoneNumber)
    if (isSame && entry.customerName && entry.acceptedAtMs >= (latest?.acceptedAtMs ?? 0)) latest = entry
  }
  return latest?.customerName?.normalize('NFD').replace(/\p{M}/gu, '').toUpperCase()
}
