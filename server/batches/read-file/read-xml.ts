import { SaxesParser, type SaxesTagPlain } from 'saxes'
import { UnreadableFile } from './unreadable-file.ts'
import { unpack, type ZipEntry } from './zip-entries.ts'

export type XmlHandler = {
  open?(name: string, attributes: Readonly<Record<string, string>>): void
  text?(text: string): void
  close?(name: string): void
  /** Whether the rest is not needed. */
  isDone?(): boolean
}

/**
 * Reads one XML part of a workbook as a stream. Names come without their prefix. A document type is refused before anything in it is
 * read, so no entity is ever declared; the parser itself knows only the five that XML has.
 */
export async function readXml(entry: ZipEntry, handler: XmlHandler): Promise<void> {
  const parser = new SaxesParser({ xmlns: false })
  const fail = (error: Error) => {
    throw error
  }
  // biome-ignore lint/plugin/no-silent-error: The XML error is only useful to the author of the XML.
  parser.on('error', () => fail(new UnreadableFile('damaged_workbook')))
  parser.on('doctype', () => fail(new UnreadableFile('entities')))
  parser.on('opentag', (tag: SaxesTagPlain) => handler.open?.(localName(tag.name), tag.attributes))
  if (handler.text) {
    parser.on('text', (text) => handler.text?.(text))
    parser.on('cdata', (text) => handler.text?.(text))
  }
  parser.on('closetag', (tag: SaxesTagPlain) => handler.close?.(localName(tag.name)))
  const decoder = new TextDecoder('utf-8')
  for await (const piece of unpack(entry)) {
    parser.write(decoder.decode(piece, { stream: true }))
    if (handler.isDone?.()) return
  }
  parser.write(decoder.decode())
  parser.close()
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}
