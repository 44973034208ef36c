/** The calls that a key can be limited to. A key without a list may do everything, also what later versions add. */
export const API_SCOPES = ['payments:write', 'payments:read', 'refunds:write', 'approvals:write', 'accounts:read', 'reports:read'] as const

export type ApiScope = (typeof API_SCOPES)[number]
