import type { RefusalCause } from './refusal-cause.ts'

/** What the simulated operator can be told to do, by the last three digits of the phone number. `000`: the usual success. */
export const SIMULATED_ENDINGS = [
  '000',
  '901',
  '902',
  '903',
  '904',
  '905',
  '906',
  '907',
  '908',
  '909',
  '910',
  '911',
  '912',
  '913',
  '914',
  '915',
] as const
export type SimulatedEnding = (typeof SIMULATED_ENDINGS)[number]

/** A call of a program, as the sandbox shows it. */
export type ApiRequestDto = {
  requestId: string
  at: string
  method: string
  path: string
  status: number
  cause: RefusalCause | null
  address: string
}
