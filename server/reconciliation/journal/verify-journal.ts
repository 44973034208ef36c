import type { Queryable } from '#server/database/pool.ts'
import type { Certificate } from '../certificates/certificate.ts'
import { listCertificates, listInstallationsThatSign } from '../certificates/certificate-store.ts'
import { codeOf, composeEntry, isSameEntry, reverseLines } from './compose-entry.ts'
import { readCodeVersions, type VersionedCodes } from './journal-accounts.ts'
import { listEntries, readSlugs } from './journal-store.ts'
import { slugOf } from './number-day.ts'

type Difference = { check: string; subject: string; detail: string }
type Entry = Awaited<ReturnType<typeof listEntries>>[number]
type Signed = {
  entries: readonly Entry[]
  certificates: readonly Certificate[]
  codes: readonly VersionedCodes[]
  slugOf: (id: string) => string
}

/**
 * Recomputes every journal entry from its certificate: numbers without a gap, debits equal to credits, an entry for each signed day on which something
 * moved, and the accounts that were valid when it was numbered. Returns what differs; empty: all is right.
 */
export async function verifyJournal(queryable: Queryable): Promise<Difference[]> {
  const slugs = await readSlugs(queryable)
  const differences: Difference[] = []
  for (const applicationId of await listInstallationsThatSign(queryable)) {
    const all = await listCertificates(queryable, { applicationId, from: '-infinity', to: 'infinity' })
    const signed: Signed = {
      entries: await listEntries(queryable, { applicationId }),
      certificates: all.filter(({ state }) => state !== 'prepared'),
      codes: await readCodeVersions(queryable, applicationId),
      slugOf: (id) => slugOf(slugs, id),
    }
    const found = [...signed.entries.flatMap((entry, place) => problemsOf(entry, place, signed)), ...missingEntries(signed)]
    differences.push(...found.map(({ subject, detail }) => ({ check: 'journal', subject: `${applicationId} ${subject}`, detail })))
  }
  return differences
}

function problemsOf(entry: Entry, place: number, signed: Signed): Omit<Difference, 'check'>[] {
  const debitMinor = entry.lines.reduce((sum, { amountMinor }) => sum + (amountMinor > 0n ? amountMinor : 0n), 0n)
  const creditMinor = entry.lines.reduce((sum, { amountMinor }) => sum - (amountMinor < 0n ? amountMinor : 0n), 0n)
  const problems = [
    ...(entry.number === place + 1 ? [] : ['the numbers before it have a gap']),
    ...(debitMinor === creditMinor && debitMinor === entry.debitMinor ? [] : ['its debits and credits differ']),
    ...(entry.kind === 'day' ? dayProblems(entry, signed) : reversalProblems(entry, signed.entries)),
  ]
  return problems.map((detail) => ({ subject: `entry ${entry.number}`, detail }))
}

function dayProblems(entry: Entry, { certificates, codes, slugOf: slug }: Signed): string[] {
  const { wallet, day, version } = entry
  const certificate = certificates.find((each) => each.wallet === wallet && each.day === day && each.version === version)
  if (!certificate) return ['its certificate does not exist']
  const mapping = codes.find((each) => each.version === entry.mappingVersion)
  const hasCodes =
    mapping?.codes.journal === entry.journal &&
    entry.lines.every(({ account, code }) => code === codeOf(mapping.codes, account, wallet)) &&
    certificate.body.currency === entry.currency
  return [
    ...(isSameEntry(composeEntry(certificate.body, slug), entry.lines) ? [] : ['its amounts are not those of its certificate']),
    ...(hasCodes ? [] : ['its accounts are not those that were valid']),
  ]
}

function reversalProblems(entry: Entry, entries: readonly Entry[]): string[] {
  const reversed = entries.find(({ number }) => number === entry.reverses)
  const isOpposite =
    reversed?.kind === 'day' &&
    reversed.wallet === entry.wallet &&
    reversed.day === entry.day &&
    reversed.journal === entry.journal &&
    isSameEntry(reverseLines(reversed.lines), entry.lines) &&
    reversed.lines.every(({ code }, place) => code === entry.lines[place]?.code)
  return isOpposite ? [] : ['it does not undo the entry that it names']
}

/** The newest certificate of each day says what its entry in force has. */
function missingEntries({ certificates, entries, slugOf: slug }: Signed): Omit<Difference, 'check'>[] {
  const newest = new Map(certificates.map((each) => [`${each.wallet} ${each.day}`, each]))
  return [...newest].flatMap(([subject, { wallet, day, body }]) => {
    const inForce = entries.filter((each) => each.kind === 'day' && each.wallet === wallet && each.day === day && each.reversedBy === null)
    const isBooked = inForce.length < 2 && isSameEntry(composeEntry(body, slug), inForce[0]?.lines ?? [])
    return isBooked ? [] : [{ subject, detail: 'its certificate has no journal entry' }]
  })
}
