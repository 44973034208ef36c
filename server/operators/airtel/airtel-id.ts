import type { StatusQuery } from '#server/operators/connector.ts'

type Ids = Pick<StatusQuery, 'reference' | 'applicationId'>

const UUID = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/

/**
 * Airtel's `transaction.id`: the transaction's id and the application's, without dashes. Together they have the 64 characters that Airtel
 * allows. A callback repeats nothing else, so it names the whole key of its row.
 */
export function airtelId({ reference, applicationId }: Ids): string {
  return (reference + applicationId).replaceAll('-', '')
}

/** Returns the ids in an id of Airtel's; undefined if it is not one of ours. */
export function idsIn(id: string): Ids | undefined {
  if (!/^[0-9a-f]{64}$/.test(id)) return undefined
  return { reference: id.slice(0, 32).replace(UUID, '$1-$2-$3-$4-$5'), applicationId: id.slice(32).replace(UUID, '$1-$2-$3-$4-$5') }
}
