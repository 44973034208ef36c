import { accept, latency } from '#e2e/bench/parts/accept.ts'
import { acceptHistory } from '#e2e/bench/parts/accept-history.ts'
import { batches } from '#e2e/bench/parts/batches.ts'
import { flow } from '#e2e/bench/parts/flow.ts'
import { payDay } from '#e2e/bench/parts/pay-day.ts'
import { pages, totals } from '#e2e/bench/parts/reading.ts'
import { reconcile } from '#e2e/bench/parts/reconcile.ts'
import { scale } from '#e2e/bench/parts/scale.ts'
import { web } from '#e2e/bench/parts/web.ts'
import { webhooks } from '#e2e/bench/parts/webhooks.ts'
import type { Part } from './context.ts'

/** Every part of the run, in order; a part that is added here can be named on the command line. */
export const PARTS: Part[] = [accept, latency, pages, totals, webhooks, flow, scale, acceptHistory, web, batches, reconcile, payDay]
