import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { elementAt, escapeXml, fieldsOf, readXmlTree } from './xml-tree.ts'

test('names without prefixes, texts and character data, in a document that claims another encoding', () => {
  const tree = readXmlTree('<?xml version="1.0" encoding="utf-16"?><a:x xmlns:a="urn:a"><y> 1 &amp; 2 </y><b:z><![CDATA[<3>]]></b:z></a:x>')
  assert.deepEqual([tree?.name, tree && fieldsOf(tree)], ['x', { y: '1 & 2', z: '<3>' }])
  assert.equal(elementAt(tree, 'z')?.text, '<3>')
  assert.equal(elementAt(tree, 'y', 'z'), undefined)
})

for (const [what, text] of [
  ['an external entity', '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><x>&e;</x>'],
  ['entities that multiply', '<!DOCTYPE x [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><x>&b;</x>'],
  ['an external document type', '<!DOCTYPE x SYSTEM "http://127.0.0.1:1/x.dtd"><x/>'],
  ['an entity that is not declared', '<x>&e;</x>'],
  ['an element that is not closed', '<x><y></x>'],
  ['two roots', '<x/><x/>'],
  ['a control character', '<x>\u0001</x>'],
  ['nothing', ''],
  ['JSON', '{"x":1}'],
  ['forty elements in each other', '<x>'.repeat(40) + '</x>'.repeat(40)],
  ['three thousand elements', `<x>${'<y/>'.repeat(3_000)}</x>`],
] as const) {
  test(`undefined for ${what}`, () => {
    assert.equal(readXmlTree(text), undefined)
  })
}

test('never throws, and reads back every escaped text', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void readXmlTree(text)))
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const plain = text.replaceAll('\r', '')
      assert.equal(readXmlTree(`<x>${escapeXml(plain)}</x>`)?.text, escapedAndBack(plain))
    }),
  )
})

/** Returns the part of a text that XML can contain. */
function escapedAndBack(text: string): string {
  return Array.from(text.toWellFormed())
    .filter((character) => character === '\t' || character === '\n' || (character >= ' ' && !/[\ufffe\uffff]/.test(character)))
    .join('')
}
