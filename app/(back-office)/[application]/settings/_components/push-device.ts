import { PUSH_WORKER, type PushSubscriptionKeys } from '#lib/people/browsers.ts'

/** Whether this browser shows notifications that are sent to it: only at https addresses and on the machine itself. */
export function offersPush(): boolean {
  return 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window
}

async function findSubscription(): Promise<PushSubscription | null> {
  if (!offersPush()) return null
  const registration = await navigator.serviceWorker.getRegistration(PUSH_WORKER)
  return (await registration?.pushManager.getSubscription()) ?? null
}

/** SHA-256 of the address at which this browser receives notifications of this site, in hexadecimal; null if it receives none. */
export async function readDigestHere(): Promise<string | null> {
  const subscription = await findSubscription()
  if (!subscription) return null
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(subscription.endpoint)))
  return [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Asks the person, then the push service of this browser, for a new address. `failed`: the push service gave none. */
export async function subscribeHere(publicKey: string): Promise<PushSubscriptionKeys | 'denied' | 'failed'> {
  if ((await Notification.requestPermission()) !== 'granted') return 'denied'
  try {
    const registration = await navigator.serviceWorker.register(PUSH_WORKER, { scope: PUSH_WORKER })
    await untilActive(registration)
    // The old address may be that of the person who used this browser before: nothing arrives there any longer.
    await (await registration.pushManager.getSubscription())?.unsubscribe()
    const subscription = await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey })
    const { p256dh, auth } = subscription.toJSON().keys ?? {}
    return p256dh && auth ? { endpoint: subscription.endpoint, p256dh, auth } : 'failed'
  } catch (error) {
    // No push service, no network, or a browser that forbids it: browsers do not say which.
    if (error instanceof DOMException) return 'failed'
    throw error
  }
}

/** This browser receives no notifications of this site any longer. */
export async function unsubscribeHere(): Promise<void> {
  await (await findSubscription())?.unsubscribe()
}

async function untilActive({ active, waiting, installing }: ServiceWorkerRegistration): Promise<void> {
  const worker = installing ?? waiting
  if (active || !worker) return
  await new Promise<void>((resolve, reject) => {
    worker.addEventListener('statechange', () => {
      if (worker.state === 'activated') resolve()
      if (worker.state === 'redundant') reject(new DOMException('The worker was not installed', 'AbortError'))
    })
  })
}
