// Loaded into every process that runs a test file. Node ends it as soon as its last test has ended (`--test-force-exit`), and what the runner has not
// read by then is lost: on a busy machine, the results of the last tests of a long file. Blocking, a write ends when the text is in the pipe.
process.stdout._handle?.setBlocking?.(true)
