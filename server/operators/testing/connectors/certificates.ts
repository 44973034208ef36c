import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** PEM texts: a private authority, and what it issued to an operator at 127.0.0.1 and to its client. */
type Certificates = Record<'authority' | 'server' | 'serverKey' | 'client' | 'clientKey', string>

/** Makes an authority and the two certificates, valid for a day. */
export function makeCertificates(): Certificates {
  const folder = mkdtempSync(path.join(tmpdir(), 'countersign-certificates-'))
  const file = (name: string) => path.join(folder, name)
  const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'ignore' })
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  try {
    openssl('req', '-x509', ...key, '-keyout', file('ca.key'), '-out', file('ca.pem'), '-subj', '/CN=Private authority', '-days', '1')
    writeFileSync(file('names'), 'subjectAltName=IP:127.0.0.1')
    for (const name of ['server', 'client']) {
      openssl('req', ...key, '-keyout', file(`${name}.key`), '-out', file(`${name}.csr`), '-subj', `/CN=${name}`)
      const signing = ['-CA', file('ca.pem'), '-CAkey', file('ca.key'), '-CAcreateserial', '-days', '1', '-extfile', file('names')]
      openssl('x509', '-req', '-in', file(`${name}.csr`), '-out', file(`${name}.pem`), ...signing)
    }
    const read = (name: string) => readFileSync(file(name), 'utf8')
    return {
      authority: read('ca.pem'),
      server: read('server.pem'),
      serverKey: read('server.key'),
      client: read('client.pem'),
      clientKey: read('client.key'),
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
