import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** A process as /proc shows it; the words of its command line are separated by spaces. */
export type ProcessEntry = { pid: number; parent: number; command: string }

/** Returns every process of this machine that still runs. */
export function listProcesses(): ProcessEntry[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const status = readText(path.join('/proc', name, 'status'))
      const command = readText(path.join('/proc', name, 'cmdline'))
        .replaceAll('\0', ' ')
        .trim()
      const parent = Number(/^PPid:\s+(\d+)/m.exec(status)?.[1] ?? 0)
      return command === '' || /^State:\s+Z/m.test(status) ? [] : [{ pid: Number(name), parent, command }]
    })
}

/** Returns the running processes with this in their command line, children of `parent` if one is named. */
export function pidsOf(fragment: string, parent?: number): number[] {
  return listProcesses()
    .filter((one) => one.command.includes(fragment) && (parent === undefined || one.parent === parent))
    .map(({ pid }) => pid)
}

/** Kills immediately; false when there was no process left. */
export function killAtOnce(pid: number): boolean {
  try {
    process.kill(pid, 'SIGKILL')
    return true
  } catch {
    return false
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // It ended in between.
    return ''
  }
}
