type Credentials = { apiKey: string; apiId: string; username: string; password: string }

/** Calls an operation of the partner API; one with a query is sent without a body. */
export type Call = (operation: string, overrides?: Record<string, string>) => Promise<{ status: number; transactionId: string }>

/** Signs a partner's program in at the service; returns how it calls. Throws if the service does not issue tokens. */
export async function signInPartner(baseUrl: string, { apiKey, apiId, username, password }: Credentials): Promise<Call> {
  const post = (path: string, headers: Record<string, string>, body?: object) =>
    fetch(`${baseUrl}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      ...(body && { body: JSON.stringify(body) }),
    })
  const issued = await post('/public/access_token', {}, { username, password })
  if (issued.status !== 200) throw new Error(`No tokens were issued: ${issued.status} ${await issued.text()}`)
  const tokens = (await issued.json()) as { access_token: string }
  const headers = { apiKey, apiId, authorization: `Bearer ${tokens.access_token}` }
  return async (operation, overrides = {}) => {
    const body = {
      transferMethod: 'MOMOCM',
      customerName: 'Clarisse Mbarga',
      externalId: crypto.randomUUID(),
      phoneNumber: '237677209341',
      amount: 100,
      webhookUrl: 'http://127.0.0.1:9/nobody',
      countryName: 'CAMEROON',
      ...overrides,
    }
    const response = await post(`/api/v1/transaction/${operation}`, headers, operation.includes('?') ? undefined : body)
    const answer = (await response.json()) as { transactionId?: string; id?: string }
    return { status: response.status, transactionId: answer.transactionId ?? answer.id ?? '' }
  }
}
