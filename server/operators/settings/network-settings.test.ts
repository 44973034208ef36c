import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeCertificates } from '#server/operators/testing/connectors/certificates.ts'
import { isSafeAddress } from './network-settings.ts'
import { findSettingsKind } from './protocols.ts'
import { checkChange } from './set-operator.ts'

const pem = makeCertificates()
const GATEWAY = { baseUrl: 'https://gateway.example', secret: 's' }

/** The problems of a document, each as `field problem`. */
function problemsOf(changes: object, protocol = 'gateway'): string[] {
  const checked = findSettingsKind(protocol)?.check({ ...GATEWAY, ...changes })
  return checked?.ok === false ? checked.error.map(({ path, problem }) => `${path} ${problem}`) : []
}

test('https anywhere; http for nothing but private and loopback addresses', () => {
  for (const address of [
    'https://x.example',
    'http://127.0.0.1:4010',
    'http://localhost:1',
    'http://10.1.2.3',
    'http://192.168.0.1',
    'http://172.16.9.9',
    'http://[::1]:9',
    'http://[fd00::5]',
  ])
    assert.equal(isSafeAddress(address), true, address)
  for (const address of [
    'http://x.example',
    'http://8.8.8.8',
    'http://169.254.169.254',
    'http://172.32.0.1',
    'http://10.example',
    'http://[2001:db8::1]',
    'http://localhost.example',
    'http://gateway-localhost',
    'http://[::ffff:8.8.8.8]',
    'ftp://10.0.0.1',
    'x',
  ])
    assert.equal(isSafeAddress(address), false, address)
})

test('format for an address over http that is not private: of the operator, of callbacks, and of a proxy', () => {
  assert.deepEqual(problemsOf({ baseUrl: 'http://gateway.example' }), ['baseUrl format'])
  assert.deepEqual(problemsOf({ callbackBaseUrl: 'http://pay.example' }), ['callbackBaseUrl format'])
  assert.deepEqual(problemsOf({ httpProxy: 'http://proxy.example:3128' }), ['httpProxy format'])
  assert.deepEqual(problemsOf({ httpProxy: 'https://user:word@proxy.example' }), ['httpProxy format'])
  assert.deepEqual(problemsOf({ httpProxy: 'http://10.0.0.5:3128' }), [])
})

test('certificates and keys are read when they are set, even where a form took their line ends', () => {
  const own = { clientCertificate: pem.client, clientKey: pem.clientKey, caCertificate: pem.authority }
  assert.deepEqual(problemsOf(own), [])
  const oneLine = Object.fromEntries(Object.entries(own).map(([name, text]) => [name, text.replaceAll('\n', ' ')]))
  assert.deepEqual(problemsOf(oneLine), [])
  for (const bad of [
    'x',
    pem.clientKey,
    pem.client.replace('M', '!'),
    `${pem.client}x`,
    '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----',
  ])
    assert.deepEqual(problemsOf({ caCertificate: bad }), ['caCertificate format'], bad.slice(0, 40))
  assert.deepEqual(problemsOf({ ...own, clientKey: pem.client }), ['clientKey format'])
  const refused = findSettingsKind('gateway')?.check({ ...GATEWAY, caCertificate: 'x' })
  assert.match(refused?.ok === false ? (refused.error[0]?.message ?? '') : '', /^must be one or more certificates in PEM/)
})

test('incomplete for a certificate without its key, a key without its certificate, and a key of another certificate', () => {
  assert.deepEqual(problemsOf({ clientCertificate: pem.client }), ['clientKey incomplete'])
  assert.deepEqual(problemsOf({ clientKey: pem.clientKey }), ['clientCertificate incomplete'])
  assert.deepEqual(problemsOf({ clientCertificate: pem.client, clientKey: pem.serverKey }), ['clientKey incomplete'])
})

test('secret_again for every secret that a new address, proxy or authority could learn', () => {
  for (const changes of [{ baseUrl: 'https://other.example' }, { httpProxy: 'https://proxy.example' }, { caCertificate: pem.authority }]) {
    const change = { operator: 'OMCM' as const, protocol: 'gateway', changes, before: GATEWAY, keepsSecretsAtNewAddress: false }
    const checked = checkChange(change)
    assert.ok(!checked.ok && typeof checked.error === 'object')
    assert.deepEqual(
      checked.error.problems.map(({ path, problem }) => [path, problem]),
      [['secret', 'secret_again']],
    )
    assert.ok(checkChange({ ...change, changes: { ...changes, secret: 'again' } }).ok)
  }
})

test('no secret_again where the address stays, also without its last slash, and where there was no secret before', () => {
  const change = { operator: 'OMCM' as const, protocol: 'gateway', keepsSecretsAtNewAddress: false }
  for (const changes of [{ baseUrl: `${GATEWAY.baseUrl}/` }, { callsMax: 5 }])
    assert.ok(checkChange({ ...change, changes, before: GATEWAY }).ok)
  assert.ok(checkChange({ ...change, changes: GATEWAY, before: undefined }).ok)
})

test('an answer time of up to 60 s where the protocol answers synchronously, and of 10 s elsewhere', () => {
  const bfom = { baseUrl: 'https://om.example', secret: undefined, merchantMsisdn: '76000000', apiUsername: 'u', apiPassword: 'p' }
  const { secret: _, ...document } = bfom
  const check = (submitTimeoutMs: number) => findSettingsKind('orange-bf')?.check({ ...document, submitTimeoutMs }).ok
  assert.deepEqual([check(60_000), check(60_001)], [true, false])
  assert.deepEqual([problemsOf({ submitTimeoutMs: 10_000 }), problemsOf({ submitTimeoutMs: 10_001 })], [[], ['submitTimeoutMs range']])
  const maximumOf = (name: string) => findSettingsKind(name)?.fields.find(({ path }) => path === 'submitTimeoutMs')?.maximum
  assert.deepEqual([maximumOf('orange-bf'), maximumOf('mtn-momo')], [60_000, 10_000])
})
