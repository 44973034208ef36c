import type { Arsenal } from '#e2e/attack/arsenal.ts'
import type { Receiver } from '#e2e/crash/receiver.ts'
import type { Sandbox } from '#server/testing/service/start-sandbox.ts'

export type ScenarioContext = {
  service: Sandbox
  arsenal: Arsenal
  receiver: Receiver
  /** How long the abuse goes on. */
  minutes: number
  seed: number
  say(line: string): void
}

/** A day of abuse, compressed. `play` returns one sentence for each broken promise to well-behaved clients. */
export type Scenario = { name: string; play(context: ScenarioContext): Promise<string[]> }
