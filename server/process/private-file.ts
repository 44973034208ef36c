import { chmodSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** Only its owner enters. */
const PRIVATE_FOLDER = 0o700

/** Writes a file that only its owner reads (0600). The file is complete or absent, whenever the process is killed. */
export function writePrivateFile(file: string, content: string): void {
  const unfinished = `${file}.${process.pid}.new`
  writeFileSync(unfinished, content, { mode: 0o600 })
  renameSync(unfinished, file)
}

/** Creates the data folder of a sandbox, which only its owner enters (0700), and tightens it and its folders if somebody made them with wider rights. */
export function makeDataFolder(dataDirectory: string): void {
  mkdirSync(dataDirectory, { recursive: true, mode: PRIVATE_FOLDER })
  chmodSync(dataDirectory, PRIVATE_FOLDER)
  for (const entry of readdirSync(dataDirectory, { withFileTypes: true }))
    if (entry.isDirectory()) chmodSync(path.join(dataDirectory, entry.name), PRIVATE_FOLDER)
}
