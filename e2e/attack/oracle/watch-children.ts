import { listProcesses, type ProcessEntry } from '#server/testing/service/processes.ts'

const LOOK_EVERY_MS = 500

type LostChild = { atMs: number; command: string }

export type ChildWatch = { lost: readonly LostChild[]; watched(): number; stop(): void }

/** Node processes that a process has started: the simulator, web processes. */
export function childrenOf(parent: number): ProcessEntry[] {
  return listProcesses().filter((one) => one.parent === parent && one.command.includes('server/') && one.command.includes('node'))
}

/** Notes every child that ends while its parent lives on. `pidOf` is asked each time, because the parent may be replaced. */
export function watchChildren(pidOf: () => number | undefined): ChildWatch {
  const lost: LostChild[] = []
  let parent: number | undefined
  let known: ProcessEntry[] = []
  const timer = setInterval(() => {
    const pid = pidOf()
    const now = pid === undefined ? [] : childrenOf(pid)
    if (pid !== undefined && pid === parent && pid === pidOf())
      for (const child of known)
        if (!now.some((one) => one.pid === child.pid)) lost.push({ atMs: Date.now(), command: child.command.slice(0, 120) })
    parent = pid
    known = now
  }, LOOK_EVERY_MS)
  return { lost, watched: () => known.length, stop: () => clearInterval(timer) }
}
