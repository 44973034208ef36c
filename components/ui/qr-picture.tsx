import type { QrCode } from '#lib/qr-code.ts'

/** A QR code, always dark on white, because cameras require it. `label` is its accessible name. */
export function QrPicture({ code, label }: { code: QrCode; label: string }) {
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`-2 -2 ${code.size + 4} ${code.size + 4}`}
      shapeRendering="crispEdges"
      className="size-44 rounded-md border border-line bg-[#fff]"
    >
      <path d={code.path} fill="#000" />
    </svg>
  )
}
