/**
 * How V8 compiles a process that answers queries. Each new query runs some hundred functions that were never hot: with
 * V8's own settings its optimising compiler takes them all up at once, and takes the core away from the query for
 * seconds. Here everything is compiled by the baseline compiler at the first call, and optimised when it has run four
 * times as long. For a process of its own only: the settings are those of the whole process.
 * Measured on the first dozen runs of 42 queries on one core: docs/internals/performance.md.
 */

import { setFlagsFromString } from 'node:v8';

/** What the figures are of; other versions have other compilers and other defaults. */
const MEASURED = /^11\./;

export function compileForQueries(): void {
  if (!MEASURED.test(process.versions.v8)) return;
  setFlagsFromString('--always-sparkplug');
  setFlagsFromString('--interrupt-budget=270000');
}
