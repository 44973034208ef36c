import { fail } from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { DispatcherProcessPlan } from './dispatcher-process.ts'

const MAIN = fileURLToPath(new URL('./dispatcher-process.ts', import.meta.url))

/** Starts a dispatcher in a process of its own, and returns once it claims work. */
export async function startDispatcherProcess(plan: DispatcherProcessPlan): Promise<ChildProcess> {
  const child = spawn(process.execPath, [MAIN, JSON.stringify(plan)], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout ?? fail(), 'data')
  return child
}

/** Kills it as a machine that fails does: nothing is stored on the way. */
export async function killProcess(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL')
  await once(child, 'exit')
}
