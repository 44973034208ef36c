import type { z } from 'zod'
import { type CountryName, OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'
import type { CustomerPageTerms } from '#lib/partner/customer-page.ts'
import type { Role } from '#lib/people/permissions.ts'
import type { approvalRuleSchema } from '#lib/rules/approval-policy.ts'
import type { Random } from '#lib/seeded-random.ts'

/** A picture of 64 × 64 pixels. */
const KORA_LOGO =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAMAAACdt4HsAAAACVBMVEX////CVRv///9VJKDVAAAAA3RSTlMA//9EUNYhAAAAbklEQVR42u3XQQqAMAxE0Yz3P7TQhYiitP001jKzLOStQslEHFFD4hp1BI6fCYkJEhQoIEHh/4Bg7sBWotp3A0nAE2kgB3gdNTAcqBg1MBzwJs4D+FeeB/CFkg8kH8trFI7vWxsvnrz68vJN6v8OL6oRfWVa6uYAAAAASUVORK5CYII='

type SeedPerson = { name: string; email: string; roles: Role[] }
export type SeedApplication = {
  name: string
  /** The time zone of its people: their days begin and end there. */
  timeZone: string
  username: string
  people: SeedPerson[]
  receivers: readonly string[]
  transactionCount: number
  hasContradiction: boolean
  /** Its page of customers. */
  customerPage?: CustomerPageTerms
  shares: Readonly<Record<OperatorCode, number>>
}

/**
 * The applications and people of the sandbox. The finance officer works for both applications, with one sign-in; only the first has a
 * second administrator.
 */
export const SEED_APPLICATIONS: readonly SeedApplication[] = [
  {
    name: 'Kora Stores',
    customerPage: {
      logo: KORA_LOGO,
      support: '+237 699 00 11 22',
      returnUrl: 'https://kora.example/orders',
      offersRetry: true,
    },
    timeZone: 'Africa/Douala',
    username: 'api@kora.example',
    people: [
      { name: 'Aïcha Traoré', email: 'aicha.traore@kora.example', roles: ['maker'] },
      { name: 'Emmanuel Ngono', email: 'emmanuel.ngono@kora.example', roles: ['maker'] },
      { name: 'Mariam Ouédraogo', email: 'mariam.ouedraogo@kora.example', roles: ['checker'] },
      { name: 'Jean-Baptiste Ahouansou', email: 'jb.ahouansou@kora.example', roles: ['checker'] },
      { name: 'Fatou Ndiaye', email: 'fatou.ndiaye@kora.example', roles: ['finance'] },
      { name: 'Serge Mbarga', email: 'serge.mbarga@kora.example', roles: ['administrator'] },
      { name: 'Yannick Tabi', email: 'yannick.tabi@kora.example', roles: ['engineer'] },
      { name: 'Grace Nakato', email: 'grace.nakato@kora.example', roles: ['maker', 'checker'] },
      { name: 'Hélène Biyong', email: 'helene.biyong@kora.example', roles: ['administrator'] },
    ],
    receivers: [
      'https://hooks.kora.example/mobile-money',
      'https://hooks.kora.example/mobile-money',
      'https://erp.kora.example:8443/payments/result',
    ],
    transactionCount: 4_000,
    hasContradiction: false,
    shares: {
      OMCM: 18,
      MOMOCM: 18,
      CIWAVE: 12,
      CIOM: 9,
      SNWAVE: 10,
      SNOM: 8,
      SNFREE: 4,
      BFOM: 5,
      MLMOOV: 3,
      BJMTN: 4,
      BJMOOV: 2,
      UGMTN: 4,
      UGAIRTEL: 3,
    },
  },
  {
    name: 'Teranga Logistics',
    timeZone: 'Africa/Dakar',
    username: 'api@teranga.example',
    people: [
      { name: 'Ousmane Diop', email: 'ousmane.diop@teranga.example', roles: ['maker'] },
      { name: 'Awa Sarr', email: 'awa.sarr@teranga.example', roles: ['checker'] },
      { name: 'Fatou Ndiaye', email: 'fatou.ndiaye@kora.example', roles: ['finance'] },
      { name: 'Cheikh Fall', email: 'cheikh.fall@teranga.example', roles: ['administrator'] },
    ],
    receivers: ['https://partner.example/countersign/webhook'],
    transactionCount: 800,
    hasContradiction: true,
    shares: {
      OMCM: 2,
      MOMOCM: 2,
      CIWAVE: 12,
      CIOM: 8,
      SNWAVE: 25,
      SNOM: 22,
      SNFREE: 10,
      BFOM: 6,
      MLMOOV: 8,
      BJMTN: 2,
      BJMOOV: 1,
      UGMTN: 1,
      UGAIRTEL: 1,
    },
  },
]

const FIRST_NAMES: Record<CountryName, string> = {
  CAMEROON: 'Clarisse Brice Nadège Hervé Solange Thierry Mireille Patrick Estelle Cédric Carine Blaise',
  IVORY_COAST: 'Adjoua Kouadio Affoué Yao Amenan Koffi Ahou Konan Akissi Serge Mariam Drissa',
  SENEGAL: 'Aminata Moussa Khady Ibrahima Ndèye Mamadou Sokhna Abdoulaye Rokhaya Babacar Coumba Modou',
  BURKINA_FASO: 'Salimata Issouf Rasmata Boukary Alimata Souleymane Fati Adama Zénabou Hamidou',
  MALI: 'Oumou Seydou Kadiatou Bakary Fanta Modibo Assétou Amadou Djénéba Sékou',
  BENIN: 'Rosine Cosme Bénédicte Romuald Huguette Prosper Chantal Wilfrid Pélagie Gildas',
  UGANDA: 'Sarah Joseph Harriet Moses Esther Ronald Prossy David Lydia Samuel',
}
const FAMILY_NAMES: Record<CountryName, string> = {
  CAMEROON: 'Mbarga Nkoulou Tchoumi Fotso Essomba Njoya Abena Kamga Ndongo Biya-Ateba Manga Tabi',
  IVORY_COAST: 'Kouassi Konaté Aka Touré N’Guessan Bamba Ouattara Gnahoré Coulibaly Diabaté Yapi',
  SENEGAL: 'Ndiaye Diop Fall Sow Gueye Ba Faye Sarr Mbaye Cissé Sy Thiam',
  BURKINA_FASO: 'Ouédraogo Sawadogo Kaboré Zongo Compaoré Ilboudo Tapsoba Nikiéma',
  MALI: 'Keïta Diarra Coulibaly Traoré Sidibé Konaté Dembélé Maïga',
  BENIN: 'Ahouansou Hounkpatin Dossou Adjovi Agbossou Zinsou Gnonlonfin Kpodékon',
  UGANDA: 'Nakato Okello Namubiru Mugisha Achieng Ssempala Nabirye Tumusiime Auma',
}
/** The prefixes of each operator's numbers after the dial code, and how many digits follow. */
const NUMBERS: Record<OperatorCode, { prefixes: string[]; digits: number }> = {
  OMCM: { prefixes: ['699', '655', '691'], digits: 6 },
  MOMOCM: { prefixes: ['677', '650', '681'], digits: 6 },
  CIWAVE: { prefixes: ['0701', '0504'], digits: 6 },
  CIOM: { prefixes: ['0707', '0747'], digits: 6 },
  SNWAVE: { prefixes: ['77', '78'], digits: 7 },
  SNOM: { prefixes: ['77', '78'], digits: 7 },
  SNFREE: { prefixes: ['76'], digits: 7 },
  BFOM: { prefixes: ['74', '75', '76'], digits: 6 },
  MLMOOV: { prefixes: ['65', '66'], digits: 6 },
  BJMTN: { prefixes: ['0197', '0196'], digits: 6 },
  BJMOOV: { prefixes: ['0195', '0194'], digits: 6 },
  UGMTN: { prefixes: ['77', '78'], digits: 7 },
  UGAIRTEL: { prefixes: ['70', '75'], digits: 7 },
}

export type Beneficiary = { name: string; phoneNumber: string }

/** A plausible customer of this operator. `ending`: the last three digits, which tell the simulator what to do. */
export function makeBeneficiary(random: Random, operator: OperatorCode, ending?: string): Beneficiary {
  const { country } = OPERATORS[operator]
  const { prefixes, digits } = NUMBERS[operator]
  const head = Array.from({ length: digits - 3 }, () => random.between(0, 9)).join('')
  // 901 to 915 would mean something to the simulator.
  const tail = ending ?? String(random.between(0, 899)).padStart(3, '0')
  return {
    name: `${random.pick(FIRST_NAMES[country.name].split(' '))} ${random.pick(FAMILY_NAMES[country.name].split(' '))}`,
    phoneNumber: `${country.dialCode}${random.pick(prefixes)}${head}${tail}`,
  }
}

/**
 * Regular customers with names that lists, searches and exports have to cope with: in Arabic script, with accents and apostrophes, and two
 * people of the same name.
 */
export const NAMED_BENEFICIARIES: Partial<Record<OperatorCode, readonly Beneficiary[]>> = {
  SNOM: [
    { name: 'Aminata Diop', phoneNumber: '221771204417' },
    { name: 'Aminata Diop', phoneNumber: '221785530268' },
    { name: 'محمد الأمين ديوب', phoneNumber: '221776041135' },
  ],
  MLMOOV: [
    { name: 'فاطمة الزهراء كيتا', phoneNumber: '22365118240' },
    { name: 'Djénéba Maïga', phoneNumber: '22366402871' },
  ],
  OMCM: [{ name: 'Zoé N’Diaye-Mbappé', phoneNumber: '237699417203' }],
}

export const PAYEE_NOTES = [
  'Invoice checked against the order',
  'Matches delivery note',
  'Facture et bon de livraison conformes',
  'Remboursement client validé',
  'Salary, list signed by HR',
  'Approved in the weekly payment run',
  'Known supplier, usual amount',
  'Conforme au contrat',
] as const
export const REJECTION_REASONS = [
  'Amount differs from the invoice',
  'The name does not match the number',
  'Doublon d’un paiement déjà fait',
  'Pièce justificative manquante',
  'Wrong operator for this beneficiary',
] as const
export const RECALL_REASON = 'Préparé deux fois par erreur'

type RuleInput = z.input<typeof approvalRuleSchema>

/** Payments that people prepare are decided only by people, never by the application's program. */
const PREPARED: Pick<RuleInput, 'sources' | 'apiMayDecide'> = { sources: ['person', 'file'], apiMayDecide: false }

/**
 * The first application: payments from its API go to the operator immediately. Payments that people start always require one checker, and
 * more where these rules say so.
 */
export const FIRST_RULES: RuleInput[] = [
  { ...PREPARED, name: 'Large payout', limits: { XAF: '50000000', XOF: '50000000', UGX: '200000000' }, approvals: [2] },
  {
    ...PREPARED,
    name: 'Very large payout',
    limits: { XAF: '80000000' },
    approvals: [1, 1],
    needsCode: true,
    expiresInHours: 96,
  },
  {
    ...PREPARED,
    name: 'First payment to a number',
    limits: { XAF: '10000000', XOF: '10000000' },
    firstTimeOnly: true,
    approvals: [1, 1],
  },
]

/** The second application also holds back large deposits of its program. It has one checker, so every rule requires one. */
export const SECOND_RULES: RuleInput[] = [
  // May be decided through the API, so that validateTransaction and rejectTransaction can be tried.
  {
    name: 'Large payout of the program',
    sources: ['api'],
    limits: { XOF: '30000000' },
    approvals: [1],
    apiMayDecide: true,
  },
  {
    ...PREPARED,
    name: 'First payment to a number',
    limits: { XOF: '5000000' },
    firstTimeOnly: true,
    approvals: [1],
    expiresInHours: 72,
  },
]
