/** Lets a loop wait until it is notified or the time has passed. A notification while nothing waits is kept for the next wait. */
type WakeSignal = { notify(): void; wait(timeoutMs: number): Promise<void> }

export function createWakeSignal(): WakeSignal {
  let isNotified = false
  let open: (() => void) | undefined
  return {
    notify() {
      isNotified = true
      open?.()
    },
    async wait(timeoutMs) {
      if (!isNotified) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, timeoutMs)
          open = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      }
      open = undefined
      isNotified = false
    },
  }
}
