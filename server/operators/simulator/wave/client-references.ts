import type { BookEntry, Books } from '#server/operators/simulator/books.ts'

/** The transfers of each wallet by the reference that their sender gave them, which need not be unique. */
export class ClientReferences {
  #ids: Map<string, string[]> | undefined

  /** Remembers a transfer that was accepted just now. */
  add(books: Books, entry: BookEntry): void {
    const ids = this.#read(books)
    const known = ids.get(keyOf(entry)) ?? []
    if (!known.includes(entry.reference)) ids.set(keyOf(entry), [...known, entry.reference])
  }

  /** The transfers of this operator and direction that were sent with this reference, in order of acceptance. */
  find(books: Books, sought: Pick<BookEntry, 'operator' | 'direction' | 'context'>): BookEntry[] {
    return (this.#read(books).get(keyOf(sought)) ?? []).flatMap((id) => books.find(id) ?? [])
  }

  /** From the books, so that a restart forgets none. */
  #read(books: Books): Map<string, string[]> {
    if (this.#ids) return this.#ids
    this.#ids = new Map()
    for (const entry of books.entries()) if (entry.protocol === 'wave' && entry.context !== '') this.add(books, entry)
    return this.#ids
  }
}

function keyOf({ operator, direction, context }: Pick<BookEntry, 'operator' | 'direction' | 'context'>): string {
  return `${operator} ${direction} ${context}`
}
