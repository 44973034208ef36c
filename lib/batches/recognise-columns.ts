import { foldText } from '#lib/text/clean-text.ts'
import { BATCH_FIELDS, type BatchColumns, type BatchField, REQUIRED_FIELDS } from './batch-fields.ts'

/** Headers as people write them, folded: lower case, no accents, one space between words. */
const HEADERS: Readonly<Record<BatchField, readonly string[]>> = {
  phoneNumber: [
    'phone number',
    'phone',
    'phonenumber',
    'mobile',
    'mobile number',
    'mobile money number',
    'momo number',
    'msisdn',
    'number',
    'recipient number',
    'beneficiary number',
    'beneficiary phone',
    'wallet',
    'telephone',
    'numero',
    'numero de telephone',
    'numero telephone',
    'num tel',
    'n telephone',
    'no telephone',
    'no de telephone',
    'n de telephone',
    'tel',
    'contact',
    'portable',
    'numero mobile',
    'numero mobile money',
    'numero beneficiaire',
    'numero du beneficiaire',
    'telephone beneficiaire',
    'telephone du beneficiaire',
    'compte mobile money',
  ],
  amount: [
    'amount',
    'amount to pay',
    'net amount',
    'net pay',
    'value',
    'sum',
    'salary',
    'montant',
    'montant a payer',
    'montant net',
    'net a payer',
    'somme',
    'valeur',
    'salaire',
  ],
  customerName: [
    'name',
    'full name',
    'fullname',
    'customer',
    'customer name',
    'customername',
    'beneficiary',
    'beneficiary name',
    'recipient',
    'recipient name',
    'payee',
    'payee name',
    'account name',
    'nom',
    'nom complet',
    'nom et prenom',
    'nom et prenoms',
    'noms et prenoms',
    'nom prenom',
    'nom prenoms',
    'prenom et nom',
    'prenoms et nom',
    'nom du beneficiaire',
    'nom beneficiaire',
    'beneficiaire',
    'destinataire',
    'client',
    'nom du client',
    'titulaire',
  ],
  purpose: [
    'purpose',
    'reason',
    'purpose of payment',
    'payment purpose',
    'purpose or invoice',
    'invoice',
    'invoice number',
    'invoice no',
    'description',
    'label',
    'motif',
    'motif du paiement',
    'motif ou facture',
    'objet',
    'libelle',
    'facture',
    'numero de facture',
    'n de facture',
    'no facture',
  ],
  operator: [
    'operator',
    'operator code',
    'provider',
    'network',
    'carrier',
    'transfer method',
    'transfermethod',
    'method',
    'channel',
    'operateur',
    'code operateur',
    'reseau',
    'fournisseur',
    'moyen de paiement',
    'mode de paiement',
    'canal',
  ],
  country: ['country', 'country name', 'countryname', 'country code', 'pays', 'code pays', 'nom du pays'],
}

/** A currency or unit in brackets behind the name says nothing about the field. */
const UNITS = /\b(?:f?\s?cfa|xaf|xof|ugx|ushs?|en|in|francs?)\b/g

const FIELDS_BY_HEADER = new Map(BATCH_FIELDS.flatMap((field) => HEADERS[field].map((header) => [header, field] as const)))

/** Returns a header that names the field. */
export function usualHeader(field: BatchField): string {
  const [header = field] = HEADERS[field]
  return header.slice(0, 1).toUpperCase() + header.slice(1)
}

/** The field that a header names; undefined if it is none that is known. */
export function fieldOfHeader(header: string): BatchField | undefined {
  const folded = foldText(header)
  return FIELDS_BY_HEADER.get(folded) ?? FIELDS_BY_HEADER.get(folded.replace(UNITS, ' ').replace(/\s+/g, ' ').trim())
}

/** Whether a row consists of headers: at least two of its cells name different fields. */
export function isHeaderRow(cells: readonly string[]): boolean {
  return new Set(cells.flatMap((cell) => fieldOfHeader(cell) ?? [])).size >= 2
}

/**
 * Returns which column is which field. Undefined if a required field is missing, or if two columns name the same required field, because
 * then a person has to say which of them is meant.
 */
export function recogniseColumns(headers: readonly string[], required: readonly BatchField[] = REQUIRED_FIELDS): BatchColumns | undefined {
  const columns: BatchColumns = {}
  for (const [index, header] of headers.entries()) {
    const field = fieldOfHeader(header)
    if (field === undefined) continue
    if (columns[field] === undefined) columns[field] = index
    else if (required.includes(field)) return undefined
  }
  return required.every((field) => columns[field] !== undefined) ? columns : undefined
}

/** The key of a remembered assignment of columns: the headers without case, accents and punctuation. */
export function headerKey(headers: readonly string[]): string {
  return headers.map(foldText).join('\u001f')
}
