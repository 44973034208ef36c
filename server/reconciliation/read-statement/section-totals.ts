import { formatMinor } from '#lib/money/money.ts'
import type { StatementRow } from './cells/statement-row.ts'
import type { RawLine } from './formats/format.ts'
import { UnreadableStatement } from './unreadable-statement.ts'

/** The sums of one section, to be compared with the total that it prints. Lines that failed are in neither. */
export class SectionTotals {
  #debit = 0n
  #credit = 0n

  begin(): void {
    this.#debit = 0n
    this.#credit = 0n
  }

  add({ kind, grossMinor }: RawLine): void {
    if (kind === 'failed') return
    if (grossMinor < 0n) this.#debit -= grossMinor
    else this.#credit += grossMinor
  }

  /** Throws UnreadableStatement if the printed total differs: rows are missing, or were changed. */
  check(row: StatementRow): void {
    const [debit, credit] = [row.size('Débit'), row.size('Crédit')]
    if (debit === this.#debit && credit === this.#credit) return
    const differs = debit === this.#debit ? [credit, this.#credit] : [debit, this.#debit]
    const [printed = 0n, summed = 0n] = differs
    throw new UnreadableStatement('total_differs', { printed: formatMinor(printed), summed: formatMinor(summed) })
  }
}
