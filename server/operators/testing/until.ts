import { setTimeout as delay } from 'node:timers/promises'

/** Checks the condition until it returns a value; throws after 20 s with `what`. */
export async function until<Value>(condition: () => Promise<Value | undefined | false>, what: string): Promise<Value> {
  const endsAtMs = performance.now() + 20_000
  while (performance.now() < endsAtMs) {
    const value = await condition()
    if (value !== undefined && value !== false) return value
    await delay(5)
  }
  throw new Error(`Waited 20 s in vain: ${what}`)
}
