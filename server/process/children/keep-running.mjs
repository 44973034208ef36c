// Keeps the service running: plain JavaScript, because the launcher runs it on the machine's own Node 20.
import { spawn } from 'node:child_process'
import { createCrashPolicy, describeEnd, exitCodeOf, isCrash } from './crash-policy.mjs'

/**
 * Starts `program` and restarts it when it crashes, after an increasing pause; ends this process with its exit code when it
 * ends otherwise, or crashes for the third time within a minute. Each start is told in CRASHES how many crashes there were.
 * `sweep` is called when a process that did not end in order is followed by no start: it ends what may be left of it.
 */
export function keepRunning({ program, args, environment, sweep, windowMs }) {
  const policy = createCrashPolicy({ windowMs })
  let service
  let restart
  let crashes = 0
  let isEnding = false
  let isFinal = false

  function start() {
    // In a session of its own: a Ctrl-C in the terminal reaches this process alone, which passes it on once. The channel
    // tells the service when this process is killed, so that it never runs on as an orphan.
    const child = spawn(program, args, {
      cwd: process.cwd(),
      env: { ...environment, CRASHES: JSON.stringify({ service: crashes }) },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      detached: true,
    })
    child.once('error', (error) => {
      console.error(`The pinned Node does not start (${error.code}).`)
      process.exit(1)
    })
    // It has restarted a part of itself three times within a minute; restarting the whole would only repeat that.
    child.on('message', (message) => {
      if (message === 'final') isFinal = true
    })
    child.once('exit', onExit)
    service = child
  }

  function onExit(code, signal) {
    if (isEnding || isFinal || !isCrash(code, signal)) {
      // Ended before it could end in order, perhaps before it had taken over what a crashed one left behind.
      if (signal || crashes > 0) sweep()
      process.exit(exitCodeOf(code, signal))
    }
    service = undefined
    crashes++
    const pauseMs = policy.note()
    if (pauseMs === undefined) {
      log(`The service crashed (${describeEnd(code, signal)}), for the third time within a minute; it is not restarted`, crashes)
      sweep()
      process.exit(exitCodeOf(code, signal))
    }
    log(`The service crashed (${describeEnd(code, signal)}); it is restarted in ${pauseMs / 1_000} s`, crashes)
    restart = setTimeout(start, pauseMs)
  }

  start()
  return {
    /** Passes a signal on, or ends immediately where nothing runs. */
    end(signal) {
      isEnding = true
      clearTimeout(restart)
      if (service) return service.kill(signal)
      sweep()
      process.exit(0)
    },
  }
}

/** A line like those of the service, so that one reader understands both. */
function log(msg, crashes) {
  console.error(JSON.stringify({ level: 60, time: new Date().toISOString(), pid: process.pid, crashes, msg }))
}
