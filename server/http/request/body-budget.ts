/** The caller whose bodies are counted together: an authenticated application, or otherwise an address. */
export type BodyOwner = { readonly kind: 'application' | 'address'; readonly id: string }

type BodyBudgetOptions = {
  /** Bytes of all bodies in progress. */
  totalMax?: number
  /** Bytes of one application. */
  applicationMax?: number
  /** Bytes of all callers that are not authenticated. */
  addressesMax?: number
  /** Bytes of one address. */
  addressMax?: number
  /** Whether the process is short of memory: no body grows by more than 64 KB at a time then. */
  isMemoryShort?(): boolean
}

const MB = 1024 * 1024
/** The size of a body's first packet; nearly every body is that small. */
const PACKET_BYTES = 64 * 1024

/**
 * Limits how many bytes of request bodies the process holds at one time. Only memory that is really in use counts: bytes that have
 * arrived, from the first one until the request is answered, not what a Content-Length announces. No application can use up the share of
 * the others, and callers who have not signed in can never use up the share of those who have.
 */
export class BodyBudget {
  readonly #totalMax: number
  readonly #applicationMax: number
  readonly #addressesMax: number
  readonly #addressMax: number
  readonly #isMemoryShort: () => boolean
  readonly #byOwner = { application: new Map<string, number>(), address: new Map<string, number>() }
  #applications = 0
  #addresses = 0

  constructor(options: BodyBudgetOptions = {}) {
    this.#totalMax = options.totalMax ?? 16 * MB
    this.#applicationMax = options.applicationMax ?? 8 * MB
    this.#addressesMax = options.addressesMax ?? 5 * MB
    this.#addressMax = options.addressMax ?? 4 * MB
    this.#isMemoryShort = options.isMemoryShort ?? (() => false)
  }

  /** Bytes of all bodies in progress. */
  get heldBytes(): number {
    return this.#applications + this.#addresses
  }

  /** An empty hold for one request. */
  open(owner: BodyOwner): BodyHold {
    return new BodyHold(this, owner)
  }

  /** Reserves bytes; false, with nothing reserved, when a share or the whole is used up. For BodyHold. */
  take({ kind, id }: BodyOwner, bytes: number): boolean {
    if (this.heldBytes + bytes > this.#totalMax) return false
    if (bytes > PACKET_BYTES && this.#isMemoryShort()) return false
    const owners = this.#byOwner[kind]
    const own = (owners.get(id) ?? 0) + bytes
    if (kind === 'application') {
      if (own > this.#applicationMax) return false
      this.#applications += bytes
    } else {
      if (own > this.#addressMax || this.#addresses + bytes > this.#addressesMax) return false
      this.#addresses += bytes
    }
    owners.set(id, own)
    return true
  }

  /** Returns what was taken. For BodyHold. */
  release({ kind, id }: BodyOwner, bytes: number): void {
    const owners = this.#byOwner[kind]
    const own = (owners.get(id) ?? 0) - bytes
    // Addresses come and go: an entry that holds nothing must not stay.
    if (own > 0) owners.set(id, own)
    else owners.delete(id)
    if (kind === 'application') this.#applications -= bytes
    else this.#addresses -= bytes
  }
}

/** One request's share of the budget. */
export class BodyHold {
  readonly #budget: BodyBudget
  readonly #owner: BodyOwner
  #bytes = 0

  constructor(budget: BodyBudget, owner: BodyOwner) {
    this.#budget = budget
    this.#owner = owner
  }

  /** Raises the hold to this many bytes; false when the budget is used up; the hold is then unchanged. */
  raiseTo(bytes: number): boolean {
    if (bytes <= this.#bytes) return true
    if (!this.#budget.take(this.#owner, bytes - this.#bytes)) return false
    this.#bytes = bytes
    return true
  }

  /** Returns everything. May be called more than once. */
  release(): void {
    if (this.#bytes > 0) this.#budget.release(this.#owner, this.#bytes)
    this.#bytes = 0
  }
}
