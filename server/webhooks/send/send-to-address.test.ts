import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { after, test } from 'node:test'
import { makeSender, startRaw } from '../testing/senders.ts'
import { closeEverything, startReceiver } from '../testing.ts'
import { createAddressGuard, createHostResolver, NameLookupError } from './connect-target.ts'

after(closeEverything)

/** Answers A queries with these addresses in turn, AAAA queries with nothing; undefined: never answers; null: no such name. */
async function startNameServer(answers: (string | null | undefined)[]): Promise<{ address: string; queries: () => number; close(): void }> {
  const socket = createSocket('udp4')
  let asked = 0
  socket.on('message', (query, peer) => {
    const questionEnd = query.indexOf(0, 12) + 5
    const isA = query.readUInt16BE(questionEnd - 4) === 1
    const answer = isA ? answers[Math.min(asked++, answers.length - 1)] : answers[0] === undefined ? undefined : ''
    if (answer === undefined) return
    const header = Buffer.from(query.subarray(0, 12))
    header.writeUInt16BE(answer === null ? 0x8183 : 0x8180, 2)
    header.writeUInt16BE(answer ? 1 : 0, 6)
    header.writeUInt32BE(0, 8)
    const record = answer ? Buffer.from([0xc0, 0x0c, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...answer.split('.').map(Number)]) : Buffer.alloc(0)
    socket.send(Buffer.concat([header, query.subarray(12, questionEnd), record]), peer.port, peer.address)
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  return { address: `127.0.0.1:${socket.address().port}`, queries: () => asked, close: () => socket.close() }
}

test('refused_target, without a connection, for a private address in any spelling', async () => {
  let connections = 0
  const raw = await startRaw(() => connections++)
  const sender = makeSender({ mayConnectTo: createAddressGuard([]) })
  const hosts = [
    '127.0.0.1',
    'localhost',
    'LOCALHOST',
    '127.1',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '0.0.0.0',
    '169.254.169.254',
    '[64:ff9b::7f00:1]',
  ]
  for (const host of hosts) {
    const result = await sender.send(`http://${host}:${raw.port}/`, {}, '{}')
    assert.equal(result.outcome, 'refused_target', host)
    assert.doesNotMatch(result.detail ?? '', /\d+\.\d+\.\d+/, 'an internal address is not disclosed')
  }
  assert.equal(connections, 0)
  raw.close()
})

test('invalid_url for an address that is not an http URL', async () => {
  const sender = makeSender()
  for (const url of [
    '',
    'nonsense',
    'ftp://127.0.0.1/',
    'http://',
    'http://127.0.0.1:99999/',
    'http://127.0.0.1:0/',
    'javascript:1',
    'http://[::1',
    'http://a b/',
  ]) {
    assert.equal((await sender.send(url, {}, '{}')).outcome, 'invalid_url', url)
  }
})

test('an authorization header is sent for user name and password of the address, and neither is in the record', async () => {
  const receiver = await startReceiver((response) => response.writeHead(403).end())
  const result = await makeSender().send(receiver.url.replace('//', '//kora:s%40cret@'), {}, '{}')
  assert.equal(receiver.received[0]?.headers.authorization, `Basic ${Buffer.from('kora:s@cret').toString('base64')}`)
  assert.doesNotMatch(JSON.stringify(result), /s(%40|@)cret/)
  await receiver.close()
})

test('refused_target for a name that resolves to a private address', async () => {
  const names = await startNameServer(['10.0.0.7'])
  const result = await makeSender({ resolveHost: createHostResolver([names.address]) }).send('http://receiver.example/', {}, '{}')
  assert.equal(result.outcome, 'refused_target')
  names.close()
})

test('refused_target, without a connection, for a name that resolves to an allowed and a private address', async () => {
  const receiver = await startReceiver((response) => response.end(), '127.0.0.5')
  const mayConnectTo = createAddressGuard(['127.0.0.6/32'])
  for (const addresses of [
    ['127.0.0.6', '127.0.0.5'],
    ['127.0.0.5', '127.0.0.6'],
  ]) {
    const sender = makeSender({ resolveHost: () => Promise.resolve(addresses), mayConnectTo })
    const result = await sender.send(`http://receiver.example:${receiver.port}/`, {}, '{}')
    assert.equal(result.outcome, 'refused_target', addresses.join())
  }
  assert.equal(receiver.received.length, 0)
  await receiver.close()
})

test('the checked address is connected to if a name changes its address after the check', async () => {
  const receiver = await startReceiver((response) => response.end(), '127.0.0.5')
  const names = await startNameServer(['127.0.0.5', '10.0.0.7'])
  const sender = makeSender({ resolveHost: createHostResolver([names.address]), mayConnectTo: createAddressGuard(['127.0.0.5/32']) })
  const result = await sender.send(`http://receiver.example:${receiver.port}/`, {}, '{}')
  assert.equal(result.outcome, 'delivered')
  assert.equal(names.queries(), 1, 'asked once')
  assert.equal(receiver.received[0]?.headers.host, `receiver.example:${receiver.port}`)
  names.close()
  await receiver.close()
})

test('dns_error or timeout_dns for a name that does not exist or a name server that is silent', async () => {
  const missing = await startNameServer([null])
  assert.equal(
    (await makeSender({ resolveHost: createHostResolver([missing.address]) }).send('http://receiver.example/', {}, '{}')).outcome,
    'dns_error',
  )
  const silent = await startNameServer([undefined])
  assert.equal(
    (await makeSender({ resolveHost: createHostResolver([silent.address]) }).send('http://receiver.example/', {}, '{}')).outcome,
    'timeout_dns',
  )
  missing.close()
  silent.close()
})

test('one query for equal names that are looked up at once, and another one afterwards', async () => {
  const names = await startNameServer(['198.51.100.7', '198.51.100.8'])
  try {
    const resolve = createHostResolver([names.address])
    const both = await Promise.all([resolve('receiver.example'), resolve('receiver.example')])
    assert.deepEqual(both, [['198.51.100.7'], ['198.51.100.7']])
    assert.equal(names.queries(), 1)
    assert.deepEqual(await resolve('receiver.example'), ['198.51.100.8'])
  } finally {
    names.close()
  }
})

test('this machine for localhost and every name in it, and an address itself, without a query', async () => {
  const names = await startNameServer(['198.51.100.7'])
  try {
    const resolve = createHostResolver([names.address])
    for (const name of ['localhost', 'hooks.localhost']) assert.deepEqual(await resolve(name), ['127.0.0.1', '::1'])
    for (const address of ['192.0.2.1', '2001:db8::1']) assert.deepEqual(await resolve(address), [address])
    assert.equal(names.queries(), 0)
    assert.deepEqual(await resolve('notlocalhost'), ['198.51.100.7'])
  } finally {
    names.close()
  }
})

test('a NameLookupError with its code for a name that does not exist', async () => {
  const names = await startNameServer([null])
  try {
    await assert.rejects(createHostResolver([names.address])('receiver.example'), (error) => {
      assert.ok(error instanceof NameLookupError)
      assert.match(error.message, /\((ENOTFOUND|ENODATA)\)/)
      return true
    })
  } finally {
    names.close()
  }
})
