import { createPool, type Pool } from './pool.ts'

export type Pools = {
  /** Everything that moves or decides about money, and who is calling. */
  pool: Pool
  /** Lists, totals and exports: on the replica where there is one. Money is never decided from it. */
  reportPool: Pool
}

type PoolsOptions = {
  databaseUrl: string
  /** Undefined: reports read from the primary. */
  databaseReplicaUrl: string | undefined
  /** Connections of the process to the primary, reports included where there is no replica. */
  poolSize: number
  preparesStatements: boolean
  role: string
}

/** Of the connections to the primary, how many reports may hold: enough for pages, and payments always find others. */
const REPORT_SHARE = 3 / 8

/**
 * Opens the two pools of a process. Reports have connections of their own also without a replica: any number of slow
 * reports leaves payments theirs.
 */
export function openPools({ databaseUrl, databaseReplicaUrl, poolSize, preparesStatements, role }: PoolsOptions): Pools {
  const reportConnections = databaseReplicaUrl ? poolSize : Math.max(1, Math.floor(poolSize * REPORT_SHARE))
  return {
    pool: createPool({
      databaseUrl,
      connectionsMax: databaseReplicaUrl ? poolSize : poolSize - reportConnections,
      applicationName: `countersign ${role}`,
      preparesStatements,
    }),
    reportPool: createPool({
      databaseUrl: databaseReplicaUrl ?? databaseUrl,
      connectionsMax: reportConnections,
      applicationName: 'countersign reports',
      preparesStatements,
    }),
  }
}
