/** A range of an application's sequence, both ends included. */
export type SequenceRange = { first: bigint; last: bigint }

/** The ranges in order, with adjacent ones joined. */
export function joinRanges(ranges: readonly SequenceRange[]): SequenceRange[] {
  const joined: SequenceRange[] = []
  for (const { first, last } of ranges.toSorted((left, right) => (left.first < right.first ? -1 : 1))) {
    const previous = joined.at(-1)
    if (previous && previous.last + 1n === first) previous.last = last
    else joined.push({ first, last })
  }
  return joined
}
