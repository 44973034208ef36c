/** A QR code ready to be drawn: `size` modules a side, `path` an SVG path of the dark ones, one unit each. */
export type QrCode = { size: number; path: string }
