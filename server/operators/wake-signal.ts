/** Lets a loop rest until somebody rings or the time is over. A ring while nobody waits is kept for the next wait. */
export type WakeSignal = { ring(): void; wait(timeoutMs: number): Promise<void> }

export function createWakeSignal(): WakeSignal {
  let hasRung = false
  let open: (() => void) | undefined
  return {
    ring() {
      hasRung = true
      open?.()
    },
    async wait(timeoutMs) {
      if (!hasRung) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, timeoutMs)
          open = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      }
      open = undefined
      hasRung = false
    },
  }
}
