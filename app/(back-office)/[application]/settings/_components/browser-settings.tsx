'use client'

import { useEffect, useState } from 'react'
import { TimeText } from '#components/domain/time-text.tsx'
import { ErrorNotice } from '#components/form/error-notice.tsx'
import { useAction } from '#components/form/use-action.tsx'
import { Button } from '#components/ui/button.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { BrowserDto } from '#lib/people/browsers.ts'
import type { ActionResult } from '#lib/result.ts'
import { sendTest, turnOffBrowser, turnOnBrowser } from '../actions.ts'
import { offersPush, readDigestHere, subscribeHere, unsubscribeHere } from './push-device.ts'

type Here = { isOffered: boolean; digest: string | null }
type Props = { application: string; browsers: readonly BrowserDto[]; publicKey: string }

/** The browsers in which the person is told: name, when it was added, a test and a removal for each, and a button to add this one. */
export function Browsers({ application, browsers, publicKey }: Props) {
  const t = useT()
  const here = useHere(browsers)
  const isListed = browsers.some(({ endpointDigest }) => endpointDigest === here?.digest)
  return (
    <div className="grid justify-items-start gap-3">
      {browsers.length === 0 ? (
        <p className="text-quiet">{t('settings.noBrowsers')}</p>
      ) : (
        <ul className="w-full divide-y divide-line border-y border-line">
          {browsers.map((browser) => (
            <Browser key={browser.browserId} application={application} browser={browser} isHere={browser.endpointDigest === here?.digest} />
          ))}
        </ul>
      )}
      {here && !here.isOffered && <p className="text-quiet">{t('settings.browserUnsupported')}</p>}
      {here?.isOffered && !isListed && <TurnOn application={application} publicKey={publicKey} />}
    </div>
  )
}

/** This browser, once it has been asked; read again when the list has changed. */
function useHere(browsers: readonly BrowserDto[]): Here | undefined {
  const [here, setHere] = useState<Here>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: a browser that was added or removed has another address.
  useEffect(() => {
    let isCurrent = true
    void readDigestHere().then((digest) => isCurrent && setHere({ isOffered: offersPush(), digest }))
    return () => {
      isCurrent = false
    }
  }, [browsers])
  return here
}

function TurnOn({ application, publicKey }: Omit<Props, 'browsers'>) {
  const t = useT()
  const { run, isPending, error } = useAction(() => turnOnHere(application, publicKey), {
    words: {
      denied: 'settings.browserDenied',
      failed: 'settings.browserFailed',
      invalid_address: 'settings.browserAddressRefused',
      too_many_browsers: 'settings.browsersMax',
    },
    refreshes: 'done',
    said: () => t('settings.browserAdded'),
  })
  return (
    <>
      {error && <ErrorNotice error={error} />}
      <Button isBusy={isPending} onClick={() => run()}>
        {t('settings.addBrowser')}
      </Button>
    </>
  )
}

type TurnOnFailure = 'denied' | 'failed' | 'invalid_address' | 'too_many_browsers'

async function turnOnHere(application: string, publicKey: string): Promise<ActionResult<void, TurnOnFailure>> {
  const subscription = await subscribeHere(publicKey)
  if (typeof subscription === 'string') return { ok: false, error: { code: subscription } }
  const added = await turnOnBrowser(application, subscription)
  if (!added.ok) await unsubscribeHere()
  return added
}

function Browser({ application, browser, isHere }: { application: string; browser: BrowserDto; isHere: boolean }) {
  const t = useT()
  const { browserId, name, addedAt } = browser
  const test = useAction(() => sendTest(application, { browserId }), {
    words: {
      not_found: 'settings.browserNotFound',
      too_soon: 'settings.browserTooSoon',
      browser_gone: 'settings.browserGone',
      not_sent: 'settings.browserNotSent',
    },
    said: () => t('settings.browserTested'),
  })
  const removal = useAction(() => turnOffBrowser(application, { browserId }), {
    words: { not_found: 'settings.browserNotFound' },
    refreshes: 'answered',
    said: () => t('settings.browserRemoved'),
    onDone: () => void (isHere && unsubscribeHere()),
  })
  const error = removal.error ?? test.error
  return (
    <li className="grid gap-2 py-2">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
        <div className="min-w-0">
          <p className="font-medium break-words">
            <bdi>{name}</bdi>
          </p>
          <p className="text-second text-quiet">
            {t('settings.browserAddedOn')} <TimeText at={addedAt} style="day-year" />
            {isHere && ` · ${t('settings.browserHere')}`}
          </p>
        </div>
        <div className="flex gap-2">
          <Button size="small" isBusy={test.isPending} aria-label={t('settings.testBrowserOf', { name })} onClick={() => test.run()}>
            {t('settings.testBrowser')}
          </Button>
          <Button
            size="small"
            variant="danger"
            isBusy={removal.isPending}
            aria-label={t('settings.removeBrowserOf', { name })}
            onClick={() => removal.run()}
          >
            {t('settings.removeBrowser')}
          </Button>
        </div>
      </div>
      {error && <ErrorNotice error={error} />}
    </li>
  )
}
