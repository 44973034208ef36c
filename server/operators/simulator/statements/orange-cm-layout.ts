import { formatMinor } from '#lib/money/money.ts'
import type { Layout, Printed } from './layout.ts'
import { type StatementLine, unsigned } from './statement-lines.ts'

/** A section for each account: that of the merchant, and that of its commissions, each with a total of what succeeded. */
export const ORANGE_CM_LAYOUT: Layout = {
  name: 'orange-cm',
  ending: 'xls',
  sheet(printed) {
    const { lines, walletNumber, from, to } = printed
    const banner = [
      ['Orange Money Cameroun'],
      ['Relevé des transactions'],
      [`Période du ${from.dayFirst} au ${to.dayFirst}`],
      [`Numéro marchand : ${walletNumber}`],
      [],
    ]
    const commissions = lines.filter((line) => line.kind === 'commission')
    const others = lines.filter((line) => line.kind !== 'commission')
    return {
      firstHeading: banner.length + 1,
      rows: [
        ...banner,
        ...sectionOf(printed, walletNumber, others),
        ...(commissions.length === 0 ? [] : [[], ...sectionOf(printed, `${walletNumber} (commission)`, commissions)]),
      ],
    }
  },
}

function sectionOf(printed: Printed, account: string, lines: readonly StatementLine[]): string[][] {
  const rows = lines.flatMap((line) => rowsOf(printed, line)).map((row, index) => [String(index + 1), ...row])
  const paid = lines.filter((line) => line.status === 'SUCCESS')
  const total = (wanted: 'out' | 'in') =>
    formatMinor(
      paid
        .flatMap(legsOf)
        .reduce(
          (sum, leg) => (leg.netMinor > 0n === (wanted === 'in') ? sum + (leg.netMinor > 0n ? leg.netMinor : -leg.netMinor) : sum),
          0n,
        ),
    )
  const blanks = (count: number) => Array<string>(count).fill('')
  return [
    [`Compte: ${account}`],
    [
      'N°',
      'Date',
      'Heure',
      'Référence',
      'Service',
      'Paiement',
      'Statut',
      'Mode',
      'Expéditeur',
      '',
      '',
      'Destinataire',
      '',
      'Montant',
      '',
      '',
      '',
    ],
    [...blanks(8), 'N° de Compte', 'Wallet', 'N° Pseudo', 'N° de Compte', 'Wallet', 'Débit', 'Crédit', `Compte: ${account}`, 'Sous-réseau'],
    ...rows,
    ['Total', ...blanks(12), total('out'), total('in'), '', ''],
  ]
}

/** An own transfer is printed with both of its legs, which share a reference. */
function legsOf(line: StatementLine): Pick<StatementLine, 'netMinor' | 'grossMinor'>[] {
  const { netMinor, grossMinor } = line
  return line.kind === 'own_transfer' ? [line, { netMinor: -netMinor, grossMinor: -grossMinor }] : [line]
}

function rowsOf({ walletNumber, time }: Printed, line: StatementLine): string[][] {
  const { dayFirst, clock } = time(line.atMs)
  const isPaid = line.status === 'SUCCESS'
  // Without the country code.
  const customer = line.phoneNumber.replace(/^237/, '')
  return legsOf(line).map(({ grossMinor }) => {
    const isIn = grossMinor > 0n
    const [sender, receiver] = isIn ? [customer, walletNumber] : [walletNumber, customer]
    const amount = unsigned(grossMinor)
    return [
      ...[dayFirst, clock, line.id, serviceOf(line), 'Orange Money', isPaid ? 'Succès' : 'Echec', 'API'],
      ...[sender, 'Principal', '', receiver, 'Principal', isIn ? '' : amount, isIn ? amount : '', '', ''],
    ]
  })
}

function serviceOf({ kind, grossMinor }: StatementLine): string {
  if (kind === 'payment') return grossMinor > 0n ? 'Merchant Payment' : 'Cash in'
  const services = {
    reversal: 'Reversal',
    fee: 'Frais',
    tax: 'Taxe',
    commission: 'Commission',
    own_transfer: 'C2C',
    funding: 'Dépôt',
    other: 'Ajustement',
  }
  return services[kind]
}
