import assert from 'node:assert/strict'
import { test } from 'node:test'
import { indentJson } from './indent-json.ts'

test('over several lines, with every text and number as it was written', () => {
  const text = String.raw`{"a":5000.10,"b":{"c":[1e3,"x: {y}, \"z\" \u00e9"],"d":{},"e":[ ]} , "f":null}`
  const lines = ['{', '  "a": 5000.10,', '  "b": {', '    "c": [', '      1e3,', String.raw`      "x: {y}, \"z\" \u00e9"`, '    ],']
  assert.equal(indentJson(text), [...lines, '    "d": {},', '    "e": []', '  },', '  "f": null', '}'].join('\n'))
})

test('unchanged: one value, and what is not JSON', () => {
  for (const text of ['5000.10', '"a, b"', '', '{"a":', '***', 'a=1&b={2}', '[1,]']) assert.equal(indentJson(text), text)
})
