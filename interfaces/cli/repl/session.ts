/**
 * A session: its store, prefixes, settings and history, and what it does with a statement. It knows
 * nothing of terminals and lines; its caller shows the errors that it throws.
 */

import { statementKind } from '../../../engine/query/parse/statement.js';
import { PrefixTable } from '../../../engine/rdf/formats/output/prefixes.js';
import type { Configuration } from '../../../engine/service/configuration/configuration.js';
import { stats } from '../../../engine/service/operations/admin/stats.js';
import type { Operation } from '../../../engine/service/operations/definition/operation.js';
import { queryOf } from '../../../engine/service/operations/query/query-options.js';
import { update } from '../../../engine/service/operations/query/update.js';
import type { EngineQuery } from '../../../engine/service/reads/query.js';
import { readContext } from '../../../engine/service/reads/read-context.js';
import type { StoreSnapshot } from '../../../engine/service/reads/snapshot.js';
import type { Store } from '../../../engine/service/store/store.js';
import { type DataWords, emptyWords, readDataWords } from '../prefixes/data-words.js';
import { Prefixes } from '../prefixes/prefixes.js';
import { describeShown, milliseconds, showAnswer } from './answers.js';
import type { StatementPlace } from './errors.js';
import type { HistoryFile } from './history-file.js';
import type { AnswerOutput } from './output.js';
import { defaultSettings, type Settings } from './settings.js';
import type { StoreHandle } from './store-handle.js';

export interface SessionOptions {
  readonly store: StoreHandle;
  readonly configuration: Configuration;
  readonly output: AnswerOutput;
  readonly history: HistoryFile;
  /** Messages that are no answers. */
  readonly note: (text: string) => void;
  /** Columns of the terminal that answers go to; null = they go elsewhere. */
  readonly columns: () => number | null;
  /** On whose behalf updates write; undefined = nobody is named. */
  readonly principalChain: readonly string[] | undefined;
}

/** An error of a statement, with the place that it speaks of. */
export class StatementError extends Error {
  readonly place: StatementPlace;

  constructor(cause: unknown, place: StatementPlace) {
    super('a statement failed', { cause });
    this.place = place;
  }
}

export class Session {
  readonly store: StoreHandle;
  readonly output: AnswerOutput;
  readonly history: HistoryFile;
  readonly prefixes = new Prefixes();
  readonly settings: Settings;
  readonly note: (text: string) => void;
  /** Text of the last query or update, for `.explain` without one. */
  lastStatement: string | null = null;
  /** Set by `.quit`. */
  isOver = false;
  readonly #configuration: Configuration;
  readonly #columns: () => number | null;
  readonly #principalChain: readonly string[] | undefined;
  #words: DataWords | null = null;

  constructor(options: SessionOptions) {
    this.store = options.store;
    this.output = options.output;
    this.history = options.history;
    this.note = options.note;
    this.#configuration = options.configuration;
    this.#columns = options.columns;
    this.#principalChain = options.principalChain;
    this.settings = defaultSettings(options.columns() !== null);
  }

  /** Whether answers go to a terminal now. */
  get isTerminal(): boolean {
    return this.#columns() !== null && this.output.path === null;
  }

  /** `prefix:name`, or `<iri>`. */
  get nameOf(): (iri: string) => string {
    const table = new PrefixTable(this.prefixes.table, () => undefined);
    return (iri) => table.nameOf(iri);
  }

  /** The deadline of the configuration, which `.timeout` may lower. */
  get timeoutMaxMs(): number {
    return this.#configuration.search.query_timeout_ms;
  }

  /** Predicates, classes and namespaces of the data, read when they are first wanted. */
  async words(): Promise<DataWords> {
    if (this.#words === null) {
      this.#words = emptyWords;
      this.prefixes.load((await (await this.store.reading()).shapeSets()).map((set) => set.prefixes));
      this.#words = await this.withSnapshot((snapshot) => readDataWords(snapshot));
      this.prefixes.suggest(this.#words.namespaces);
    }
    return this.#words;
  }

  /** Runs a query or an update; `place` tells where it stands in what the person wrote. */
  async run(text: string, signal: AbortSignal, source?: StatementPlace['source']): Promise<void> {
    this.lastStatement = text;
    await this.#withPrefixes(text, source, async (whole) => {
      if (statementKind(whole, { baseIri: this.prefixes.base }) === 'query') await this.#query(whole, signal);
      else await this.#update(whole, signal);
    });
  }

  async explain(text: string, analyze: boolean, signal: AbortSignal, source?: StatementPlace['source']): Promise<void> {
    this.lastStatement = text;
    await this.#withPrefixes(text, source, async (whole) => {
      const store = await this.store.reading();
      const isUpdate = statementKind(whole, { baseIri: this.prefixes.base }) === 'update';
      const explained = await store.explainQuery(whole, { ...this.#asked(signal, !isUpdate), analyze });
      await this.output.write(explained.text);
    });
  }

  async showStats(): Promise<void> {
    await this.#runOperation(stats, await this.store.reading(), {}, new AbortController().signal);
  }

  /** With the time slice of the settings. */
  async withSnapshot<Result>(work: (snapshot: StoreSnapshot) => Promise<Result>): Promise<Result> {
    const { tx, validAt } = this.settings;
    const snapshot = (await this.store.reading()).snapshot({ tx: tx ?? undefined, validAt: validAt ?? undefined });
    try {
      return await work(snapshot);
    } finally {
      snapshot.close();
    }
  }

  async close(): Promise<void> {
    await this.output.toStandard();
    await this.store.close();
  }

  async #query(text: string, signal: AbortSignal): Promise<void> {
    const store = await this.store.reading();
    const began = performance.now();
    const answer = await store.answerQuery(text, this.#asked(signal));
    const { formats, rowsMax, timing } = this.settings;
    // The first table writes its names as all others do.
    if (answer.kind !== 'ask' && formats[answer.kind === 'select' ? 'rows' : 'graph'] === 'table') await this.words();
    const shown = await showAnswer(answer, this.output, began, {
      formats,
      rowsMax,
      widthMax: this.isTerminal ? this.#columns() : null,
      isTerminal: this.isTerminal,
      nameOf: this.nameOf,
    });
    if (timing || shown.wasCut) this.note(describeShown(shown));
  }

  async #update(text: string, signal: AbortSignal): Promise<void> {
    const began = performance.now();
    const { timeoutMs } = this.settings;
    const { base } = this.prefixes;
    const request = {
      update: text,
      ...(base === undefined ? {} : { base }),
      ...(timeoutMs === null ? {} : { timeout_ms: timeoutMs }),
    };
    await this.store.writing((store) => this.#runOperation(update, store, request, signal));
    this.#words = null;
    if (this.settings.timing) this.note(`${milliseconds(performance.now() - began)}\n`);
  }

  /** As its command does, answer included. */
  async #runOperation(operation: Operation, store: Store, request: object, signal: AbortSignal): Promise<void> {
    const control = { signal, principalChain: this.#principalChain };
    const context = { store, configuration: this.#configuration, control, documents: [], representation: 'body' };
    const answer = await operation.run(context, request);
    const text = operation.projections.cli?.text;
    if (answer.kind === 'body' && text !== undefined)
      await this.output.write(text(answer.body, { documents: '', store: store.path, request: { ...request } }));
  }

  /** A query by the settings; `scoped`: of the graph and the time that they choose. */
  #asked(signal: AbortSignal, scoped = true): EngineQuery {
    const { tx, validAt, graph, timeoutMs } = this.settings;
    const scope = { tx: tx ?? undefined, valid_at: validAt ?? undefined, graph: graph ?? undefined };
    const configuration = this.#configuration;
    return queryOf(
      { read: readContext(configuration), configuration, control: { signal } },
      { ...(scoped ? scope : {}), base: this.prefixes.base, timeout_ms: timeoutMs ?? undefined },
    );
  }

  async #withPrefixes(
    text: string,
    source: StatementPlace['source'],
    work: (whole: string) => Promise<void>,
  ): Promise<void> {
    if (this.prefixes.unknownIn(text).length > 0) await this.words();
    const prologue = this.prefixes.prologueFor(text);
    try {
      await work(prologue + text);
    } catch (error) {
      throw new StatementError(error, { text, linesBefore: prologue === '' ? 0 : 1, source });
    }
  }
}
