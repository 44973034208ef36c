import { createHash } from 'node:crypto'
import { addDays } from '#lib/time/time.ts'
import type { Queryable } from '#server/database/pool.ts'
import { readWallet } from '../wallets/wallet-store.ts'
import type { Certificate, CertificateBody } from './certificate.ts'
import { listCertificates, listInstallationsThatSign } from './certificate-store.ts'
import { canonicalJson, composeDay, sealBody } from './compose-certificate.ts'
import { listPublicKeys } from './key-store.ts'
import { isSigned } from './signing-key.ts'

type Difference = { check: string; subject: string; detail: string }

/**
 * Recomputes every hash, signature and link of the certificates, and what the newest one of each day says about lines, postings and the wallet
 * book. Returns what differs; empty: all is right.
 */
export async function verifyCertificates(queryable: Queryable): Promise<Difference[]> {
  const differences: Difference[] = []
  for (const applicationId of await listInstallationsThatSign(queryable)) {
    const keys = new Map((await listPublicKeys(queryable, applicationId)).map(({ keyId, publicKey }) => [keyId, publicKey]))
    const all = await listCertificates(queryable, { applicationId, from: '-infinity', to: 'infinity' })
    const signed = all.filter(({ state }) => state !== 'prepared')
    for (const certificate of signed) {
      const { wallet, day, version } = certificate
      const problems = [
        ...problemsOf(certificate, keys),
        ...brokenLinks(certificate, signed),
        ...(await changedFacts(queryable, certificate, signed)),
      ]
      differences.push(...problems.map((detail) => ({ check: 'certificates', subject: `${wallet} ${day} version ${version}`, detail })))
    }
  }
  return differences
}

function problemsOf({ text, body, hash, previousHash, signature, ...row }: Certificate, keys: ReadonlyMap<string, string>): string[] {
  const key = keys.get(row.keyId ?? '')
  const isRow = body.wallet === row.wallet && body.day === row.day && body.version === row.version && body.keyId === row.keyId
  return [
    ...(createHash('sha256').update(text).digest('hex') === hash ? [] : ['its text has another hash']),
    ...(sealBody(body).text === text ? [] : ['its text is not canonical']),
    ...(isRow && (body.previous?.hash ?? null) === previousHash ? [] : ['its text is about another day, version or key']),
    ...(key !== undefined && signature !== null && isSigned(text, key, signature) ? [] : ['its signature is wrong']),
  ]
}

/** The certificate before it must exist, and be the newest of its day unless this one has to be signed again. */
function brokenLinks({ wallet, day, version, state, previousHash }: Certificate, signed: readonly Certificate[]): string[] {
  const isFirst = !signed.some((each) => each.wallet === wallet && each.day < day)
  if (previousHash === null) return isFirst ? [] : ['it names no certificate of the day before']
  const before = signed.filter((each) => each.wallet === wallet && each.day === addDays(day, -1))
  const found = before.find(({ hash }) => hash === previousHash)
  if (!found) return ['the certificate of the day before is missing']
  const isNewest = state === 'signed' && !signed.some((each) => each.wallet === wallet && each.day === day && each.version > version)
  return isNewest && found !== before.at(-1) ? ['it follows a version of the day before that was reopened'] : []
}

async function changedFacts(queryable: Queryable, certificate: Certificate, signed: readonly Certificate[]): Promise<string[]> {
  const { applicationId, wallet: id, day, version, state, body, preparedAt } = certificate
  const isProtecting = state === 'signed' || state === 'to_be_signed_again'
  if (!isProtecting || signed.some((each) => each.wallet === id && each.day === day && each.version > version)) return []
  const set = await readWallet(queryable, applicationId, id)
  if (!set) return ['its wallet does not exist']
  const fee = feeOf(body.agreedFee)
  const { facts } = await composeDay(queryable, { applicationId, wallet: { ...set, ...fee }, from: day, to: day, asOf: preparedAt })
  const of = ({ statement, ours, book }: Pick<typeof facts, 'statement' | 'ours' | 'book'>) => ({
    lines: [statement.lineCount, statement.linesSha256, statement.movementMinor],
    postings: ours,
    'the wallet book': book,
  })
  const [then, now] = [of(body), of(facts)]
  return (['lines', 'postings', 'the wallet book'] as const).flatMap((name) =>
    canonicalJson(then[name]) === canonicalJson(now[name]) ? [] : [`${name} are not those that were signed`],
  )
}

/** The agreement about fees of a certificate, as a wallet has it. */
function feeOf(agreed: CertificateBody['agreedFee']) {
  if (agreed === null) return { feePpm: null, feeFixedMinor: null }
  const { ppm, fixedMinor, rounding, taxPpm, form } = agreed
  return { feePpm: ppm, feeFixedMinor: BigInt(fixedMinor), feeRounding: rounding, feeTaxPpm: taxPpm, feeForm: form }
}
