// How the pinned Node is started: plain JavaScript, because the launcher runs on the machine's own Node 20.

/**
 * The young generation is half of what is fastest: twice as much saves a fifth of a webhook's CPU, because objects in use are copied less
 * often, and holds 25 MB more after every page was served, which the limit of 350 MB under attack does not allow (`npm run attack`).
 * The work in progress under load survives young collections, so the old space grows by 25 KB per transaction: V8 would collect all of it
 * 1.3 times a second, and with room to grow by 150 % it does so half as often, for 15 MB more. `gc` is exposed for
 * `http/request/body.ts`.
 */
export const NODE_FLAGS = [
  // One word, which the threads that read files pick out.
  `--import=${new URL('./load-stripped.mjs', import.meta.url).href}`,
  '--max-old-space-size=256',
  '--max-semi-space-size=16',
  '--heap-growing-percent=150',
  // While V8 saves memory (`http/door/memory-pressure.ts`): twice as much as usual is moved together by one collection.
  '--compaction-max-evacuated-bytes-mb-for-optimize-memory=12',
  '--expose-gc',
  '--disable-warning=ExperimentalWarning',
]

/**
 * How glibc returns memory. Without these, its thresholds grow with the first large block that is freed (a password hash
 * takes 9 MB): from then on large bodies and hashes come from arenas that never shrink, and a process that was under attack
 * holds 100 MB more than it uses. Another C library ignores them.
 */
export const ALLOCATOR_ENVIRONMENT = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '262144',
}
