import { BadRow, readPhone } from '../cells/cells.ts'
import type { StatementFormat } from './format.ts'
import { hasMoved, kindOf } from './words.ts'

/**
 * The report of Orange Cameroon: a banner, a section per account, a header over two rows, and a printed total that is the sum of `Succès`
 * exactly: rows of `Echec` have amounts too. It names no id of ours. Both sides of a transfer between own accounts have one reference.
 */
export const ORANGE_CM: StatementFormat = {
  id: 'orange-cm',
  operators: ['OMCM'],
  headers: [
    [
      'N°',
      'Date',
      'Heure',
      'Référence',
      'Service',
      'Paiement',
      'Statut',
      'Mode',
      'N° de Compte',
      'Wallet',
      'N° Pseudo',
      'N° de Compte',
      'Wallet',
      'Débit',
      'Crédit',
      'Compte*?',
      'Sous-réseau?',
    ],
  ],
  headerRows: 2,
  hasSections: true,
  balancesChain: false,
  read(row, { dialCode, ownNumbers }) {
    const [debit, credit] = [row.size('Débit'), row.size('Crédit')]
    const status = row.text('Statut')
    const isMoved = hasMoved(status)
    if (isMoved && (debit === 0n) === (credit === 0n)) throw new BadRow('direction')
    const service = row.text('Service')
    const kind = kindOf(service)
    const accounts = [row.text('N° de Compte'), row.text('N° de Compte 2')].map((text) => readPhone(text, dialCode))
    const others = accounts.filter((account) => account !== null && !ownNumbers.has(account))
    const isOwn = ownNumbers.size > 0 && others.length === 0 && accounts.every((account) => account !== null)
    return {
      time: row.time(['Date', 'Heure']),
      kind: !isMoved ? 'failed' : isOwn && kind === 'payment' ? 'transfer' : kind,
      grossMinor: credit - debit,
      feeMinor: 0n,
      taxMinor: 0n,
      balanceMinor: null,
      operatorId: row.text('Référence') || null,
      ourId: null,
      ourApplicationId: null,
      phone: others[0] ?? null,
      type: service,
      status,
      ownAccount: null,
    }
  },
}
