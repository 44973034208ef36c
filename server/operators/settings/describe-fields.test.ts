import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isSettingName, SETTING_NAMES } from '#lib/operators/operator-settings.ts'
import { mergeDocuments } from './operator-settings.ts'
import { findSettingsKind, SETTINGS_KINDS } from './protocols.ts'

test('words for every field and group of every kind of settings, and for nothing else', () => {
  const names = new Set(SETTINGS_KINDS.flatMap(({ fields }) => fields.flatMap(({ path }) => path.split('.'))))
  assert.deepEqual(
    [...names].filter((name) => !isSettingName(name)),
    [],
  )
  assert.deepEqual(
    SETTING_NAMES.filter((name) => !names.has(name)),
    [],
  )
})

test('every secret field of every protocol is described as a secret, at any depth', () => {
  for (const { name, fields, secretFields } of SETTINGS_KINDS) {
    const secrets = fields.filter(({ kind }) => kind === 'secret').map(({ path }) => path.slice(path.lastIndexOf('.') + 1))
    assert.deepEqual(new Set(secrets), secretFields, name)
  }
})

test('kind, choices, range and whether it is required, as the schema has them', () => {
  const fieldOf = (protocol: string, path: string) => findSettingsKind(protocol)?.fields.find((field) => field.path === path)
  assert.deepEqual(fieldOf('mtn-momo', 'callsMax'), {
    path: 'callsMax',
    kind: 'whole',
    choices: [],
    isRequired: false,
    minimum: 1,
    maximum: 64,
  })
  assert.deepEqual(fieldOf('airtel', 'environment')?.choices, ['production', 'uat'])
  assert.deepEqual(fieldOf('wave', 'directions')?.kind, 'choices')
  assert.equal(fieldOf('moov', 'codeMeanings')?.kind, 'codes')
  // The group may be left out as a whole.
  assert.equal(fieldOf('mtn-momo', 'collection.apiUser')?.isRequired, false)
  assert.equal(fieldOf('gateway', 'baseUrl')?.isRequired, true)
})

for (const [name, protocol, document, expected] of [
  ['missing fields', 'gateway', {}, { baseUrl: 'missing', secret: 'missing' }],
  ['a text that is not an address', 'gateway', { baseUrl: 'x', secret: 's' }, { baseUrl: 'format' }],
  ['a number out of range', 'gateway', { baseUrl: 'https://g.example', secret: 's', callsMax: 65 }, { callsMax: 'range' }],
  ['no direction', 'mtn-momo', { baseUrl: 'https://m.example', targetEnvironment: 'mtnbenin' }, { '': 'incomplete' }],
] as const) {
  test(`invalid with the kind of problem of each field: ${name}`, () => {
    const checked = findSettingsKind(protocol)?.check(document)
    assert.ok(checked && !checked.ok)
    assert.deepEqual(Object.fromEntries(checked.error.map(({ path, problem }) => [path, problem])), expected)
  })
}

test('a group that is emptied is removed', () => {
  const document = { collection: { apiUser: 'u', apiKey: 'k' }, disbursement: { apiUser: 'v' } }
  assert.deepEqual(mergeDocuments(document, { collection: { apiUser: null, apiKey: null } }), { disbursement: { apiUser: 'v' } })
})
