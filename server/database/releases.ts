import { readFile, writeFile } from 'node:fs/promises'
import { z } from 'zod'
import { readSchemaFiles } from './migrate.ts'
import { RELEASE, type Release } from './release.ts'

const FILE = new URL('./releases.json', import.meta.url)

/** A release that was named: `files` are the digests of its migrations and functions. */
const releaseSchema = z.object({
  number: z.int().positive(),
  version: z.string(),
  commit: z.string().regex(/^[0-9a-f]{40}$/),
  files: z.record(z.string(), z.string()),
})
export type NamedRelease = z.infer<typeof releaseSchema>

/** Returns every release that was named, oldest first. In a file of the repository, because a clone may lack tags. */
async function readReleases(): Promise<NamedRelease[]> {
  return z.array(releaseSchema).parse(JSON.parse(await readFile(FILE, 'utf8')))
}

export async function findNewestRelease(): Promise<NamedRelease | undefined> {
  return (await readReleases()).at(-1)
}

/** Its message is one sentence for the person who names a release. */
export class ReleaseRefused extends Error {}

/** Adds the present schema as a release at the end of the file. Throws a ReleaseRefused if its number was named before. */
export async function nameRelease(version: string, commit: string): Promise<NamedRelease> {
  const releases = await readReleases()
  const newest = releases.at(-1)
  if (newest && newest.number >= RELEASE.number)
    throw new ReleaseRefused(`Release ${newest.number} was named before: raise the number in server/database/release.ts first.`)
  const named = releaseSchema.parse({ number: RELEASE.number, version, commit, files: await readSchemaFiles() })
  await writeFile(FILE, `${JSON.stringify([...releases, named], null, 2)}\n`)
  return named
}

/**
 * Returns one sentence for each rule of released schemas that the present one breaks: a released migration is never edited or removed, and a
 * schema that differs from the newest named release has a higher number.
 */
export function findBrokenRules(newest: NamedRelease, number: number, present: Readonly<Record<string, string>>): string[] {
  const problems: string[] = []
  for (const [file, digest] of Object.entries(newest.files)) {
    if (file.includes('/') || present[file] === digest) continue
    problems.push(`${file} belongs to release ${newest.number} and is never edited or removed: write a new migration.`)
  }
  const names = new Set([...Object.keys(newest.files), ...Object.keys(present)])
  const changed = [...names].filter((file) => newest.files[file] !== present[file])
  if (number <= newest.number && changed.length > 0)
    problems.push(`${changed.join(', ')}: changed after release ${newest.number}. Raise the number in server/database/release.ts.`)
  return problems
}

/** Statements after which a process of the release before fails, or waits for a table that is rewritten. */
const TAKES_AWAY =
  /\b(drop (table|column|view|function|type|schema)|rename (to|column|constraint)|alter column "?\w+"? (set data )?type|(alter column "?\w+"? )?set not null|add column (if not exists )?"?\w+"? [^,;]*\bnot null\b(?![^,;]*\bdefault\b))/i

/**
 * Returns a sentence for each statement of a new migration that takes away what the newest named release uses. Allowed once `compatibleFrom` says
 * that no process of that release runs any longer. `texts`: migrations by their file.
 */
export function findTakenAway(newest: NamedRelease, release: Release, texts: Readonly<Record<string, string>>): string[] {
  if (release.compatibleFrom > newest.number) return []
  return Object.entries(texts)
    .filter(([file]) => newest.files[file] === undefined)
    .flatMap(([file, text]) => {
      const statement = TAKES_AWAY.exec(text.replaceAll(/--.*$/gm, '').replaceAll(/\s+/g, ' '))?.[0]
      return statement === undefined
        ? []
        : [
            `${file}: "${statement}" takes away what processes of release ${newest.number} use. Do it one release later, with compatibleFrom above ${newest.number}.`,
          ]
    })
}
