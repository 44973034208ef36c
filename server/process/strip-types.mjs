// Our TypeScript as JavaScript, written once. Node can strip the types at each start, but its compiler for that stays in the memory of the
// process, and so does Node's cache of compiled code: 22 MB in each process. Plain JavaScript, because nothing strips the types of this file.
import { createHash, randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'

const ROOT = new URL('../../', import.meta.url)
/** In the output of the build, because that is what is copied to where the service runs. */
const FOLDER = new URL('.next/stripped/', ROOT)
const FOLDERS = ['lib', 'server']
/** Read by Node when the pages start. */
const CONFIG = 'next.config.ts'

/** Returns the JavaScript of a source that was stripped before; undefined for any other. Its name is its content: it is never out of date. */
export function readStripped(source) {
  try {
    return readFileSync(new URL(nameOf(source), FOLDER), 'utf8')
  } catch {
    // Not built, or changed since.
    return undefined
  }
}

/** Strips every source that the service may load, and removes the output of sources that are gone. */
export function stripAll() {
  mkdirSync(FOLDER, { recursive: true })
  const present = new Set(readdirSync(FOLDER))
  for (const source of sources()) {
    const name = nameOf(source)
    if (present.delete(name)) continue
    // Renamed, because a service that starts meanwhile must not read half a file.
    const unfinished = new URL(`${name}.${randomUUID()}`, FOLDER)
    writeFileSync(unfinished, stripTypeScriptTypes(source))
    renameSync(unfinished, new URL(name, FOLDER))
  }
  for (const name of present) rmSync(new URL(name, FOLDER), { force: true })
}

function sources() {
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(new URL(`${folder}/`, ROOT), { recursive: true })
      .filter((file) => file.endsWith('.ts') && !/\.(?:test|d)\.ts$/.test(file))
      .map((file) => `${folder}/${file}`),
  )
  return [CONFIG, ...files].map((file) => readFileSync(new URL(file, ROOT), 'utf8'))
}

function nameOf(source) {
  return `${createHash('sha256').update(source).digest('hex')}.js`
}
