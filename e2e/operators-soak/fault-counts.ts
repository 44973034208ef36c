/** How many calls and callbacks passed, and what happened to those that were disturbed. */
export class FaultCounts {
  calls = 0
  callbacks = 0
  /** True: no further call or callback is disturbed. */
  isOver = false
  readonly faults = new Map<string, number>()

  countCall(): void {
    this.calls++
  }

  countCallback(): void {
    this.callbacks++
  }

  countFault(name: string): void {
    this.faults.set(name, (this.faults.get(name) ?? 0) + 1)
  }

  get disturbed(): number {
    return [...this.faults.values()].reduce((sum, count) => sum + count, 0)
  }
}
