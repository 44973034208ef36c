import type { UnconfirmedQuery, UnconfirmedRow } from '#lib/finance/unconfirmed.ts'

export type DeskProps = {
  application: string
  viewerId: string
  query: UnconfirmedQuery
  /** Who can work on a payment of the desk. */
  people: readonly { personId: string; name: string }[]
  may: { work: boolean; handOver: boolean; reassign: boolean; export: boolean }
}

/** Whether its operator can be asked now: a payment that has ended keeps its result. */
export function isAskable({ kind }: UnconfirmedRow): boolean {
  return kind === 'no_answer' || kind === 'late'
}

/** The acts that a person may carry out on a payment of the desk. `others`: to whom it can be handed over. */
export function actsOn({ owner }: UnconfirmedRow, { viewerId, people, may }: Pick<DeskProps, 'viewerId' | 'people' | 'may'>) {
  const others = people.filter(({ personId }) => personId !== owner?.personId)
  const isOwner = owner?.personId === viewerId
  return {
    take: may.work && owner === null,
    note: may.work,
    handOver: others.length > 0 && (may.reassign || (isOwner && may.handOver)),
    others,
  }
}
