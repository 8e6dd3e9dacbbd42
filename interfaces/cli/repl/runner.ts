/**
 * Runs statements one after the other and shows what goes wrong with each: a statement that fails stops
 * nothing but itself. The reader of the input asks it afterwards whether all statements have run.
 */

import { readFileSync } from 'node:fs';
import { SvcError } from '../../../engine/base/errors.js';
import { statementKind } from '../../../engine/query/parse/statement.js';
import { BrokenPipe } from '../output/output.js';
import { runCommand } from './commands.js';
import { describeStatementFailure, type StatementPlace } from './errors.js';
import { type Session, StatementError } from './session.js';
import { type Statement, StatementReader } from './statements.js';

/** Files that read files. */
const READ_DEPTH_MAX = 10;

type Source = StatementPlace['source'];

export class StatementRunner {
  readonly #session: Session;
  /** Of the first statement that failed. */
  #exitCode = 0;
  #depth = 0;

  constructor(session: Session) {
    this.#session = session;
  }

  get exitCode(): number {
    return this.#exitCode;
  }

  /** A reader that knows the session's prefixes. */
  newReader(): StatementReader {
    return new StatementReader((text) => this.#isWhole(text));
  }

  /** `name`: what the lines are part of, where that helps to find a place. */
  async run(statement: Statement, signal: AbortSignal, name: string | null): Promise<void> {
    const source: Source = name === null ? undefined : { name, line: statement.line };
    try {
      await this.#run(statement, signal, source);
    } catch (error) {
      const [cause, place] = error instanceof StatementError ? [error.cause, error.place] : [error, null];
      if (cause instanceof BrokenPipe) throw cause;
      const failure = describeStatementFailure(cause, place);
      this.#session.note(failure.text);
      if (this.#exitCode === 0) this.#exitCode = failure.exitCode;
    }
  }

  /** The statements of a text; a text that is one query or update as a whole is one statement. */
  async runText(text: string, signal: AbortSignal, name: string): Promise<void> {
    if (this.#isWhole(text)) {
      await this.run({ kind: 'sparql', text, line: 1 }, signal, name);
      return;
    }
    const reader = this.newReader();
    for (const line of text.split(/\r?\n/)) {
      const statement = reader.push(line);
      if (statement !== null) await this.run(statement, signal, name);
      if (signal.aborted || this.#session.isOver) return;
    }
    const last = reader.end();
    if (last !== null) await this.run(last, signal, name);
  }

  async #run(statement: Statement, signal: AbortSignal, source: Source): Promise<void> {
    const session = this.#session;
    switch (statement.kind) {
      case 'declarations':
        session.prefixes.declareFrom(statement.text);
        return;
      case 'sparql':
        return session.run(statement.text, signal, source);
      case 'command':
        return runCommand(statement.text, {
          session,
          signal,
          source,
          readFile: (path) => this.#readFile(path, signal),
        });
    }
  }

  async #readFile(path: string, signal: AbortSignal): Promise<void> {
    if (this.#depth >= READ_DEPTH_MAX) {
      throw new SvcError('limit_exceeded', `.read ${path}: files read each other more than ${READ_DEPTH_MAX} deep`);
    }
    let text: string;
    try {
      text = readFileSync(path, 'utf8');
    } catch (error) {
      throw new SvcError('source_unreadable', `${path}: ${(error as Error).message}`, { cause: error });
    }
    this.#depth++;
    try {
      await this.runText(text, signal, path);
    } finally {
      this.#depth--;
    }
  }

  #isWhole(text: string): boolean {
    const { prefixes } = this.#session;
    try {
      // What the data suggests may not be known yet; that a prefix is missing is no reason to go on.
      const unknown = prefixes.unknownIn(text).map((name) => `PREFIX ${name}: <urn:unknown:>`);
      statementKind(`${unknown.join(' ')} ${prefixes.prologueFor(text)}${text}`, {
        baseIri: prefixes.base ?? 'urn:base:',
      });
      return true;
    } catch {
      return false;
    }
  }
}
