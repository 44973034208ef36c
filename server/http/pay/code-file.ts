import { toBuffer } from 'qrcode'
import { drawQrCode } from './pay-document.ts'

/** Wide enough to be printed on a page. */
const WIDTH_PX = 1_024
/** The light border that cameras need, in modules. */
const BORDER = 4

/** Draws an address as a picture to print: black on white in either format. */
export async function drawCodeFile(text: string, format: 'svg' | 'png'): Promise<Uint8Array<ArrayBuffer>> {
  if (format === 'png')
    return new Uint8Array(await toBuffer(text, { type: 'png', errorCorrectionLevel: 'M', margin: BORDER, width: WIDTH_PX }))
  const { size, path } = drawQrCode(text)
  const all = size + 2 * BORDER
  return new TextEncoder().encode(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${all * 8}" height="${all * 8}" viewBox="${-BORDER} ${-BORDER} ${all} ${all}" shape-rendering="crispEdges">` +
      `<rect x="${-BORDER}" y="${-BORDER}" width="${all}" height="${all}" fill="#fff"/><path d="${path}" fill="#000"/></svg>`,
  )
}
