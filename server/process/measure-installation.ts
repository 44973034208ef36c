import { setTimeout as delay } from 'node:timers/promises'
import type { InstallationDto } from '#lib/pages/installation.ts'
import { readInstallation } from '#server/reports/installation/read-installation.ts'
import type { Runtime } from '#server/runtime.ts'

/** Prometheus gives up after ten seconds, and then has nothing of this process. */
const READ_LIMIT_MS = 2_000

/**
 * Adds what the page Installation shows to the metrics of a worker, for alerts. Read at each scrape, from the database, so every worker says
 * the same: take the maximum. While the database does not answer, these metrics are absent and the others are there.
 */
export function measureInstallation({ metrics, pool }: Pick<Runtime, 'metrics' | 'pool'>): void {
  const from = (pick: (installation: InstallationDto) => Readonly<Record<string, number>>) => async () => {
    const installation = await readInTime(() => readInstallation(pool))
    return installation ? pick(installation) : {}
  }
  metrics.addGauges('oldest_waiting_seconds', {
    help: 'Age of the oldest that waits, by kind',
    label: 'kind',
    read: from(({ waiting, asOf }) => Object.fromEntries(waiting.map(({ kind, oldestAt }) => [kind, secondsBetween(oldestAt, asOf) ?? 0]))),
  })
  metrics.addGauges('failing_tasks', {
    help: 'Scheduled tasks that fail or that nobody runs',
    label: 'problem',
    read: from(({ tasks: { failing } }) => {
      const late = failing.filter(({ failure }) => failure === null).length
      return { late, fails: failing.length - late }
    }),
  })
  metrics.addGauges('standbys', {
    help: 'Standbys of the database that are connected; absent if its role may not read them',
    label: 'commits',
    read: from(({ replication: { standbys } }): Record<string, number> => {
      if (!standbys) return {}
      const synchronous = standbys.filter(({ isSynchronous }) => isSynchronous).length
      return { synchronous, asynchronous: standbys.length - synchronous }
    }),
  })
  metrics.addGauges('commit_wait_seconds', {
    help: 'For how long the oldest commit has waited for a standby',
    label: 'for',
    read: from(({ replication: { commitWaitMs } }) => ({ standby: commitWaitMs / 1_000 })),
  })
  metrics.addGauges('backup_age_seconds', {
    help: 'Since the last backup and restore test that were noted; absent if none was',
    label: 'kind',
    read: from(({ backup, restoreTest, asOf }) => {
      const ages = { backup: secondsBetween(backup?.happenedAt, asOf), restore_test: secondsBetween(restoreTest?.happenedAt, asOf) }
      return Object.fromEntries(Object.entries(ages).flatMap(([kind, age]) => (age === undefined ? [] : [[kind, age]])))
    }),
  })
}

async function readInTime(read: () => Promise<InstallationDto>): Promise<InstallationDto | undefined> {
  const timer = new AbortController()
  try {
    // biome-ignore lint/plugin/no-silent-error: the database answered first, and the timer was aborted.
    return await Promise.race([read(), delay(READ_LIMIT_MS, undefined, { signal: timer.signal }).catch(() => undefined)])
  } catch {
    // The database is away, which the absence of these metrics says.
    return undefined
  } finally {
    timer.abort()
  }
}

function secondsBetween(from: string | null | undefined, to: string): number | undefined {
  return from ? Math.max(0, (Date.parse(to) - Date.parse(from)) / 1_000) : undefined
}
