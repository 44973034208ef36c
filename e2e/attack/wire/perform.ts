import { connect, type Socket } from 'node:net'
import type { AttackCase, Step } from '#e2e/attack/case.ts'
import { type Answer, AnswerReader } from './answer-reader.ts'

/** How a connection was when the case was over: `open` means that the limit ran out, or that enough answers were there. */
type Shutdown = 'open' | 'closed' | 'reset' | 'refused'

/** The result of a case. */
export type Outcome = {
  answers: readonly Answer[]
  ending: Shutdown
  /** Bytes that are not HTTP. */
  garbage: string | undefined
  /** An answer began and did not end. */
  isHalfAnswered: boolean
  /** The attacker itself cut the connection. */
  wasCutByUs: boolean
  /** From the last byte that was sent to the last that came, or to the end of the waiting; without the time that the service had no CPU. */
  durationMs: number
}

const SETTLE_MS = 15

type PerformOptions = {
  /** How long the service has stood ready without a CPU so far, because other programs had it. That much the limit is extended. */
  starvedMs?: () => number
}

/** At the most, however starved the service is. */
const EXTENSION_MS_MAX = 60_000

/** Carries out a case on a connection of its own. Always resolves, at the latest at the limit of the case. */
export async function perform(
  place: { host: string; port: number },
  attack: AttackCase,
  { starvedMs = () => 0 }: PerformOptions = {},
): Promise<Outcome> {
  const line = new Line(place, attack, starvedMs)
  try {
    for (const step of attack.steps) {
      if (line.isOver) break
      await line.carryOut(step)
    }
    return await line.finish()
  } finally {
    line.destroy()
  }
}

/** One connection and its state. */
class Line {
  #socket: Socket
  #reader: AnswerReader
  #attack: AttackCase
  #ending: Shutdown = 'open'
  #wasCutByUs = false
  #lastSentMs = performance.now()
  #lastReadMs = 0
  #wakers = new Set<() => void>()
  #starvedMs: () => number
  #starvedAtStartMs: number

  constructor(place: { host: string; port: number }, attack: AttackCase, starvedMs: () => number) {
    this.#attack = attack
    this.#starvedMs = starvedMs
    this.#starvedAtStartMs = starvedMs()
    this.#reader = new AnswerReader(attack.methods)
    this.#socket = connect({ ...place, localAddress: attack.from ?? '127.0.0.1', noDelay: true, allowHalfOpen: true })
    this.#socket.on('data', (bytes: Buffer) => {
      this.#lastReadMs = performance.now()
      this.#reader.push(bytes)
      this.#wake()
    })
    this.#socket.on('end', () => this.#over('closed'))
    this.#socket.on('error', (error: NodeJS.ErrnoException) => this.#over(error.code === 'ECONNREFUSED' ? 'refused' : 'reset'))
    this.#socket.on('close', () => this.#over('closed'))
    this.#socket.on('drain', () => this.#wake())
  }

  get isOver(): boolean {
    return this.#ending !== 'open'
  }

  async carryOut(step: Step): Promise<void> {
    switch (step.do) {
      case 'write':
        return this.#write(step.bytes)
      case 'flood':
        return this.#flood(step)
      case 'wait':
        return this.#until(() => this.isOver, step.ms)
      case 'await':
        return this.#until(() => this.isOver || this.#reader.answers.length >= step.answers, this.#attack.expect.limitMs)
      case 'awaitByte':
        return this.#until(() => this.isOver || this.#reader.bytesRead > 0, this.#attack.expect.limitMs)
      case 'follow':
        return this.#follow(step.bytesFor)
      case 'halfClose':
        this.#socket.end()
        return
      case 'reset':
        this.#wasCutByUs = true
        await this.#connected()
        this.#socket.resetAndDestroy()
        this.#over('closed')
    }
  }

  async finish(): Promise<Outcome> {
    const { expect } = this.#attack
    const waitedFromMs = this.#lastSentMs
    if (!this.#wasCutByUs) {
      const isEnough = () => this.isOver || this.#reader.garbage !== undefined || this.#reader.answers.length >= expect.answers
      for (let leftMs = expect.limitMs; leftMs > 0 && !isEnough(); ) {
        await this.#until(isEnough, leftMs)
        leftMs = waitedFromMs + expect.limitMs + this.#extensionMs() - performance.now()
      }
      // One more answer than there were requests would come right behind the others.
      if (!this.isOver && this.#reader.answers.length >= expect.answers) await this.#until(() => this.isOver, SETTLE_MS)
    }
    return {
      answers: this.#reader.answers,
      ending: this.#ending,
      garbage: this.#reader.garbage,
      isHalfAnswered: this.#reader.isInside,
      wasCutByUs: this.#wasCutByUs,
      durationMs: Math.max(
        0,
        (this.#reader.answers.length > 0 ? this.#lastReadMs : performance.now()) - waitedFromMs - this.#extensionMs(),
      ),
    }
  }

  #extensionMs(): number {
    return Math.min(EXTENSION_MS_MAX, Math.max(0, this.#starvedMs() - this.#starvedAtStartMs))
  }

  destroy(): void {
    this.#socket.destroy()
  }

  #write(bytes: Uint8Array): Promise<void> {
    this.#lastSentMs = performance.now()
    // Bytes that nobody reads pile up in the kernel and here; a case waits for them only as long as it waits for an answer.
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, this.#attack.expect.limitMs)
      this.#socket.write(bytes, () => {
        clearTimeout(timer)
        this.#lastSentMs = performance.now()
        resolve()
      })
    })
  }

  async #flood({ piece, times, pauseMs }: { piece: Uint8Array; times: number; pauseMs: number }): Promise<void> {
    for (let count = 0; count < times && !this.isOver && this.#socket.writable; count++) {
      this.#lastSentMs = performance.now()
      const isRoom = this.#socket.write(piece)
      if (!isRoom) await this.#until(() => this.isOver || !this.#socket.writableNeedDrain, this.#attack.expect.limitMs)
      if (this.#socket.writableNeedDrain) return
      if (pauseMs > 0) await this.#until(() => this.isOver, pauseMs)
      // The service has already answered, so the rest of the body is pointless.
      if (this.#reader.answers.length >= this.#attack.expect.answers) return
    }
    this.#lastSentMs = performance.now()
  }

  async #follow(bytesFor: (target: string) => Uint8Array): Promise<void> {
    await this.#until(() => this.isOver || this.#reader.answers.length > 0, this.#attack.expect.limitMs)
    const answer = this.#reader.answers[0]
    const target = answer?.headers['location']?.replace(/^https?:\/\/[^/]+/, '')
    if (!answer || answer.status < 300 || answer.status > 399 || !target || this.isOver) return
    await this.#write(bytesFor(target))
    await this.#until(() => this.isOver || this.#reader.answers.length > 1, this.#attack.expect.limitMs)
  }

  #connected(): Promise<void> {
    if (!this.#socket.connecting) return Promise.resolve()
    return this.#until(() => this.isOver || !this.#socket.connecting, 5_000)
  }

  #over(ending: Shutdown): void {
    if (this.#ending !== 'open') return
    this.#ending = ending
    this.#reader.end()
    this.#wake()
  }

  #wake(): void {
    for (const waker of [...this.#wakers]) waker()
  }

  /** Resolves when the condition holds, or after the time. */
  #until(condition: () => boolean, limitMs: number): Promise<void> {
    if (condition()) return Promise.resolve()
    return new Promise((resolve) => {
      const look = () => {
        if (condition()) done()
      }
      const done = () => {
        clearTimeout(timer)
        this.#wakers.delete(look)
        this.#socket.off('connect', look)
        resolve()
      }
      const timer = setTimeout(done, limitMs)
      this.#wakers.add(look)
      this.#socket.on('connect', look)
    })
  }
}
