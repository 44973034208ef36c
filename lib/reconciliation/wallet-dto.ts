/** The balance that an operator reported for one wallet; `ledger` and `difference` are of all its accounts together. Decimals. */
export type WalletAccountBalance = { checkedAt: string; reported: string | null; ledger: string; difference: string | null }
