import type { Queryable } from '#server/database/pool.ts'
import {
  type AddressListing,
  type ApiKeyListing,
  type ApiUserListing,
  type ApplicationListing,
  type PersonListing,
  readAddressListings,
  readApiUserListings,
  readApplicationListings,
  readKeyListings,
  readPersonListings,
} from './access-list-store.ts'

export type { ApplicationListing } from './access-list-store.ts'
export type AccessListing = { keys: ApiKeyListing[]; apiUsers: ApiUserListing[]; addresses: AddressListing[]; people: PersonListing[] }

/** Every application by name, for the machine's administrator. */
export async function listApplications(queryable: Queryable): Promise<ApplicationListing[]> {
  return readApplicationListings(queryable)
}

/** Who and what may use one application. Holds no secret. */
export async function listAccess(queryable: Queryable, applicationId: string): Promise<AccessListing> {
  return {
    keys: await readKeyListings(queryable, applicationId),
    apiUsers: await readApiUserListings(queryable, applicationId),
    addresses: await readAddressListings(queryable, applicationId),
    people: await readPersonListings(queryable, applicationId),
  }
}
