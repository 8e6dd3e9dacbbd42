/**
 * `svc repl`: queries, updates and dot commands on one store, from a person at a terminal or from a pipe.
 * From a pipe there is no prompt, and the exit code tells whether every statement was done.
 */

import type { Configuration } from '../../../engine/service/configuration/configuration.js';
import { storeSettings } from '../../../engine/service/options/settings-of.js';
import { principalChainOf } from '../line/principal-chain.js';
import { type CliOptions, type CliStreams, textOption } from '../line/streams.js';
import type { Output } from '../output/output.js';
import { withFormat } from './answers.js';
import { HistoryFile, historyPath } from './history-file.js';
import { AnswerOutput } from './output.js';
import { StatementRunner } from './runner.js';
import { runScript } from './script.js';
import { Session } from './session.js';
import { StoreHandle } from './store-handle.js';
import { runTerminal } from './terminal.js';

const COLUMNS_UNKNOWN = 80;

export interface ReplOptions {
  readonly path: string;
  readonly options: CliOptions;
  readonly configuration: Configuration;
  readonly streams: CliStreams;
  readonly output: Output;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export async function runRepl(setup: ReplOptions, signal: AbortSignal): Promise<number> {
  const { streams, options, configuration } = setup;
  const input = streams.stdin as TerminalInput;
  const output: TerminalOutput = streams.stdout;
  const isInteractive = input.isTTY === true && output.isTTY === true;
  const keepsHistory = isInteractive && options.history !== false;
  const session = new Session({
    principalChain: principalChainOf(options),
    store: new StoreHandle(setup.path, options.readOnly === true, {
      baseNamespace: configuration.base_ns,
      ...storeSettings(configuration),
    }),
    configuration,
    output: new AnswerOutput(setup.output),
    history: new HistoryFile(keepsHistory ? historyPath(setup.environment) : null),
    note: (text) => streams.stderr.write(text),
    // A terminal that does not know its size says 0.
    columns: () => (output.isTTY === true ? output.columns || streams.columns || COLUMNS_UNKNOWN : null),
  });
  const form = textOption(options, 'format');
  if (form !== undefined) session.settings.formats = withFormat(session.settings.formats, form);
  const runner = new StatementRunner(session);
  try {
    // A store that is not there is told at once, not with the first query.
    await session.store.reading();
    if (!isInteractive) return await runScript(streams.stdin, session, runner, signal);
    return await runTerminal({ input, output }, session, runner, signal);
  } finally {
    await session.close();
  }
}

/** What streams are when a person sits at their other end. */
type TerminalInput = NodeJS.ReadableStream & { readonly isTTY?: boolean };
type TerminalOutput = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
