/**
 * Rules run over one graph, and what they change in its companion put on a stage (semantics of reasoning, 1.7): a transaction
 * for each rule whose facts change, in rule order, all of them judged and published together.
 *
 * Facts that a rule loses to one before it are taken back first, in a transaction of the rule that loses them: the next
 * transactions find them closed and assert them as the other rule's. Sources whose rules are gone come first of all.
 */

import type { GraphRegistration } from '../../query/registry/registration.js';
import { companionOf } from '../../query/registry/system-graphs.js';
import { terms } from '../../rdf/terms.js';
import type { WorkLimits } from '../../reason/evaluate/meter.js';
import { runRules } from '../../reason/evaluate/run-rules.js';
import type { ChangePart, RunResult, SourceChange } from '../../reason/evaluate/source-changes.js';
import type { RuleSet } from '../../reason/rules/rule-sets.js';
import type { Instant, TermId, TxId } from '../../storage/ids/layout.js';
import type { Stage, TransactionOptions } from '../../storage/seam/engine.js';
import { lookInto, readRows } from '../../storage/seam/rows.js';
import { CURRENT, type StorageSnapshot } from '../../storage/seam/scan.js';

const SOURCE = 'reasoner:';

/** The source of what a rule derives. */
export function sourceOfRule(id: string): string {
  return SOURCE + id;
}

/** The id of the rule behind a source; null = it is no rule's. */
export function ruleOfSource(source: string | null): string | null {
  return source?.startsWith(SOURCE) === true ? source.slice(SOURCE.length) : null;
}

export interface Derivation {
  /** IRI of the graph of the premises. */
  readonly graph: string;
  readonly set: RuleSet;
  readonly result: RunResult;
  /** Sources by place: those of the rules, then those that are to lose all of their facts. */
  readonly sources: readonly string[];
}

export interface DerivationTotals {
  readonly asserted: number;
  readonly retracted: number;
  /** By rule. */
  readonly perRule: readonly number[];
}

/**
 * Runs the rules over the graph as a snapshot shows it. `sourceOf`: of a transaction; `emptied`: whether a source that belongs
 * to none of the rules loses its facts.
 */
export function derive(
  snapshot: StorageSnapshot,
  graph: string,
  set: RuleSet,
  options: {
    readonly sourceOf: (tx: TxId) => string | null;
    readonly emptied: (source: string) => boolean;
    readonly limits: WorkLimits;
  },
): Derivation {
  const companion = snapshot.encode(terms.namedNode(companionOf(graph)));
  const sources = set.rules.map(({ id }) => sourceOfRule(id));
  const owners = ownersIn(snapshot, companion, sources, options);
  const result = runRules({
    snapshot,
    graph: snapshot.encode(terms.namedNode(graph)),
    companion,
    rules: set.rules,
    strata: set.strata,
    owners,
    limits: options.limits,
  });
  return { graph, set, result, sources };
}

/** The places of the sources by transaction; sources that lose their facts are added to the list. */
function ownersIn(
  snapshot: StorageSnapshot,
  companion: TermId | null,
  sources: string[],
  { sourceOf, emptied }: { sourceOf(tx: TxId): string | null; emptied(source: string): boolean },
): Map<TxId, number> {
  const owners = new Map<TxId, number>();
  if (companion === null) return owners;
  const places = new Map(sources.map((source, place) => [source, place]));
  const seen = new Set<TxId>();
  const graphs = { kind: 'one', graph: companion } as const;
  for (const batch of readRows(snapshot, { graphs, pattern: {}, time: CURRENT, columns: ['txFrom'] })) {
    for (let row = 0; row < batch.rows; row++) {
      if (!batch.changes('txFrom', row)) continue;
      const tx = batch.tx('txFrom', row) as TxId;
      if (seen.has(tx)) continue;
      seen.add(tx);
      const source = sourceOf(tx);
      if (source === null || ruleOfSource(source) === null) continue;
      let place = places.get(source);
      if (place === undefined && emptied(source)) {
        place = sources.length;
        sources.push(source);
        places.set(source, place);
      }
      if (place !== undefined) owners.set(tx, place);
    }
  }
  return owners;
}

export interface DerivationOptions {
  /** Opens a transaction; not called for the first where that is open already. */
  begin(options: TransactionOptions): void;
  readonly firstIsOpen: boolean;
  readonly timestamp: Instant;
  /** What is asserted holds from then on, what is retracted held until then. */
  readonly validFrom: Instant;
}

/** One transaction of a derivation. */
interface Part {
  readonly source: string;
  /** Its place in the rules; null = it only takes facts back. */
  readonly rule: number | null;
  readonly change: SourceChange;
  readonly parts: readonly ChangePart[];
}

/** The transactions that a derivation needs, in their sequence; empty = all is as it was. */
export class DerivationWriter {
  readonly #parts: Part[] = [];

  constructor(private readonly derivation: Derivation) {
    const { result, sources, set } = derivation;
    const changes = [...result.changes].sort(([a], [b]) => a - b);
    for (const [place, change] of changes) {
      if (place < set.rules.length) continue;
      this.#parts.push({ source: sources[place] as string, rule: null, change, parts: ['retracted'] });
    }
    for (const [place, change] of changes) {
      if (change.taken === 0) continue;
      this.#parts.push({ source: sources[place] as string, rule: null, change, parts: ['taken'] });
    }
    for (const [place, change] of changes) {
      if (place >= set.rules.length || change.asserted + change.retracted - change.taken === 0) continue;
      this.#parts.push({ source: sources[place] as string, rule: place, change, parts: ['retracted', 'asserted'] });
    }
  }

  get isEmpty(): boolean {
    return this.#parts.length === 0;
  }

  /** The source of the first transaction. */
  get firstSource(): string | null {
    return this.#parts[0]?.source ?? null;
  }

  get totals(): DerivationTotals {
    const { result, set } = this.derivation;
    let [asserted, retracted] = [0, 0];
    for (const change of result.changes.values()) {
      asserted += change.asserted;
      retracted += change.retracted;
    }
    return { asserted, retracted, perRule: set.rules.map((_, place) => result.changes.get(place)?.asserted ?? 0) };
  }

  /** The rules whose facts change, in rule order. */
  get changedRules(): readonly number[] {
    return this.#parts.flatMap(({ rule }) => rule ?? []);
  }

  /** Puts all of it on a stage. */
  write(
    stage: Stage,
    registry: GraphRegistration,
    { begin, firstIsOpen, timestamp, validFrom }: DerivationOptions,
  ): void {
    const { graph } = this.derivation;
    // Whoever asked for the write asked for what follows.
    const authenticated = stage.transactions[0]?.options.authenticated;
    const companion = companionOf(graph);
    const id = stage.intern(terms.namedNode(companion));
    const intern = (term: Parameters<Stage['intern']>[0]): TermId => stage.intern(term);
    for (const [at, { source, change, parts }] of this.#parts.entries()) {
      if (at > 0 || !firstIsOpen) begin({ source, actor: 'reasoner', timestamp, validFrom, authenticated });
      if (at === 0) lookInto(stage.snapshot(), (snapshot) => registry.register(snapshot, companion));
      for (const part of parts) {
        for (const quads of change.quads(part, id, intern)) {
          if (part === 'asserted') stage.assertIds(quads, validFrom);
          else stage.retractIds(quads, validFrom);
        }
      }
    }
  }
}
