/**
 * Statements from a person at a terminal: prompts, editing, history, completion. Ctrl-C cancels what
 * runs, or clears what was typed; Ctrl-D ends. Lines that are typed while a statement runs wait for it.
 */

import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { PrefixTable } from '../../../engine/rdf/formats/output/prefixes.js';
import { DOT_COMMANDS } from './commands.js';
import { type Completion, complete, type Vocabulary } from './completion.js';
import type { StatementRunner } from './runner.js';
import type { Session } from './session.js';
import { describeScope } from './settings.js';
import { onOneLine, type Statement, type StatementReader } from './statements.js';

export interface TerminalStreams {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

const NAME = 'sparql';
/** Of the history, entries that the arrow keys find. */
const RECALLED_MAX = 500;

export async function runTerminal(
  streams: TerminalStreams,
  session: Session,
  runner: StatementRunner,
  signal: AbortSignal,
): Promise<number> {
  await new TerminalLoop(streams, session, runner).run(signal);
  return 0;
}

class TerminalLoop {
  readonly #session: Session;
  readonly #runner: StatementRunner;
  readonly #reader: StatementReader;
  readonly #interface: Interface;
  /** What the arrow keys find, newest first; the interface works on this very list. */
  readonly #recalled: string[];
  readonly #lines: string[] = [];
  #running: AbortController | null = null;
  #isClosed = false;
  #wake: (() => void) | null = null;

  constructor({ input, output }: TerminalStreams, session: Session, runner: StatementRunner) {
    this.#session = session;
    this.#runner = runner;
    this.#reader = runner.newReader();
    this.#recalled = session.history.entries.map(onOneLine).reverse().slice(0, RECALLED_MAX);
    this.#interface = createInterface({
      input,
      output,
      terminal: true,
      history: this.#recalled,
      historySize: RECALLED_MAX,
      completer: (line: string, answer: (error: Error | null, result: [string[], string]) => void) => {
        this.#complete(line).then(
          ({ candidates, word }) => answer(null, [[...candidates], word]),
          () => answer(null, [[], line]),
        );
      },
    });
  }

  /** Until the input ends, or `.quit`. */
  async run(signal: AbortSignal): Promise<void> {
    const line = this.#interface;
    // Statements are remembered as a whole, not line by line.
    line.on('history', (recalled: string[]) => recalled.shift());
    line.on('line', (text) => {
      this.#lines.push(text);
      this.#wake?.();
    });
    line.on('SIGINT', () => this.#interrupt());
    line.on('close', () => {
      this.#isClosed = true;
      this.#running?.abort();
      this.#wake?.();
    });
    const end = (): void => line.close();
    signal.addEventListener('abort', end, { once: true });
    this.#session.note(
      `svc SPARQL repl (db: ${this.#session.store.path})\n:help lists the commands; :quit or Ctrl-D ends.\n`,
    );
    try {
      await this.#runLines();
    } finally {
      signal.removeEventListener('abort', end);
      line.close();
    }
  }

  async #runLines(): Promise<void> {
    for (;;) {
      const next = this.#lines.shift();
      if (next === undefined) {
        if (this.#isClosed) return;
        this.#prompt();
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        continue;
      }
      const statement = this.#reader.push(next);
      if (statement !== null) await this.#run(statement);
      if (this.#session.isOver) return;
    }
  }

  async #run(statement: Statement): Promise<void> {
    const controller = new AbortController();
    this.#running = controller;
    this.#remember(statement.text);
    try {
      await this.#runner.run(statement, controller.signal, null);
    } finally {
      this.#running = null;
    }
  }

  #remember(text: string): void {
    this.#session.history.add(text);
    const line = onOneLine(text);
    if (this.#recalled[0] !== line) this.#recalled.unshift(line);
    if (this.#recalled.length > RECALLED_MAX) this.#recalled.pop();
  }

  #prompt(): void {
    const scope = describeScope(this.#session.settings, this.#session.nameOf);
    const prompt = `${NAME}${scope}> `;
    this.#interface.setPrompt(this.#reader.isPending ? `${' '.repeat(Math.max(0, prompt.length - 5))}...> ` : prompt);
    this.#interface.prompt();
  }

  #interrupt(): void {
    this.#lines.length = 0;
    if (this.#running !== null) {
      this.#running.abort();
      return;
    }
    this.#reader.clear();
    // To the end of the line, then all before it away.
    this.#interface.write(null, { ctrl: true, name: 'e' });
    this.#interface.write(null, { ctrl: true, name: 'u' });
    this.#session.note('^C\n');
    this.#prompt();
  }

  async #complete(line: string): Promise<Completion> {
    return complete(line, this.#reader.pending, await this.#vocabulary());
  }

  async #vocabulary(): Promise<Vocabulary> {
    const { prefixes } = this.#session;
    // While a statement runs the store may be open for its update.
    const words = this.#running === null ? await this.#session.words() : { iris: [] };
    const table = new PrefixTable(prefixes.table, () => undefined);
    return {
      prefixes: prefixes.all.map(({ name }) => name),
      names: words.iris.map((iri) => table.nameOf(iri)).filter((name) => !name.startsWith('<')),
      iris: words.iris,
      commands: DOT_COMMANDS,
      files: filesBeginning,
    };
  }
}

/** Files and folders whose path begins so. */
export function filesBeginning(begun: string): string[] {
  const folder = begun.endsWith('/') ? begun : dirname(begun);
  const name = begun.endsWith('/') ? '' : basename(begun);
  try {
    return readdirSync(folder === '' ? '.' : folder, { withFileTypes: true })
      .filter((entry) => entry.name.startsWith(name) && (name.startsWith('.') || !entry.name.startsWith('.')))
      .map((entry) => {
        const path = begun.includes('/') ? join(folder, entry.name) : entry.name;
        return entry.isDirectory() ? `${path}/` : path;
      })
      .sort();
  } catch {
    return [];
  }
}
