/**
 * Why a fact stands (semantics of reasoning, 2.5): the rule or the axioms by which it follows, and the same of each premise,
 * as deep as is asked for. Nothing is written.
 *
 * 1. The fact is looked up in ROOT, its companion, then the committed graphs; its row's transaction says from where it comes.
 * 2. Of a rule's fact the body is matched again, among the facts that are there now; then with those, too, that were there
 *    when the fact was derived and were closed since. A match whose negated atoms hold comes before one where they do not.
 * 3. Of an ontology's fact the families are tried in their order. Premises that are base facts come first, then derived ones
 *    that rest on base facts without this one, then premises that are gone.
 */

import { breathe, type Stop } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import { Interrupt } from '../../base/interrupt.js';
import { companionOf } from '../../query/registry/system-graphs.js';
import { iriFault, isBlankNodeLabel } from '../../rdf/formats/input/term-checks.js';
import { type Term, terms } from '../../rdf/terms.js';
import { chooseMatch } from '../../reason/explain/choose-axioms.js';
import { type FactIds, FactReader, factKey } from '../../reason/explain/fact-reader.js';
import type { AxiomIndex, OwlFamily, OwlMatch } from '../../reason/explain/match-axioms.js';
import { headBindings, matchRule, type RuleMatch } from '../../reason/explain/match-rule.js';
import type { IriPair } from '../../reason/owl/axioms.js';
import type { Rule } from '../../reason/rules/rule.js';
import type { TermId, TxId } from '../../storage/ids/layout.js';
import type { StorageEngine } from '../../storage/seam/engine.js';
import { decodeIds, exactly, readRows } from '../../storage/seam/rows.js';
import { CURRENT, type GraphSet, type StorageSnapshot } from '../../storage/seam/scan.js';
import { type EntityInput, type PredicateInput, toEntity, toPredicate } from '../facts/entity.js';
import type { CurrentRules } from './current-rules.js';
import { ruleOfSource } from './derivation.js';
import {
  everyGraph,
  graphsToLookIn,
  isBaseSource,
  type SourceOf,
  type Standing,
  standingAnywhere,
  standingBefore,
  standingIn,
} from './fact-standing.js';
import { premisesOf } from './premise-graph.js';
import { transactionSources } from './transaction-sources.js';

/** A fact by its terms. */
export interface FactTerms {
  readonly s: Term;
  readonly p: Term;
  readonly o: Term;
}

export interface FactInput {
  /** IRI, or `_:label` of a stored blank node. */
  readonly s: EntityInput;
  readonly p: PredicateInput;
  /** IRI, `_:label`, a term, or any other text: the lexical form of a literal. */
  readonly o: string | Term;
}

export interface ExplainFactOptions extends Stop {
  /** How many steps are told, one below the other; default 5, at most 100. */
  readonly depth?: number | undefined;
  /** Bytes that the search for premises may take; default 1 GiB. */
  readonly memoryBytes?: number | undefined;
}

export interface RuleDerivation {
  readonly kind: 'rule';
  /** Id of the rule. */
  readonly rule: string;
  /** There is no rule of that id any more. */
  readonly ruleMissing?: true;
  /** By variable; absent with `ruleMissing`. */
  readonly bindings?: Readonly<Record<string, Term>>;
  /** By positive atom of the body; empty = the rule as it is now does not give the fact. */
  readonly support: readonly ExplainedFact[];
  /** By negated atom: `held` while the fact is absent. */
  readonly absence?: readonly { readonly fact: FactTerms; readonly held: boolean }[];
}

export interface OwlDerivation {
  readonly kind: 'owl';
  /** Null: no family of the loaded ontologies gives the fact, or the feature `owl` is off. */
  readonly family: OwlFamily | null;
  /** Of the way from the premise to the fact; absent without a family. */
  readonly axioms?: readonly IriPair[];
  readonly support: readonly ExplainedFact[];
}

export type FactDerivation = RuleDerivation | OwlDerivation;

export interface ExplainedFact {
  readonly fact: FactTerms;
  readonly found: boolean;
  /** The transaction that asserted it; null where it is not found. */
  readonly tx: TxId | null;
  readonly source: string | null;
  /** A premise that has been closed since. */
  readonly absent?: true;
  readonly closedTx?: TxId;
  /** In place of a derivation: the depth ends here. */
  readonly truncated?: true;
  /** In place of a derivation: the fact is explained above. */
  readonly cycle?: true;
  /** Null: a base fact, or one that is not there. */
  readonly derivation?: FactDerivation | null;
}

export interface FactExplanation extends ExplainedFact {
  /** IRI of the graph; null where the fact is not found. */
  readonly graph: string | null;
}

export const DEPTH_DEFAULT = 5;
const DEPTH_MAX = 100;
/** Facts of one explanation; one of a recursive rule may grow with two to the depth. */
const ENTRIES_MAX = 10_000;
const ENTRIES_PER_TURN = 256;
const TRANSACTIONS_AT_ONCE = 256;
const WHAT = 'the explanation';

/** What an explanation rests on besides the facts. */
export interface ExplainContext {
  readonly engine: StorageEngine;
  readonly rules: CurrentRules;
  /** For bare names of stored rules. */
  readonly baseNamespace: string;
  /** The feature `owl` is on. */
  readonly owl: boolean;
}

/** Explains a fact; one that is not there is no error. Throws `invalid_request` for what can be no fact. */
export async function explainFact(
  snapshot: StorageSnapshot,
  input: FactInput,
  context: ExplainContext,
  options: ExplainFactOptions,
): Promise<FactExplanation> {
  const { depth = DEPTH_DEFAULT } = options;
  if (!Number.isSafeInteger(depth) || depth < 0 || depth > DEPTH_MAX) {
    throw new SvcError('invalid_request', `depth is ${String(depth)}; expected an integer from 0 to ${DEPTH_MAX}`);
  }
  const interrupt = new Interrupt(WHAT, options);
  const limits = { check: () => interrupt.check(), memoryBytes: options.memoryBytes };
  const wanted = { s: toEntity(input.s, 's'), p: toPredicate(input.p, 'p'), o: objectOf(input.o) };
  const sourceOf = transactionSources(context.engine);
  const anyDatatype = typeof input.o === 'string' && wanted.o.termType === 'Literal';
  const found = lookUp(snapshot, wanted, { anyDatatype, sourceOf, check: limits.check });
  if (found === null) return { fact: wanted, found: false, tx: null, source: null, graph: null, derivation: null };
  const { fact, standing } = found;
  const explainer = new Explainer(snapshot, { ...context, sourceOf, limits, signal: options.signal });
  const [graph] = decodeIds(snapshot, [standing.graph]);
  const { derivation, ...rest } = await explainer.explain(fact, standing, depth, new Set());
  return { ...rest, graph: (graph as Term).value, ...(derivation === undefined ? {} : { derivation }) };
}

function objectOf(input: FactInput['o']): Term {
  if (typeof input === 'object' && input !== null && 'termType' in input) return input;
  if (typeof input !== 'string') throw new SvcError('invalid_request', 'o: expected an IRI, a text or a term');
  if (input.startsWith('_:') && isBlankNodeLabel(input.slice(2))) return terms.blankNode(input.slice(2));
  return iriFault(input) === null ? terms.namedNode(input) : terms.literal(input);
}

/** The fact as it is stored. `anyDatatype`: a literal of another datatype will do, where exactly one fact has its text. */
function lookUp(
  snapshot: StorageSnapshot,
  { s, p, o }: FactTerms,
  {
    anyDatatype,
    sourceOf,
    check,
  }: { readonly anyDatatype: boolean; readonly sourceOf: SourceOf; readonly check: () => void },
): { readonly fact: FactIds; readonly standing: Standing } | null {
  const [subject, predicate, object] = [snapshot.encode(s), snapshot.encode(p), snapshot.encode(o)];
  if (subject === null || predicate === null) return null;
  const standingOf = (id: TermId) => {
    const fact = { s: subject, p: predicate, o: id };
    const standing = standingAnywhere(snapshot, fact, sourceOf);
    return standing === null ? null : { fact, standing };
  };
  const exact = object === null ? null : standingOf(object);
  if (exact !== null || !anyDatatype) return exact;
  const alike = new Map<TermId, Set<TermId>>();
  const pattern = { s: exactly(subject), p: exactly(predicate) };
  const request = { graphs: everyGraph(snapshot), pattern, time: CURRENT, columns: ['o', 'g'] } as const;
  for (const batch of readRows(snapshot, request)) {
    check();
    for (const [row, term] of snapshot.decode(batch.column('o'), batch.rows).entries()) {
      if (term.termType !== 'Literal' || term.value !== o.value) continue;
      const id = batch.id('o', row);
      alike.set(id, (alike.get(id) ?? new Set()).add(batch.id('g', row)));
    }
  }
  const seen = [...alike].filter(([, graphs]) => graphsToLookIn(snapshot, graphs).length > 0);
  const [only] = seen;
  return only === undefined || seen.length > 1 ? null : standingOf(only[0]);
}

interface ExplainerOptions extends ExplainContext {
  readonly sourceOf: SourceOf;
  readonly limits: { readonly check: () => void; readonly memoryBytes: number | undefined };
  readonly signal: AbortSignal | undefined;
}

class Explainer {
  #entries = 0;
  readonly #rules = new Map<string, Rule | null>();
  /** The last transaction of the run of each that was asked about. */
  readonly #ends = new Map<TxId, TxId>();

  constructor(
    private readonly snapshot: StorageSnapshot,
    private readonly options: ExplainerOptions,
  ) {}

  /** `path`: the facts above. */
  async explain(fact: FactIds, standing: Standing, depth: number, path: ReadonlySet<string>): Promise<ExplainedFact> {
    if (++this.#entries > ENTRIES_MAX) {
      throw new SvcError('query_complexity', `${WHAT} has more than ${ENTRIES_MAX} facts`, {
        hint: 'ask for less depth, then for the facts in which it ends',
      });
    }
    if (this.#entries % ENTRIES_PER_TURN === 0) await breathe();
    this.options.limits.check();
    const { tx, source, closedTx } = standing;
    const entry = { fact: this.#terms(fact), tx, source };
    if (closedTx !== undefined) return { ...entry, found: false, absent: true, closedTx, derivation: null };
    if (isBaseSource(source)) return { ...entry, found: true, derivation: null };
    const key = factKey(fact);
    if (path.has(key)) return { ...entry, found: true, cycle: true };
    if (depth === 0) return { ...entry, found: true, truncated: true };
    const below = { depth: depth - 1, path: new Set(path).add(key) };
    const rule = ruleOfSource(source);
    const derivation =
      rule === null ? await this.#byAxioms(fact, standing, below) : await this.#byRule(rule, fact, standing, below);
    return { ...entry, found: true, derivation };
  }

  async #byRule(id: string, fact: FactIds, standing: Standing, below: Below): Promise<RuleDerivation> {
    const { snapshot } = this;
    const [own] = decodeIds(snapshot, [standing.graph]) as [Term];
    const graph = premisesOf(own.value);
    const rule = await this.#ruleOf(graph, id);
    if (rule === null) return { kind: 'rule', rule: id, ruleMissing: true, support: [] };
    const graphs = [graph, companionOf(graph)].flatMap((iri) => snapshot.encode(terms.namedNode(iri)) ?? []);
    const set = setOf(graphs);
    const now = this.#reader(set);
    const lastTx = (): TxId => this.#endOfRun(standing.tx);
    const among = (candidates: FactReader): RuleMatch | null => {
      const held = matchRule(rule, fact, { candidates, standing: now, mustHold: true });
      if (held !== null || rule.body.every(({ negated }) => !negated)) return held;
      return matchRule(rule, fact, { candidates, standing: now, mustHold: false });
    };
    const match = among(now) ?? among(this.#reader(withPast(set, lastTx())));
    if (match === null) {
      const bindings = Object.fromEntries(headBindings(rule, fact, now) ?? []);
      return { kind: 'rule', rule: id, bindings, support: [], absence: [] };
    }
    return {
      kind: 'rule',
      rule: id,
      bindings: Object.fromEntries(match.bindings),
      support: await this.#support(match.premises, { graphs, lastTx }, below),
      absence: match.absences.map(({ s, predicate, o, held }) => ({
        fact: { s, p: terms.namedNode(predicate), o },
        held,
      })),
    };
  }

  /** The current rule of an id, looked up once. */
  async #ruleOf(graph: string, id: string): Promise<Rule | null> {
    const key = `${graph} ${id}`;
    const known = this.#rules.get(key);
    if (known !== undefined) return known;
    const rule = await this.options.rules.rule(this.snapshot, graph, id, this.options);
    this.#rules.set(key, rule);
    return rule;
  }

  /**
   * The last transaction of the run that a transaction of a rule belongs to: they follow each other in the order of the rules
   * and are published together, so a premise may be of a later one.
   */
  #endOfRun(tx: TxId): TxId {
    const known = this.#ends.get(tx);
    if (known !== undefined) return known;
    const { engine, limits } = this.options;
    const [own] = engine.transactions({ since: tx - 1, limit: 1 });
    let end = tx;
    // A run has as many as it has rules that changed.
    for (let isOver = false; !isOver; ) {
      limits.check();
      const page = engine.transactions({ since: end, limit: TRANSACTIONS_AT_ONCE });
      isOver = page.length < TRANSACTIONS_AT_ONCE;
      for (const { id, source, timestamp } of page) {
        const isSame = ruleOfSource(source) !== null && timestamp === own?.timestamp && id <= this.snapshot.tx;
        isOver ||= !isSame;
        if (!isSame) break;
        end = id;
      }
    }
    this.#ends.set(tx, end);
    return end;
  }

  async #byAxioms(fact: FactIds, standing: Standing, below: Below): Promise<OwlDerivation> {
    const match = this.options.owl
      ? this.#owlMatch(fact, standing, below.path, await this.options.rules.axioms(this.snapshot, this.options.signal))
      : null;
    if (match === null) return { kind: 'owl', family: null, support: [] };
    const { family, axioms, premises } = match;
    const support = await this.#support(premises, { graphs: [standing.graph], lastTx: () => standing.tx }, below);
    return { kind: 'owl', family, axioms, support };
  }

  #owlMatch(fact: FactIds, standing: Standing, path: ReadonlySet<string>, index: AxiomIndex): OwlMatch | null {
    const isBase = (tx: TxId): boolean => isBaseSource(this.options.sourceOf(tx));
    const now = setOf([standing.graph]);
    const before = withPast(now, standing.tx);
    const facts = {
      base: this.#reader(now, isBase),
      all: this.#reader(now),
      baseBefore: this.#reader(before, isBase),
      allBefore: this.#reader(before),
    };
    return chooseMatch(fact, index, facts, path);
  }

  async #support(
    premises: readonly FactIds[],
    { graphs, lastTx }: { readonly graphs: readonly TermId[]; lastTx(): TxId },
    { depth, path }: Below,
  ): Promise<ExplainedFact[]> {
    const { snapshot } = this;
    const { sourceOf } = this.options;
    const support: ExplainedFact[] = [];
    for (const fact of premises) {
      const standing =
        standingIn(snapshot, fact, graphs, sourceOf) ??
        standingBefore(snapshot, { fact, graphs, tx: lastTx() }, sourceOf);
      if (standing !== null) support.push(await this.explain(fact, standing, depth, path));
    }
    return support;
  }

  #reader(graphs: GraphSet, accepts?: (tx: TxId) => boolean): FactReader {
    return new FactReader(this.snapshot, graphs, CURRENT, this.options.limits, accepts);
  }

  #terms({ s, p, o }: FactIds): FactTerms {
    const [subject, predicate, object] = decodeIds(this.snapshot, [s, p, o]) as [Term, Term, Term];
    return { s: subject, p: predicate, o: object };
  }
}

interface Below {
  readonly depth: number;
  readonly path: ReadonlySet<string>;
}

function setOf(graphs: readonly TermId[]): GraphSet {
  const [only] = graphs;
  return graphs.length === 1 ? { kind: 'one', graph: only as TermId } : { kind: 'some', graphs, merged: true };
}

/** What is there now and what was there after a transaction. */
function withPast(graphs: GraphSet, tx: TxId): GraphSet {
  return { kind: 'layers', layers: [graphs, { kind: 'timed', graphs, time: { kind: 'asOf', tx } }], merged: true };
}
