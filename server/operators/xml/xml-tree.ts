import { SaxesParser, type SaxesTagPlain } from 'saxes'

/** An element by its name without a prefix. Attributes and mixed content are not read: the operators use neither. */
type XmlElement = { name: string; text: string; children: XmlElement[] }

const DEPTH_MAX = 32
const ELEMENTS_MAX = 2_000

/**
 * Reads a small document; undefined if it is not well-formed, too deep or too long. A document type is refused before anything in it is
 * read, so no entity is ever declared or fetched; the parser itself knows only the five that XML has.
 */
export function readXmlTree(text: string): XmlElement | undefined {
  const top: XmlElement = { name: '', text: '', children: [] }
  const open: XmlElement[] = [top]
  let count = 0
  const parser = new SaxesParser({ xmlns: false })
  const refuse = (problem: unknown) => {
    throw problem instanceof Error ? problem : new Error('Not a document of this kind')
  }
  parser.on('error', refuse)
  parser.on('doctype', refuse)
  parser.on('opentag', (tag: SaxesTagPlain) => {
    const element: XmlElement = { name: tag.name.slice(tag.name.indexOf(':') + 1), text: '', children: [] }
    if (open.length > DEPTH_MAX || ++count > ELEMENTS_MAX) refuse(undefined)
    open.at(-1)?.children.push(element)
    open.push(element)
  })
  const addText = (piece: string) => {
    const element = open.at(-1)
    if (element) element.text += piece
  }
  parser.on('text', addText)
  parser.on('cdata', addText)
  parser.on('closetag', () => void open.pop())
  try {
    parser.write(text).close()
    return top.children[0]
  } catch {
    // An operator may send anything; text that is not XML counts as unreadable.
    return undefined
  }
}

/** The element at this path of names below an element. */
export function elementAt(element: XmlElement | undefined, ...path: readonly string[]): XmlElement | undefined {
  return path.reduce<XmlElement | undefined>((found, name) => found?.children.find((child) => child.name === name), element)
}

/** The texts of an element's children by their names; of two with one name, the last. */
export function fieldsOf(element: XmlElement): Record<string, string> {
  return Object.fromEntries(element.children.map(({ name, text }) => [name, text.trim()]))
}

/** Text as the content of an element. Characters that XML cannot contain are left out. */
export function escapeXml(text: string): string {
  const names: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' }
  return (
    text
      .toWellFormed()
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what XML 1.0 forbids.
      .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')
      .replaceAll(/[&<>"']/g, (character) => names[character] ?? '')
  )
}
