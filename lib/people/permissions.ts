/** Roles of a person in one application. A person may hold several. */
export const ROLES = ['maker', 'checker', 'finance', 'administrator', 'engineer'] as const
export type Role = (typeof ROLES)[number]

/** Together these roles prepare payments, approve those of others, and decide who may do either. */
const COMBINED_ROLES: readonly Role[] = ['maker', 'checker', 'administrator']

/** Whether one person would have all three roles that are meant for different people. */
export function combinesRoles(roles: readonly string[]): boolean {
  return COMBINED_ROLES.every((role) => roles.includes(role))
}

/** The permissions and the roles that have them: the one table that pages, actions and commands use. */
export const PERMISSIONS = {
  'overview:read': ROLES,
  'transaction:read': ROLES,
  'transaction:synchronise': ROLES,
  'transaction:create': ['maker'],
  'transaction:recall': ['maker'],
  'transaction:decide': ['checker'],
  /** Pause, resume, stop. Makers: only their own batches. */
  'batch:control': ['maker', 'checker', 'administrator'],
  'link:read': ROLES,
  /** To create payment links, at which customers pay. */
  'link:create': ['maker'],
  'link:close': ['maker', 'administrator'],
  'webhook:resend': ['maker', 'finance', 'administrator', 'engineer'],
  /** Every delivery of the application, what receivers answered, and how to verify a signature. */
  'webhook:read': ['administrator', 'engineer'],
  /** To send many webhooks again, and test events. */
  'webhook:recover': ['administrator', 'engineer'],
  'batch:read': ROLES,
  /** The book of beneficiaries. */
  'beneficiary:read': ['maker', 'checker', 'finance', 'administrator'],
  /** To propose a person or another number of one; groups, amounts and archiving need no second person. */
  'beneficiary:change': ['maker'],
  /** To confirm whom a list pays. */
  'beneficiary:confirm': ['maker', 'checker'],
  'approval:read': ROLES,
  'total:read': ROLES,
  'balance:read': ROLES,
  'balance:set-threshold': ['finance', 'administrator'],
  'statement:read': ['finance', 'administrator'],
  /** The effects of signed days of operators' accounts on the application's balances. */
  'settlement:read': ['finance', 'administrator'],
  'funding:read': ['finance', 'administrator'],
  /** Money enters a deposit balance, moves there or is corrected. Proposed by one person, confirmed by another. */
  'funding:propose': ['finance', 'administrator'],
  'funding:decide': ['finance', 'administrator'],
  /** The books of final transactions are adjusted: by people of the application that runs the installation. */
  'adjustment:propose': ['finance'],
  'adjustment:decide': ['finance', 'administrator'],
  /** To have an operator take an executed payment back: in the application that runs the installation. */
  'reversal:decide': ['administrator'],
  'export:create': ROLES,
  'audit:read': ['administrator'],
  'policy:read': ROLES,
  'policy:change': ['administrator'],
  'people:change': ['administrator'],
  /** To propose or decide a change that needs two people; its kind needs a permission of its own as well. */
  'change:propose': ROLES,
  /** To propose who decides in the place of an absent checker: checkers for themselves, administrators for everybody. */
  'deputy:propose': ['checker', 'administrator'],
  'access:read': ['administrator', 'engineer'],
  /** To propose keys, API users and addresses, and to collect the secrets of what was confirmed. */
  'access:propose': ['administrator', 'engineer'],
  /** Revoking and blocking only take access away, so one person may. */
  'access:revoke': ['administrator', 'engineer'],
  'access:change': ['administrator'],
  /** Close of day: statements, wallets, matches and their days. Only in the application that runs the installation. */
  'reconciliation:read': ['finance', 'administrator'],
  /** To upload statements, to match lines by hand, and to work on exceptions. */
  'reconciliation:work': ['finance'],
  /** To make another person the owner of an exception; of one that is not the person's own, to reassign it. */
  'exception:hand-over': ['finance', 'administrator'],
  'exception:reassign': ['administrator'],
  /** To prepare a day of a wallet, or to sign what another person prepared. */
  'day:sign': ['finance', 'administrator'],
  /** To propose or confirm that a signed day is opened again. */
  'day:reopen': ['administrator'],
  /** To take journal entries of signed days out as files. */
  'accounting:export': ['finance'],
  /** To propose or confirm the accounts of the journal. */
  'accounting:change': ['finance', 'administrator'],
  /** To propose or confirm the settings of a wallet. */
  'wallet:change': ['finance', 'administrator'],
  /** Availability, outcomes and balances of the operators, and a test that moves no money. */
  'operator:read': ['administrator'],
  'operator:test': ['administrator'],
  /** How operators are reached: only in the application that runs the installation. */
  'operator:configure': ['administrator'],
  /** Processes, replication, backups: only in the application that runs the installation. */
  'installation:read': ['administrator'],
  /** Test transactions; offered in a sandbox only. */
  'sandbox:use': ['administrator', 'engineer'],
  'own-settings:change': ROLES,
} as const satisfies Record<string, readonly Role[]>

/** Permissions that move money, or change who may: together with another person, their owner can cause a payment. */
const DECISIONS = [
  'transaction:decide',
  'funding:decide',
  'adjustment:decide',
  'reversal:decide',
  'policy:change',
  'people:change',
  'access:change',
] as const

/** The roles with a permission to decide. */
export const DECIDING_ROLES: readonly Role[] = ROLES.filter((role) => DECISIONS.some((permission) => can([role], permission)))

export type Permission = keyof typeof PERMISSIONS

/** Returns whether a person with these roles has the permission. */
export function can(roles: readonly Role[], permission: Permission): boolean {
  const allowed: readonly Role[] = PERMISSIONS[permission]
  return roles.some((role) => allowed.includes(role))
}

/** Returns the roles that have a permission. */
export function rolesWith(permission: Permission): Role[] {
  return ROLES.filter((role) => can([role], permission))
}

/**
 * Returns whether these roles in the application that runs the installation are enough to decide what nobody else in another application may: its
 * administrators do.
 */
export function mayDecideElsewhere(roles: readonly Role[], permission: Permission): boolean {
  return can(roles, 'installation:read') && can(roles, permission)
}
