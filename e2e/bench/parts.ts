import type { Part } from './context.ts'
import { accept, latency } from './parts/accept.ts'
import { pages, totals } from './parts/reading.ts'
import { web } from './parts/web.ts'
import { webhooks } from './parts/webhooks.ts'

/** Every part of the run, in order; a part that is added here can be named on the command line. */
export const PARTS: Part[] = [accept, latency, pages, totals, webhooks, web]
