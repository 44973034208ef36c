import type { Random } from '#lib/seeded-random.ts'
import { killAtOnce } from '#server/testing/service/processes.ts'
import type { Sandbox } from '#server/testing/service/start-sandbox.ts'

/** `postgres` is the server's first process, `backend` one of its sessions or helpers, `simulator` the operators' stand-in. */
export type Victim = 'service' | 'postgres' | 'backend' | 'simulator'

export type PlannedKill = {
  victim: Victim
  /** Counted from the kill before, or from the moment at which requests were accepted again after it. */
  afterMs: number
  /** False: strikes while the service may still be recovering from the kill before. */
  waitsForRecovery: boolean
}

const VICTIMS: readonly Victim[] = [
  'service',
  'service',
  'postgres',
  'backend',
  'simulator',
  'service',
  'postgres',
  'backend',
  'simulator',
  'backend',
]
const QUIET_MS_MAX = 1_800
const SHARE_DURING_RECOVERY = 0.15

/** Who is killed, in which order, after how long. The same seed returns the same plan; six kills hit every kind of victim. */
export function planKills(random: Random, count: number): PlannedKill[] {
  const kills: PlannedKill[] = []
  let deck: Victim[] = []
  for (let number = 0; number < count; number++) {
    if (deck.length === 0)
      deck = shuffle(random, number === 0 ? ['service', 'service', 'postgres', 'postgres', 'backend', 'simulator'] : VICTIMS)
    const victim = deck.pop() ?? 'service'
    const waitsForRecovery = number === 0 || !random.chance(SHARE_DURING_RECOVERY)
    kills.push({ victim, waitsForRecovery, afterMs: random.between(50, QUIET_MS_MAX) })
  }
  return kills
}

function shuffle<Item>(random: Random, items: readonly Item[]): Item[] {
  const left = [...items]
  const shuffled: Item[] = []
  while (left.length > 0) shuffled.push(...left.splice(random.between(0, left.length - 1), 1))
  return shuffled
}

/** Kills one process of this kind and returns its id; undefined when none runs. */
export function killVictim(service: Sandbox, victim: Victim, random: Random): number | undefined {
  const pid = findVictim(service, victim, random)
  return pid !== undefined && killAtOnce(pid) ? pid : undefined
}

function findVictim(service: Sandbox, victim: Victim, random: Random): number | undefined {
  if (victim === 'service') return service.pid
  if (victim === 'simulator') return service.simulatorPid()
  const { postmaster, children } = service.databasePids()
  return victim === 'postgres' || children.length === 0 ? postmaster : random.pick(children)
}
