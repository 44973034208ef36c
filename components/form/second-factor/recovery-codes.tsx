import { Button, ButtonLink, buttonClass } from '#components/ui/button.tsx'
import { CopyButton } from '#components/ui/copy-button.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { QrCode } from '#lib/people/sign-in.ts'

/** The recovery codes of a second factor, shown once. Confirming leads to `next` or calls `onKept`. Needs the messages `enrol.`. */
export function RecoveryCodes({ codes, next, onKept }: { codes: readonly string[]; next?: string; onKept?: () => void }) {
  const t = useT()
  const file = `${t('enrol.codesFile')}\n\n${codes.join('\n')}\n`
  return (
    <section className="mt-5 grid gap-4" aria-labelledby="recovery-codes">
      <div>
        <h2 id="recovery-codes">{t('enrol.codesTitle')}</h2>
        <p className="text-ink-2">{t('enrol.codesLead')}</p>
      </div>
      <ul className="grid gap-1 rounded-md border border-line bg-surface p-4 font-medium tabular">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className="flex flex-wrap items-center gap-2">
        {next === undefined ? (
          <Button variant="primary" onClick={onKept}>
            {t('enrol.codesKept')}
          </Button>
        ) : (
          <ButtonLink href={next} variant="primary">
            {t('enrol.codesKept')}
          </ButtonLink>
        )}
        <a
          className={buttonClass()}
          download="countersign-recovery-codes.txt"
          href={`data:text/plain;charset=utf-8,${encodeURIComponent(file)}`}
        >
          {t('enrol.codesDownload')}
        </a>
        <CopyButton text={codes.join('\n')} label={t('enrol.codesTitle')} />
      </div>
    </section>
  )
}

/** Opens the authenticator app of this device. On a phone, which cannot scan its own screen; a computer rarely has such an app. */
export function AuthenticatorLink({ url }: { url: string }) {
  const t = useT()
  return (
    <a href={url} className={`${buttonClass()} justify-self-start sm:hidden`}>
      {t('enrol.openApp')}
    </a>
  )
}

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
