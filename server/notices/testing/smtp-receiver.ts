import { createServer, type Socket } from 'node:net'

type ReceivedMail = { to: string[]; data: string; messageId: string; subject: string }
/** The receiver's reaction to a mail that has arrived whole: it answers, or only calls `onData` and answers nothing. */
type Behaviour = { answer: string | null; onData?: () => void }

/** A mail server on this machine that speaks as much SMTP as one mail per connection needs. */
export async function startSmtpReceiver() {
  const mails: ReceivedMail[] = []
  const behaviour: Behaviour = { answer: '250 taken' }
  const server = createServer((socket) => serve(socket, mails, behaviour))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The receiver has no port')
  return {
    url: `smtp://127.0.0.1:${address.port}`,
    mails,
    behaviour,
    close: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  }
}

function serve(socket: Socket, mails: ReceivedMail[], behaviour: Behaviour): void {
  let buffered = ''
  let isData = false
  let to: string[] = []
  const say = (line: string) => socket.write(`${line}\r\n`)
  say('220 receiver')
  socket.on('error', () => socket.destroy())
  socket.on('data', (chunk) => {
    buffered += chunk.toString('utf8')
    for (;;) {
      const end = isData ? buffered.indexOf('\r\n.\r\n') : buffered.indexOf('\r\n')
      if (end < 0) return
      const text = buffered.slice(0, end)
      buffered = buffered.slice(end + (isData ? 5 : 2))
      if (isData) {
        isData = false
        take(text)
      } else command(text)
    }
  })

  function command(line: string): void {
    if (/^(EHLO|HELO|MAIL|RSET)/i.test(line)) say('250 fine')
    else if (/^RCPT/i.test(line)) {
      to.push(/<(.*)>/.exec(line)?.[1] ?? '')
      say('250 fine')
    } else if (/^DATA/i.test(line)) {
      isData = true
      say('354 go on')
    } else if (/^QUIT/i.test(line)) socket.end('221 bye\r\n')
    else say('502 unknown')
  }

  function take(data: string): void {
    const { answer, onData } = behaviour
    const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(data)?.[1]?.trim() ?? ''
    if (answer === null || answer.startsWith('2')) mails.push({ to, data, messageId: header('Message-ID'), subject: header('Subject') })
    to = []
    onData?.()
    if (answer === null) socket.destroy()
    else say(answer)
  }
}

/** The files of a received mail, decoded. */
export function attachmentsOf(data: string): { fileName: string; text: string }[] {
  const boundary = /boundary="([^"]+)"/.exec(data)?.[1]
  if (!boundary) return []
  return data.split(`--${boundary}`).flatMap((part) => {
    const end = part.indexOf('\r\n\r\n')
    const [head, body] = [part.slice(0, end), part.slice(end + 4)]
    const fileName = /filename="?([^"\r\n;]+)/.exec(head)?.[1]
    if (!/Content-Disposition: attachment/i.test(head) || fileName === undefined) return []
    const isBase64 = /Content-Transfer-Encoding: base64/i.test(head)
    return [{ fileName, text: isBase64 ? Buffer.from(body, 'base64').toString('utf8') : body }]
  })
}
