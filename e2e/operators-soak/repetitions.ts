import type { BookEntry } from '#server/operators/simulator/books.ts'
import type { Passing } from './fault-proxy.ts'
import { answerAsUnknown, queriedReference, submittedReference } from './submissions.ts'

/** More than are needed before a submission is repeated. */
const DENIALS_MAX = 12

/**
 * Submissions that arrive twice although the service has done nothing wrong: one was held up on its way and arrives after the next, or
 * the operator denied having it. An operator that recognises a submission by its reference still pays once.
 */
export class Repetitions {
  /** Submissions on their way that the next one of the same transfer overtakes. */
  #heldUp = new Map<string, Passing['carryOut'][]>()
  /** How many more queries about a reference are denied. */
  #denied = new Map<string, number>()
  #caused = new Map<string, number>()

  /** How often a submission of this transfer arrived again because of these faults. */
  causedFor({ reference, context }: Pick<BookEntry, 'reference' | 'context'>): number {
    return this.#caused.get(reference) ?? this.#caused.get(context) ?? 0
  }

  /** Keeps this submission until another one with its reference has been carried out. Without another one it is lost. */
  holdUp(reference: string, carryOut: Passing['carryOut']): void {
    this.#heldUp.set(reference, [...(this.#heldUp.get(reference) ?? []), carryOut])
  }

  /** Has queries about this reference denied until its submission comes again; not forever, as it may never come again, rightly. */
  deny(reference: string): void {
    this.#denied.set(reference, DENIALS_MAX)
  }

  isDenied(passing: Passing): boolean {
    return (this.#denied.get(queriedReference(passing) ?? '') ?? 0) > 0
  }

  /** Answers as the operator does, or, about a submission that is denied, as if it did not have it. */
  async answer(passing: Passing): Promise<void> {
    if (!this.isDenied(passing)) return passing.answer(await passing.carryOut())
    const reference = queriedReference(passing) ?? ''
    this.#denied.set(reference, (this.#denied.get(reference) ?? 0) - 1)
    passing.answer(await answerAsUnknown(passing))
  }

  /** The same request; when it is a submission that is carried out, what waits for it follows. */
  follow(passing: Passing): Passing {
    const reference = submittedReference(passing)
    if (reference === undefined) return passing
    return {
      ...passing,
      carryOut: async (instead) => {
        if (this.#denied.delete(reference)) this.#countRepetition(reference)
        const answer = await passing.carryOut(instead)
        const heldUp = this.#heldUp.get(reference) ?? []
        this.#heldUp.delete(reference)
        for (const carryOut of heldUp) {
          this.#countRepetition(reference)
          await carryOut()
        }
        return answer
      },
    }
  }

  #countRepetition(reference: string): void {
    this.#caused.set(reference, (this.#caused.get(reference) ?? 0) + 1)
  }
}
