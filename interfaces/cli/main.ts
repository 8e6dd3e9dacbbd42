/**
 * The command `svc`: standard streams, signals and the exit code around `runCli`. The first Ctrl-C
 * cancels what runs, so that the store stays as it was; the second ends the process at once.
 */

import { programVersion } from '../../engine/base/program.js';
import { asksForVersion } from './version.js';

const EXIT_INTERRUPTED = 130;

const controller = new AbortController();

function interrupt(signal: NodeJS.Signals): void {
  if (controller.signal.aborted) process.exit(EXIT_INTERRUPTED);
  controller.abort(signal);
}

// Looking at `process.stdin` makes a pipe non-blocking for every process that shares it, so a command
// that reads no input leaves it alone.
let stdinUsed = false;

process.on('SIGINT', interrupt);
process.on('SIGTERM', interrupt);

async function main(words: readonly string[]): Promise<number> {
  if (asksForVersion(words)) {
    process.stdout.write(`svc ${programVersion()}\n`);
    return 0;
  }
  const { runCli } = await import('./run.js');
  const streams = {
    get stdin() {
      stdinUsed = true;
      return process.stdin;
    },
    stdout: process.stdout,
    stderr: process.stderr,
    terminal: process.stderr.isTTY === true,
    columns: process.stderr.columns ?? 80,
  };
  return runCli(words, streams, controller.signal);
}

process.exitCode = await main(process.argv.slice(2));
// Standard input that nobody read to its end would keep the process alive.
if (stdinUsed) process.stdin.destroy();
