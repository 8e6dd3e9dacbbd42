/**
 * Runs random queries: every answer of the engine is compared with that of the naive evaluator, and where
 * the vocabulary allows it with that of an engine that others have written. A disagreement is made small.
 */

import { libraryReader } from '../../conformance/readers.js';
import { type Comparison, canonical, firstUnsorted, sortKeysOf } from './compare.js';
import { COMMON, type DataLine, documentOf, EVERYTHING, PREFIXES, randomData, type Vocabulary } from './data.js';
import { type Engine, fileEngine, memoryEngine, naiveEngine, type Outcome, otherEngine, SWITCHES } from './engines.js';
import { explained } from './known.js';
import { randomQuery } from './queries.js';
import { Random } from './random.js';
import { type Case, shrink } from './shrink.js';
import { featuresOf, render } from './tree.js';

export interface Disagreement {
  readonly seed: number;
  readonly variant: string;
  readonly data: string;
  readonly query: string;
  readonly expected: string;
  readonly got: string;
}

export interface Report {
  queries: number;
  /** Answers that were compared, by variant. */
  readonly compared: Map<string, number>;
  /** Queries that hold each construct. */
  readonly features: Map<string, number>;
  /** Answers that held anything. */
  nonEmpty: number;
  refused: number;
  tooLarge: number;
  /** Differences of the other engine that are known and explained. */
  readonly explained: Map<string, number>;
  readonly disagreements: Disagreement[];
}

const QUERIES_PER_DATASET = 20;
const DISAGREEMENTS_MAX = 20;

/** One way to get an answer. */
interface Variant {
  readonly name: string;
  readonly engine: Engine;
  readonly disabled: readonly string[];
  readonly comparison: Comparison;
}

export interface RunOptions {
  readonly seed: number;
  readonly queries: number;
  readonly onProgress?: (report: Report) => void;
}

export class DifferentialRun {
  readonly report: Report = {
    queries: 0,
    compared: new Map(),
    features: new Map(),
    nonEmpty: 0,
    refused: 0,
    tooLarge: 0,
    explained: new Map(),
    disagreements: [],
  };
  readonly #naive = naiveEngine();
  readonly #memory = memoryEngine();
  readonly #file = fileEngine();
  readonly #other = otherEngine();

  async run({ seed, queries, onProgress }: RunOptions): Promise<Report> {
    for (let at = 0; this.report.queries < queries; at++) {
      await this.#dataset(seed + at, queries);
      onProgress?.(this.report);
      if (this.report.disagreements.length >= DISAGREEMENTS_MAX) break;
    }
    return this.report;
  }

  async close(): Promise<void> {
    for (const engine of [this.#naive, this.#memory, this.#file, this.#other]) await engine.close();
  }

  async #dataset(seed: number, queries: number): Promise<void> {
    const random = new Random(seed);
    const vocabulary = random.once(2) ? COMMON : EVERYTHING;
    const data = randomData(random, vocabulary);
    await this.#fill(data, [this.#naive, this.#memory, this.#file, this.#other]);
    for (let count = 0; count < QUERIES_PER_DATASET && this.report.queries < queries; count++) {
      const query = randomQuery(random, vocabulary);
      this.report.queries++;
      for (const feature of featuresOf(query)) increase(this.report.features, feature);
      const failing = await this.#query({ data, query }, this.#variants(vocabulary));
      if (failing === null) continue;
      await this.#record(seed, failing, { data, query });
      await this.#fill(data, [this.#naive, this.#memory, this.#file, this.#other]);
    }
  }

  /** Everything on, everything off, and two things off in turn. */
  #variants(vocabulary: Vocabulary): Variant[] {
    const exact = { byValue: false };
    const off = (name: string): Variant => ({
      name: `memory without ${name}`,
      engine: this.#memory,
      disabled: [name],
      comparison: exact,
    });
    const at = 2 * this.report.queries;
    return [
      { name: 'memory', engine: this.#memory, disabled: [], comparison: exact },
      { name: 'file', engine: this.#file, disabled: [], comparison: exact },
      { name: 'memory without anything', engine: this.#memory, disabled: SWITCHES, comparison: exact },
      off(SWITCHES[at % SWITCHES.length] as string),
      off(SWITCHES[(at + 1) % SWITCHES.length] as string),
      ...(vocabulary === COMMON
        ? [{ name: 'oxigraph', engine: this.#other, disabled: [], comparison: { byValue: true } }]
        : []),
    ];
  }

  async #fill(data: readonly DataLine[], engines: readonly Engine[]): Promise<void> {
    const quads = await libraryReader.parse(new TextEncoder().encode(documentOf(data)), 'trig', 'http://example.org/');
    for (const engine of engines) await engine.fill(quads);
  }

  /** The first variant that disagrees. */
  async #query(one: Case, variants: readonly Variant[]): Promise<Variant | null> {
    const text = PREFIXES + render(one.query);
    const expected = await this.#naive.query(text);
    if (expected.kind === 'skipped') {
      this.report.tooLarge++;
      return null;
    }
    if (expected.kind === 'refused') this.report.refused++;
    if (expected.kind === 'answer' && !isEmpty(expected)) this.report.nonEmpty++;
    for (const variant of variants) {
      const actual = await variant.engine.query(text, { disabledRewrites: variant.disabled });
      if (await agrees(text, actual, expected, variant.comparison)) {
        increase(this.report.compared, variant.name.replace(/ without .*-.*/, ' without one'));
        continue;
      }
      const why = await this.#explained(variant, one, actual, expected);
      if (why === null) return variant;
      increase(this.report.explained, why);
    }
    return null;
  }

  /** Why the other engine is not expected to agree; null = nothing excuses it. */
  async #explained(
    variant: Variant,
    { data, query }: Case,
    actual: Outcome,
    expected: Outcome,
  ): Promise<string | null> {
    if (variant.engine !== this.#other) return null;
    const set = async (outcome: Outcome) =>
      outcome.kind === 'answer' ? [...new Set(await canonical(outcome.answer, variant.comparison))].join('\n') : '';
    return explained({ text: render(query), data, actual, sameSet: (await set(actual)) === (await set(expected)) });
  }

  async #record(seed: number, variant: Variant, found: Case): Promise<void> {
    const fails = async ({ data, query }: Case): Promise<boolean> => {
      const text = PREFIXES + render(query);
      await this.#fill(data, [this.#naive, variant.engine]);
      const expected = await this.#naive.query(text);
      if (expected.kind !== 'answer') return false;
      const actual = await variant.engine.query(text, { disabledRewrites: variant.disabled });
      if (await agrees(text, actual, expected, variant.comparison)) return false;
      return (await this.#explained(variant, { data, query }, actual, expected)) === null;
    };
    const small = (await fails(found)) ? await shrink(found, fails) : found;
    const text = PREFIXES + render(small.query);
    await this.#fill(small.data, [this.#naive, variant.engine]);
    this.report.disagreements.push({
      seed,
      variant: variant.name,
      data: documentOf(small.data),
      query: text,
      expected: await show(await this.#naive.query(text), variant.comparison),
      got: await show(await variant.engine.query(text, { disabledRewrites: variant.disabled }), variant.comparison),
    });
  }
}

function isEmpty({ answer }: Extract<Outcome, { kind: 'answer' }>): boolean {
  return (answer.kind === 'rows' && answer.rows.length === 0) || (answer.kind === 'graph' && answer.quads.length === 0);
}

async function agrees(text: string, actual: Outcome, expected: Outcome, comparison: Comparison): Promise<boolean> {
  if (actual.kind !== 'answer' || expected.kind !== 'answer') return actual.kind === expected.kind;
  const [first, second] = [await canonical(actual.answer, comparison), await canonical(expected.answer, comparison)];
  if (first.length !== second.length || first.some((row, at) => row !== second[at])) return false;
  const keys = comparison.byValue ? null : sortKeysOf(text);
  return keys === null || actual.answer.kind !== 'rows' || firstUnsorted(actual.answer.rows, keys) === null;
}

async function show(outcome: Outcome, comparison: Comparison): Promise<string> {
  if (outcome.kind === 'answer') {
    const rows = await canonical(outcome.answer, comparison);
    return [`${rows.length} rows`, ...rows].join('\n  ');
  }
  return 'why' in outcome ? `${outcome.kind}: ${outcome.why}` : outcome.kind;
}

function increase(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
