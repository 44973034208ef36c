import { create as createQrCode } from 'qrcode'
import type { QrCode } from '#lib/qr-code.ts'

/** Draws a text as a QR code. */
export function drawQrCode(text: string): QrCode {
  const { modules } = createQrCode(text, { errorCorrectionLevel: 'M' })
  let path = ''
  for (let row = 0; row < modules.size; row++) {
    for (let column = 0; column < modules.size; column++) if (modules.get(row, column)) path += `M${column} ${row}h1v1h-1z`
  }
  return { size: modules.size, path }
}
