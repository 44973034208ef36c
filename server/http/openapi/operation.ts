import type { z } from 'zod'
import type { ErrorCause } from './error-causes.ts'

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json }

/** The subjects of the operations, in the order of the reference. */
export const TAGS = [
  { name: 'Tokens', description: 'Access tokens, which every other operation requires.' },
  { name: 'Payments', description: 'Start collects and deposits.' },
  { name: 'Status', description: 'Read the status of one transaction, or have the operator asked for it.' },
  { name: 'Approvals', description: 'Decide transactions that wait for a checker.' },
  { name: 'Lists', description: 'All transactions of the application, in pages, newest first.' },
  { name: 'Totals and balances', description: 'Sums of transactions, and what the application has at each operator.' },
  { name: 'Webhooks', description: 'Requests that the service sends to you.' },
] as const
type Tag = (typeof TAGS)[number]['name']

/** One operation of the API, from which its part of the document is made. */
export type Operation = {
  path: string
  method: 'get' | 'post'
  id: string
  tag: Tag
  summary: string
  description: string
  query?: { schema: z.ZodObject; examples: Record<string, string | number> }
  body?: { schema: Json; description: string; example: Json }
  answer: { schema: Json; description: string; examples: { [name: string]: { summary: string; value: Json } } }
  /** Every reason for which it refuses; each status has those of its own. */
  causes: readonly ErrorCause[]
  /** Tokens: it requires none of the three credentials. */
  isOpen?: boolean
}

/** Refers to a schema of components. */
export function ref(name: string): Json {
  return { $ref: `#/components/schemas/${name}` }
}
