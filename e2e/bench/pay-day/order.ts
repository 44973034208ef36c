/** A deposit: the instant of the commit that accepted it, in microseconds, and its application. */
export type Accepted = { transactionId: string; applicationId: string; acceptedAtUs: bigint }

/** A deposit that reached its operator before `count` of its application that had been accepted before it. */
type Overtaking = { transactionId: string; count: number }

/**
 * Counts, for each deposit in order of arrival at the operator, how many of the same application had been accepted earlier and arrived
 * later. Deposits that one commit accepted have no order among themselves. Returns the greatest count; undefined if nothing arrived.
 */
export function findGreatestOvertaking(accepted: readonly Accepted[], arrivals: readonly string[]): Overtaking | undefined {
  const byId = new Map(accepted.map((one) => [one.transactionId, one]))
  const arrived = arrivals.flatMap((id) => byId.get(id) ?? [])
  let greatest: Overtaking | undefined
  for (const own of Map.groupBy(arrived, ({ applicationId }) => applicationId).values()) {
    for (const overtaking of countOvertaken(own)) if (!greatest || overtaking.count > greatest.count) greatest = overtaking
  }
  return greatest
}

/** `arrived`: the deposits of one application, in order of arrival. A tree of sums counts those that have arrived by their place. */
function* countOvertaken(arrived: readonly Accepted[]): Generator<Overtaking> {
  const instants = arrived.map(({ acceptedAtUs }) => acceptedAtUs).toSorted((left, right) => (left < right ? -1 : left > right ? 1 : 0))
  const earlierBy = new Map<bigint, number>()
  for (const [place, instant] of instants.entries()) if (!earlierBy.has(instant)) earlierBy.set(instant, place)
  const sums = new Uint32Array(arrived.length + 1)
  for (const { transactionId, acceptedAtUs } of arrived) {
    const earlier = earlierBy.get(acceptedAtUs) ?? 0
    let arrivedEarlier = 0
    for (let at = earlier; at > 0; at -= at & -at) arrivedEarlier += sums[at] ?? 0
    yield { transactionId, count: earlier - arrivedEarlier }
    for (let at = earlier + 1; at < sums.length; at += at & -at) sums[at] = (sums[at] ?? 0) + 1
  }
}
