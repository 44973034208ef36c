import type { IconName } from '#components/ui/display/icon.tsx'
import type { MessageKey } from '#lib/i18n/translate.ts'
import { paths } from '#lib/pages/paths.ts'
import type { WaitingPage } from '#lib/pages/waiting.ts'
import { newPaymentPath } from '#lib/payments/payment-preview.ts'
import { can, type Permission, type Role } from '#lib/people/permissions.ts'

export type NavigationItem = {
  id: string
  label: MessageKey
  /** Where the label does not fit: below a mark in the bottom bar of a phone. */
  shortLabel?: MessageKey
  icon: IconName
  permission: Permission
  href: (application: string) => string
  /** An address below it that has an item of its own. */
  except?: (application: string) => string
  /** Beside it is how much waits for the person on this page. */
  counts?: WaitingPage
  /** The second key after G. */
  key?: string
}

type NavigationGroup = { heading: MessageKey | null; items: readonly NavigationItem[] }

const ITEMS = {
  overview: { id: 'overview', label: 'frame.overview', icon: 'home', permission: 'overview:read', href: paths.overview, key: 'o' },
  waiting: {
    id: 'waiting',
    label: 'frame.waiting',
    shortLabel: 'frame.waitingShort',
    icon: 'inbox',
    permission: 'overview:read',
    href: paths.waiting,
    key: 'w',
  },
  transactions: {
    id: 'transactions',
    label: 'frame.transactions',
    icon: 'lines',
    permission: 'transaction:read',
    href: paths.transactions,
    except: (application) => paths.unconfirmed(application),
    key: 't',
  },
  newPayment: {
    id: 'newPayment',
    label: 'frame.newPayment',
    shortLabel: 'frame.newPaymentShort',
    icon: 'plus',
    permission: 'transaction:create',
    href: (application) => newPaymentPath(application),
    key: 'n',
  },
  approvals: {
    id: 'approvals',
    label: 'frame.approvals',
    icon: 'sign',
    permission: 'approval:read',
    href: paths.approvals,
    key: 'a',
    counts: 'approvals',
  },
  batches: {
    id: 'batches',
    label: 'frame.batches',
    icon: 'file',
    permission: 'batch:read',
    href: paths.batches,
    key: 'f',
    counts: 'batches',
  },
  paymentLinks: {
    id: 'paymentLinks',
    label: 'frame.paymentLinks',
    icon: 'link',
    permission: 'link:read',
    href: (application) => paths.paymentLinks(application),
  },
  beneficiaries: {
    id: 'beneficiaries',
    label: 'frame.beneficiaries',
    icon: 'people',
    permission: 'beneficiary:read',
    href: (application) => paths.beneficiaries(application),
    counts: 'beneficiaries',
  },
  totals: { id: 'totals', label: 'frame.totals', icon: 'sum', permission: 'total:read', href: paths.totals, key: 's', counts: 'totals' },
  balances: { id: 'balances', label: 'frame.balances', icon: 'wallet', permission: 'balance:read', href: paths.balances, key: 'b' },
  unconfirmed: {
    id: 'unconfirmed',
    label: 'overview.unconfirmed',
    icon: 'clock',
    permission: 'statement:read',
    href: (application) => paths.unconfirmed(application),
  },
  reference: { id: 'reference', label: 'frame.reference', icon: 'info', permission: 'overview:read', href: () => paths.docs() },
  audit: { id: 'audit', label: 'frame.audit', icon: 'shield', permission: 'audit:read', href: (application) => paths.audit(application) },
  rules: { id: 'rules', label: 'frame.rules', icon: 'rules', permission: 'policy:read', href: paths.rules, counts: 'rules' },
  keys: { id: 'keys', label: 'frame.credentials', icon: 'key', permission: 'access:read', href: paths.keys, counts: 'keys' },
  webhooks: {
    id: 'webhooks',
    label: 'frame.webhooks',
    icon: 'hook',
    permission: 'webhook:read',
    href: (application) => paths.webhooks(application),
    counts: 'webhooks',
  },
  sandboxTools: { id: 'sandboxTools', label: 'frame.sandboxTools', icon: 'settings', permission: 'sandbox:use', href: paths.sandboxTools },
  people: { id: 'people', label: 'frame.people', icon: 'people', permission: 'people:change', href: paths.people, counts: 'people' },
  terms: { id: 'terms', label: 'frame.terms', icon: 'settings', permission: 'access:change', href: paths.terms, counts: 'terms' },
  close: {
    id: 'close',
    label: 'frame.close',
    icon: 'check',
    permission: 'reconciliation:read',
    href: paths.close,
    key: 'c',
    counts: 'close',
  },
  settlements: {
    id: 'settlements',
    label: 'frame.settlements',
    icon: 'sum',
    permission: 'settlement:read',
    href: (application) => paths.settlements(application),
  },
  funding: {
    id: 'funding',
    label: 'frame.funding',
    icon: 'arrow-down',
    permission: 'funding:read',
    href: paths.funding,
    counts: 'funding',
  },
  operators: {
    id: 'operators',
    label: 'frame.operators',
    icon: 'link',
    permission: 'operator:read',
    href: (application) => paths.operators(application),
    counts: 'operators',
  },
  installation: {
    id: 'installation',
    label: 'frame.installation',
    icon: 'servers',
    permission: 'installation:read',
    href: paths.installation,
    counts: 'installation',
  },
} as const satisfies Record<string, NavigationItem>

/** The pages of the back office in the order of the side navigation. A new page is added here. */
const GROUPS: readonly NavigationGroup[] = [
  {
    heading: null,
    items: [
      ITEMS.overview,
      ITEMS.waiting,
      ITEMS.newPayment,
      ITEMS.transactions,
      ITEMS.approvals,
      ITEMS.batches,
      ITEMS.paymentLinks,
      ITEMS.beneficiaries,
      ITEMS.totals,
      ITEMS.balances,
      ITEMS.unconfirmed,
      ITEMS.settlements,
      ITEMS.close,
    ],
  },
  {
    heading: 'frame.administration',
    items: [ITEMS.people, ITEMS.rules, ITEMS.terms, ITEMS.funding, ITEMS.operators, ITEMS.installation, ITEMS.audit],
  },
  { heading: 'frame.integration', items: [ITEMS.keys, ITEMS.webhooks, ITEMS.sandboxTools, ITEMS.reference] },
]

/** Who looks at the navigation, and where. */
export type Reader = { roles: readonly Role[]; isSandbox: boolean; runsInstallation: boolean }

/**
 * Returns the side navigation of a person, without empty groups. Tools of the sandbox are not offered elsewhere, and the operators' statements
 * and the installation only in the application that runs the installation.
 */
export function navigationFor({ roles, isSandbox, runsInstallation }: Reader): NavigationGroup[] {
  const places: Partial<Record<Permission, boolean>> = {
    'sandbox:use': isSandbox,
    'reconciliation:read': runsInstallation,
    'installation:read': runsInstallation,
  }
  const isOffered = (item: NavigationItem) => can(roles, item.permission) && (places[item.permission] ?? true)
  const allowed = GROUPS.map((group) => ({ ...group, items: group.items.filter(isOffered) }))
  return allowed.filter((group) => group.items.length > 0)
}

/** The four pages that a role uses most, for the bottom bar of a phone. */
export function bottomBarFor(roles: readonly Role[]): NavigationItem[] {
  if (roles.includes('maker')) return [ITEMS.overview, ITEMS.newPayment, ITEMS.approvals, ITEMS.transactions]
  if (roles.includes('checker')) return [ITEMS.waiting, ITEMS.approvals, ITEMS.transactions, ITEMS.balances]
  if (roles.length > 0 && roles.every((role) => role === 'engineer'))
    return [ITEMS.overview, ITEMS.keys, ITEMS.webhooks, ITEMS.transactions]
  return [ITEMS.waiting, ITEMS.transactions, ITEMS.totals, ITEMS.balances]
}

/** The other pages of a role, for the menu next to those of the bottom bar. */
export function moreFor(reader: Reader): NavigationItem[] {
  const shown = new Set(bottomBarFor(reader.roles).map(({ id }) => id))
  return navigationFor(reader).flatMap(({ items }) => items.filter(({ id }) => !shown.has(id)))
}
