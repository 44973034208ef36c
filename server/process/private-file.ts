import { renameSync, writeFileSync } from 'node:fs'

/** Writes a file that only its owner reads (0600). The file is complete or absent, whenever the process is killed. */
export function writePrivateFile(file: string, content: string): void {
  const unfinished = `${file}.${process.pid}.new`
  writeFileSync(unfinished, content, { mode: 0o600 })
  renameSync(unfinished, file)
}
