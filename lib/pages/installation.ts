/** The waiting work, in the order of the page. `work`: at operators. */
export type WaitingKind = 'work' | 'webhooks' | 'approvals' | 'statements' | 'changes'

/** Of what waits no more are counted. */
export const WAITING_COUNT_MAX = 1_000

export type ProcessRole = 'all' | 'web' | 'worker' | 'parent'

/** `isSilent`: it has not reported lately, and did not say that it ended. */
export type ProcessDto = {
  processId: string
  role: ProcessRole
  host: string
  pid: number
  release: number
  startedAt: string
  seenAt: string
  isSilent: boolean
}

/** `lagMs` null: nothing was written lately, so that there is nothing to be behind with. */
export type StandbyDto = {
  pid: number
  name: string
  address: string | null
  state: string
  isSynchronous: boolean
  lagMs: number | null
  lagBytes: number
}

/** `required`: commits wait for a standby; `commitWaitMs`: the oldest that waits now. `standbys` null: the role of the database may not read them. */
type ReplicationDto = { required: boolean; standbys: StandbyDto[] | null; commitWaitMs: number }

/** `isDelayed`: longer than the service itself takes; never for what waits for people. */
type WaitingDto = { kind: WaitingKind; oldestAt: string | null; count: number; isDelayed: boolean }

/** `failure` null: it does not fail, but nobody has run it since `since`. */
export type TaskDto = { task: string; since: string; failure: string | null }

/** Null: the role of the database may not read it. */
type ArchiveDto = { isOn: boolean; lastAt: string | null; failedAt: string | null } | null

type BackupNoteDto = { happenedAt: string; note: string } | null

/** Everything on the page Installation. Instants in ISO 8601. `release`: that the database belongs to. */
export type InstallationDto = {
  asOf: string
  release: number
  processes: ProcessDto[]
  replication: ReplicationDto
  waiting: WaitingDto[]
  tasks: { count: number; failing: TaskDto[] }
  archive: ArchiveDto
  backup: BackupNoteDto
  restoreTest: BackupNoteDto
}
