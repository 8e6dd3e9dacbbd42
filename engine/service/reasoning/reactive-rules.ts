/**
 * Stored rules kept true with every write (semantics of reasoning, 1.10; ruling R35): what follows is staged with the write, each
 * rule in a transaction of its own, judged and published together with it.
 *
 *  1. A write is looked at by the predicates that it changes. One that no rule names costs a look into a table.
 *  2. What it changes in a graph is followed through the rules (`reason/maintain`); where that would touch very much, the rules
 *     are evaluated anew over that graph.
 *  3. A write that takes derived facts away without the rules, a repair of their source, has the graph evaluated anew.
 *  4. A write that changes the rules themselves has ROOT, and every graph that has a companion, evaluated anew.
 */

import { type Deadline, deadlineIn, Interrupt } from '../../base/interrupt.js';
import { companionOf, isCompanion } from '../../query/registry/system-graphs.js';
import { ROOT_GRAPH_IRI, type Term, terms } from '../../rdf/terms.js';
import { WorkMeter } from '../../reason/evaluate/meter.js';
import { ChangeList } from '../../reason/evaluate/source-changes.js';
import { DerivedState } from '../../reason/maintain/derived-state.js';
import { maintainRules } from '../../reason/maintain/maintain-rules.js';
import { noChange, type PairChange } from '../../reason/maintain/pair-change.js';
import { KeptRules } from '../../reason/rules/kept-rules.js';
import type { RuleSet } from '../../reason/rules/rule-sets.js';
import { highOf, idOfHalves, lowOf } from '../../storage/ids/halves.js';
import type { TermId, TxId } from '../../storage/ids/layout.js';
import type { Stage, StagedTransaction, StorageEngine } from '../../storage/seam/engine.js';
import { decodeIds, lookInto, withSnapshot } from '../../storage/seam/rows.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import { BASE_NS_DEFAULT } from '../requests/namespaces.js';
import { type Derivation, DerivationWriter, derive, ruleOfSource, sourceOfRule } from './derivation.js';
import { NamedPredicates } from './named-predicates.js';
import { isPremiseGraph } from './premise-graph.js';
import type { ReasoningStage } from './reasoning-stage.js';
import { ruleDocuments } from './stored-documents.js';

/** More changed rows of a graph are no small change. */
const CHANGED_MAX = 20_000;
const WHAT = 'the reasoning';

/** A graph in which a write has changed facts of predicates that rules name. */
interface TouchedPremises {
  readonly graph: TermId;
  readonly named: ReadonlyMap<TermId, string>;
}

/** Or the one whose derived facts it has changed, by its IRI. */
type Touched = TouchedPremises | { readonly premises: string };

export class ReactiveRules {
  readonly name = 'rules';
  readonly #engine: StorageEngine;
  readonly #kept = new KeptRules();
  #set: RuleSet | null = null;
  readonly #predicates = new NamedPredicates();
  /** Of the write at hand. */
  #deadline: Deadline | undefined;
  /** Sources by transaction, of rules as they are staged, since those that are not on the disk yet are in no log. */
  readonly #sources = new Map<TxId, string | null>();

  /** `timeoutMs`: what a write may take for it; absent = any time. */
  constructor(
    engine: StorageEngine,
    private readonly timeoutMs?: number,
  ) {
    this.#engine = engine;
  }

  /** Nothing is awaited for a write that touches no rule. */
  maintain(context: ReasoningStage): void | Promise<void> {
    const set = this.#set;
    if (set === null || context.registry.wroteRows || this.#touched(context, set).length > 0) {
      return this.#maintain(context);
    }
    this.#note(context.stage);
    return undefined;
  }

  async #maintain(context: ReasoningStage): Promise<void> {
    this.#deadline = this.timeoutMs === undefined ? undefined : deadlineIn(this.timeoutMs, 'update.timeout_ms');
    const { stage, registry } = context;
    const known = this.#set;
    // A write that is refused later may have changed the rules: the next write looks again.
    this.#set = null;
    const [first] = stage.transactions as readonly [StagedTransaction];
    const before = known ?? (await withSnapshot(first.before(), (snapshot) => this.#rulesOf(snapshot)));
    const set = registry.wroteRows
      ? await withSnapshot(stage.snapshot(), (snapshot) => this.#rulesOf(snapshot))
      : before;
    if (set !== before) await this.#evaluateAll(context, set);
    else await this.#follow(context, set);
    this.#note(stage);
    if (!registry.wroteRows) this.#set = set;
  }

  #rulesOf(snapshot: StorageSnapshot): Promise<RuleSet> {
    return this.#kept.of(ruleDocuments(snapshot), this.#engine.baseNamespace(BASE_NS_DEFAULT));
  }

  /** ROOT, and every graph that has a companion. */
  async #evaluateAll(context: ReasoningStage, set: RuleSet): Promise<void> {
    const graphs = lookInto(context.stage.snapshot(), (snapshot) => {
      const named = decodeIds(snapshot, snapshot.graphs()).map(({ value }) => value);
      const premises = named.filter(isCompanion).map((iri) => iri.slice(0, -companionOf('').length));
      return [...new Set([ROOT_GRAPH_IRI, ...premises])].filter((iri) => isPremiseGraph(snapshot, iri));
    });
    for (const graph of graphs) this.#write(context, this.#evaluate(context, graph, set));
  }

  /** What a write changes that rules name, but for what rules alone have written. */
  #touched(context: ReasoningStage, set: RuleSet): Touched[] {
    const { stage, changes } = context;
    if (set.rules.length === 0) return [];
    if (stage.transactions.every(({ options }) => ruleOfSource(options.source ?? null) !== null)) return [];
    const touched: Touched[] = [];
    for (const { graph, asserted, retracted } of changes.graphs) {
      if (asserted + retracted === 0) continue;
      const premises = this.#predicates.premisesOf(context, set, graph);
      if (premises !== null) {
        touched.push({ premises });
        continue;
      }
      const named = this.#predicates.of(context, set, changes.rows(graph));
      if (named.size > 0) touched.push({ graph, named });
    }
    return touched;
  }

  async #follow(context: ReasoningStage, set: RuleSet): Promise<void> {
    const touched = this.#touched(context, set);
    if (touched.length === 0) return;
    const derivations: Derivation[] = [];
    lookInto(context.stage.snapshot(), (snapshot) => {
      const anew = new Set(touched.flatMap((one) => ('premises' in one ? [one.premises] : [])));
      for (const premises of anew) {
        if (isPremiseGraph(snapshot, premises)) derivations.push(this.#evaluate(context, premises, set));
      }
      for (const one of touched) {
        if ('premises' in one) continue;
        const iri = (decodeIds(snapshot, [one.graph])[0] as Term).value;
        if (anew.has(iri) || !isPremiseGraph(snapshot, iri)) continue;
        const derivation = this.#followIn(context, snapshot, { ...one, iri, set });
        if (derivation !== null) derivations.push(derivation);
      }
    });
    for (const derivation of derivations) this.#write(context, derivation);
  }

  #followIn(
    context: ReasoningStage,
    snapshot: StorageSnapshot,
    { graph, iri, set, named }: TouchedPremises & { readonly iri: string; readonly set: RuleSet },
  ): Derivation | null {
    const companion = snapshot.encode(terms.namedNode(companionOf(iri)));
    const places = new Map(set.rules.map(({ id }, place) => [sourceOfRule(id), place]));
    const sourceOf = this.#sourceOf();
    const interrupt = new Interrupt(WHAT, { ...context.control, deadline: this.#deadline });
    const limits = { check: () => interrupt.check() };
    const meter = new WorkMeter(limits, () => 0);
    const ownerOf = (tx: TxId): number => places.get(sourceOf(tx) ?? '') ?? -1;
    const state = new DerivedState({ snapshot, graph, companion, ownerOf, meter });
    const base = baseChanges(context, graph, named, state);
    if (base !== null && base.size === 0) return null;
    const list = new ChangeList(state.terms);
    const followed =
      base !== null &&
      maintainRules(state, set, base, meter, ({ predicate, s, o, before, after }) => {
        if (after >= 0) list.add(after, 'asserted', predicate, s, o);
        if (before >= 0) list.add(before, after >= 0 && after < before ? 'taken' : 'retracted', predicate, s, o);
      });
    if (!followed) return this.#evaluate(context, iri, set);
    const sources = set.rules.map(({ id }) => sourceOfRule(id));
    return { graph: iri, set, result: { changes: list.changes, derived: 0, bytes: 0 }, sources };
  }

  #evaluate(context: ReasoningStage, graph: string, set: RuleSet): Derivation {
    const interrupt = new Interrupt(WHAT, { ...context.control, deadline: this.#deadline });
    const ids = new Set(set.rules.map(({ id }) => sourceOfRule(id)));
    return lookInto(context.stage.snapshot(), (snapshot) =>
      derive(snapshot, graph, set, {
        sourceOf: this.#sourceOf(),
        emptied: (source) => !ids.has(source),
        limits: { check: () => interrupt.check() },
      }),
    );
  }

  #write(context: ReasoningStage, derivation: Derivation): void {
    const writer = new DerivationWriter(derivation);
    if (writer.isEmpty) return;
    const { timestamp } = context.stage.transactions[0] as StagedTransaction;
    const begin = context.begin.bind(context);
    writer.write(context.stage, context.registry, { begin, firstIsOpen: false, timestamp, validFrom: timestamp });
  }

  /** Remembers what rules have written; the number of another transaction may have been that of one that was refused. */
  #note({ transactions }: Stage): void {
    for (const { tx, options } of transactions) {
      const source = options.source ?? null;
      if (ruleOfSource(source) === null) this.#sources.delete(tx);
      else this.#sources.set(tx, source);
    }
  }

  #sourceOf(): (tx: TxId) => string | null {
    return (tx) => {
      const known = this.#sources.get(tx);
      if (known !== undefined) return known;
      const source = this.#engine.transactions({ since: tx - 1, limit: 1 })[0]?.source ?? null;
      this.#sources.set(tx, source);
      return source;
    };
  }
}

/** What came and went in a graph, of predicates that rules name; null = too much. */
function baseChanges(
  { changes, stage }: ReasoningStage,
  graph: TermId,
  named: ReadonlyMap<TermId, string>,
  state: DerivedState,
): Map<string, PairChange> | null {
  const base = new Map<string, PairChange>();
  const [low, high] = [lowOf(graph), highOf(graph)];
  let count = 0;
  for (const { op, rows, columns } of changes.rows(graph)) {
    const { s, p, o, g } = columns;
    for (let row = 0; row < rows; row++) {
      if (g[2 * row] !== low || g[2 * row + 1] !== high) continue;
      const predicate = named.get(idOfHalves(p[2 * row] as number, p[2 * row + 1] as number));
      if (predicate === undefined) continue;
      if (++count > CHANGED_MAX) return null;
      const change = base.get(predicate) ?? noChange();
      base.set(predicate, change);
      (op === 'assert' ? change.came : change.went).add(
        state.numbering.numberOf(s[2 * row] as number, s[2 * row + 1] as number),
        state.numbering.numberOf(o[2 * row] as number, o[2 * row + 1] as number),
      );
    }
  }
  return stage.transactions.length === 1 || base.size === 0 ? base : netChanges(base, stage, state);
}

/** Several transactions may have changed a fact to and fro: what counts is before and after. */
function netChanges(base: ReadonlyMap<string, PairChange>, { transactions }: Stage, state: DerivedState) {
  const [first] = transactions as readonly [StagedTransaction];
  return lookInto(first.before(), (before) => {
    const net = new Map<string, PairChange>();
    for (const [predicate, change] of base) {
      const own = noChange();
      for (const { pairs, count } of [change.came, change.went]) {
        for (let row = 0; row < count; row++) {
          const [s, o] = [pairs[2 * row] as number, pairs[2 * row + 1] as number];
          const [held, holds] = [state.isBaseIn(before, predicate, s, o), state.isBase(predicate, s, o)];
          if (holds && !held) own.came.add(s, o);
          if (held && !holds) own.went.add(s, o);
        }
      }
      if (own.came.count + own.went.count > 0) net.set(predicate, own);
    }
    return net;
  });
}
