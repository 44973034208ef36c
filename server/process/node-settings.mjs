// How the pinned Node is started: plain JavaScript, because the launcher runs on the machine's own Node 20.

/**
 * Measured: under every attack of `npm run attack` a process stays below 400 MB. With 32 MB per semi-space it took 414 MB; more
 * room for the young generation would otherwise save CPU, because objects in use are copied less often.
 */
export const NODE_FLAGS = ['--max-old-space-size=256', '--max-semi-space-size=16', '--disable-warning=ExperimentalWarning']

/**
 * How glibc returns memory. Without these, its thresholds grow with the first large block that is freed (a password hash
 * takes 19 MB): from then on large bodies and hashes come from arenas that never shrink, and a process that was under attack
 * holds 100 MB more than it uses. Another C library ignores them.
 */
export const ALLOCATOR_ENVIRONMENT = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '262144',
}
