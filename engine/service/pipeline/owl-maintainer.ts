/**
 * Keeps what the loaded ontologies entail of ROOT (semantics of reasoning, 2.3 and 2.4): a companion transaction of the
 * write, of source `owl:materialize`, in its stage and before the gates look.
 *
 * 1. A full run is made when a command asks for it, and when facts have changed that nothing was derived from: a process
 *    without the feature, or with `owl.reactive_materialize` off, leaves a mark in the registry with its first such write.
 * 2. Any other write to ROOT is followed by what it changes.
 * 3. A write to other graphs infers nothing. Without ontologies a write costs one comparison.
 */

import type { Control } from '../../base/control.js';
import { loadOnce } from '../../base/load-once.js';
import { isStale, markStale, STORED_ONTOLOGIES } from '../../graphs/ontologies/stored-ontologies.js';
import { terms } from '../../rdf/terms.js';
import type { Axioms } from '../../reason/owl/axioms.js';
import type { MaterializedCounts } from '../../reason/owl/difference.js';
import type { FollowedWrite } from '../../reason/owl/increment/follow.js';
import type { Ontology } from '../../reason/owl/ontology.js';
import { ROOT_ID, type TermId, type TxId } from '../../storage/ids/layout.js';
import type { Stage, StagedTransaction, StorageEngine } from '../../storage/seam/engine.js';
import { lookInto, ROOT_ONLY } from '../../storage/seam/rows.js';
import { CURRENT, type StorageSnapshot } from '../../storage/seam/scan.js';
import { featureOff } from '../configuration/features.js';
import { DerivedTransactions, OWL_SOURCE } from './derived-transactions.js';
import type { Maintainer, StageContext } from './maintainers.js';
import { RepeatedAsserts } from './repeated-asserts.js';
import { StagedSnapshots } from './staged-write.js';

export interface OwlOptions {
  /** The feature is on. */
  readonly isOn: boolean;
  /** What follows from a write is written with it. */
  readonly reactive: boolean;
  /** New values of functional properties supersede, and the gate judges. */
  readonly validates: boolean;
}

/** A write, by what it can be known from whether the registry has changed before it. */
interface AtState {
  readonly registryState: number;
  /** The store before the write. */
  readonly before: StorageSnapshot;
}

/** A full run that a command has asked for. */
export interface FullRun {
  /** Of the stage in which it is made. */
  readonly tx: TxId;
  /** There once it is made; null: no ontology is loaded. */
  counts: MaterializedCounts | null;
}

export const OWL_ACTOR = 'owl';

const superseding = loadOnce(() => import('../../reason/owl/functional.js'));
const following = loadOnce(() => import('../../reason/owl/increment/follow.js'));

const ROOT_ROWS = { graphs: ROOT_ONLY, pattern: {}, time: CURRENT } as const;
/** A full run reads every row once, for a part of what an increment takes for each of its own. */
const WORK_PART = 4;

export class OwlMaintainer implements Maintainer {
  readonly name = 'owl';
  readonly derived: DerivedTransactions;
  readonly #options: OwlOptions;
  #asked: FullRun | null = null;
  /** Of the write at hand; null: nothing is derived. */
  #repeated: RepeatedAsserts | null = null;
  /** The state of the registry that the rest was read at. */
  #state = -1;
  #rows: readonly TermId[] = [];
  #ontology: Ontology | null = null;
  #isStale = false;

  constructor(engine: StorageEngine, options: OwlOptions) {
    this.derived = new DerivedTransactions(engine, OWL_SOURCE);
    this.#options = options;
  }

  /** The OWL gate judges. */
  get validates(): boolean {
    return this.#options.isOn && this.#options.validates;
  }

  /** Domains and ranges give types at a write. */
  get withDomains(): boolean {
    return this.#options.reactive;
  }

  hasOntologies(at: AtState): boolean {
    this.#look(at);
    return this.#rows.length > 0;
  }

  /** Of the ontologies before a write; null when none is loaded. */
  async ontologyAt(at: AtState, control: Control): Promise<Ontology | null> {
    if (!this.hasOntologies(at)) return null;
    this.#ontology ??= await compiled(at.before, control);
    return this.#ontology;
  }

  /** Throws where the feature is off; `what` says what needs it. */
  assertOn(what: string): void {
    if (!this.#options.isOn) throw featureOff('owl', what);
  }

  /** Has a full run made once the change that calls this has staged what it stages. */
  ask(stage: Stage): FullRun {
    const asked = { tx: (stage.transactions[0] as StagedTransaction).tx, counts: null };
    this.#asked = asked;
    return asked;
  }

  /** The stage as the change of a write gets it. */
  watch(stage: Stage): Stage {
    this.derived.begin((stage.transactions[0] as StagedTransaction).tx);
    this.#repeated = this.derived.isEmpty ? null : new RepeatedAsserts();
    return this.#repeated?.watch(stage) ?? stage;
  }

  /** What a load is to note of triples that it repeats; absent: nothing is derived. */
  noteRepeated(): ((tx: TxId) => boolean) | undefined {
    this.derived.begin(Number.POSITIVE_INFINITY);
    return this.derived.isEmpty ? undefined : (tx) => this.derived.has(tx);
  }

  maintain(context: StageContext): void | Promise<void> {
    const { stage } = context;
    const [{ tx }] = stage.transactions as readonly [StagedTransaction];
    for (const one of stage.transactions) if (one.options.source === OWL_SOURCE) this.derived.note(one.tx);
    const asked = this.#asked?.tx === tx ? this.#asked : null;
    this.#asked = null;
    if (asked !== null) return this.#runAsked(context, asked);
    if (!lookInto(new CompletedWrite(context), (at) => this.hasOntologies(at))) return undefined;
    const repeats = this.#repeated?.isEmpty === false || (stage.repeated?.rows ?? 0) > 0;
    if (context.changes.graphs.length === 0 && !repeats) return undefined;
    if (this.#options.isOn) return this.#complete(context);
    this.#takeOver(context);
    this.#noteStale(context);
    return undefined;
  }

  async #complete(context: StageContext): Promise<void> {
    const ontology = await lookInto(new CompletedWrite(context), (at) => this.ontologyAt(at, context.control));
    if (this.#options.validates) await this.#supersede(context, ontology as Ontology);
    this.#takeOver(context);
    if (!this.#options.reactive) this.#noteStale(context);
    else if (changesRoot(context)) await this.#follow(context, ontology as Ontology);
  }

  /** Facts change that nothing is derived from. */
  #noteStale(context: StageContext): void {
    if (!this.#isStale && changesRoot(context)) markStale(context.stage, context.registry, true);
  }

  /** New values of functional properties take the place of others, in the transaction of the write. */
  async #supersede({ stage, changes }: StageContext, ontology: Ontology): Promise<void> {
    if (ontology.functional.size === 0) return;
    const { assertedValues, supersededValues } = await superseding();
    const closed = lookInto(stage.snapshot(), (after) =>
      supersededValues(after, assertedValues(ontology, after, changes.rows())),
    );
    if (closed.rows > 0) stage.retractIds(closed);
  }

  /** Triples that the caller asserts and that stand as derived become the caller's. */
  #takeOver(context: StageContext): void {
    const { stage } = context;
    const repeated = this.#repeated;
    this.#repeated = null;
    if (repeated === null || stage.options.source === OWL_SOURCE) return;
    if (stage.repeated !== null) repeated.addIds(stage.repeated);
    if (repeated.isEmpty) return;
    const isDerived = (tx: TxId): boolean => this.derived.has(tx);
    const standing = lookInto(stage.snapshot(), (snapshot) => repeated.standing(snapshot, isDerived));
    if (standing.length === 0) return;
    const { options } = stage;
    this.#begin(context);
    for (const { quads } of standing) stage.retractIds(quads);
    context.begin(options);
    for (const { quads, validFrom } of standing) stage.assertIds(quads, validFrom);
  }

  /** Reads what the registry says, when its rows may have changed. */
  #look(at: AtState): void {
    const { registryState } = at;
    if (registryState === this.#state) return;
    const { before } = at;
    const rows = STORED_ONTOLOGIES.ids(before);
    if (rows.length !== this.#rows.length || rows.some((id, one) => id !== this.#rows[one])) this.#ontology = null;
    this.#rows = rows;
    this.#isStale = rows.length > 0 && isStale(before);
    this.#state = registryState;
  }

  async #follow(context: StageContext, ontology: Ontology): Promise<void> {
    if (this.#isStale) {
      await this.#runFull(context, ontology);
      markStale(context.stage, context.registry, false);
    } else if (ontology.typeIsLinked || !(await this.#followChanges(context, ontology))) {
      await this.#runFull(context, ontology);
    }
  }

  async #followChanges(context: StageContext, ontology: Ontology): Promise<boolean> {
    const { stage, control, changes } = context;
    const [first, ...more] = stage.transactions as readonly [StagedTransaction, ...StagedTransaction[]];
    const { followWrite } = await following();
    const intern = (iri: string): TermId => stage.intern(terms.namedNode(iri));
    const write: FollowedWrite = {
      before: () => first.before(),
      after: () => stage.snapshot(),
      changes: changes.rows(ROOT_ID),
      isNet: more.length === 0,
      isDerived: (tx) => this.derived.has(tx),
      apply: (surplus, missing) => {
        this.#begin(context);
        const [gone, come] = [surplus(intern), missing(intern)];
        if (gone.rows > 0) stage.retractIds(gone);
        if (come.rows > 0) stage.assertIds(come);
      },
      workMax: () => lookInto(first.before(), (before) => before.count(ROOT_ROWS)) / WORK_PART,
    };
    return followWrite(ontology, write, control);
  }

  async #runAsked(context: StageContext, asked: FullRun): Promise<void> {
    const { stage, control } = context;
    const ontology = await lookInto(stage.snapshot(), (after) => compiled(after, control));
    const counts = await this.#runFull(context, ontology ?? (await noAxioms()));
    asked.counts = ontology === null ? null : counts;
    if (lookInto(stage.snapshot(), isStale)) markStale(stage, context.registry, false);
  }

  async #runFull(context: StageContext, ontology: Ontology): Promise<MaterializedCounts> {
    const { stage, control } = context;
    const { materialize } = await import('../../reason/owl/materialize.js');
    const isDerived = (tx: TxId): boolean => this.derived.has(tx);
    const { missing, surplus, counts } = lookInto(stage.snapshot(), (snapshot) =>
      materialize(ontology, { snapshot, isDerived }, control),
    );
    if (counts.asserted + counts.retracted === 0) return counts;
    this.#begin(context);
    if (surplus.rows > 0) stage.retractIds(surplus);
    if (counts.asserted > 0) stage.assertIds(missing((iri) => stage.intern(terms.namedNode(iri))));
    return counts;
  }

  /** What comes is of a transaction of the materialization; that of a command that asks for it alone is one already. */
  #begin(context: StageContext): void {
    const { stage } = context;
    if (stage.options.source === OWL_SOURCE) return;
    // Whoever asked for the write asked for what follows.
    const { authenticated } = (stage.transactions[0] as StagedTransaction).options;
    context.begin({ source: OWL_SOURCE, actor: OWL_ACTOR, authenticated });
    this.derived.note(stage.tx);
  }
}

function changesRoot({ changes }: StageContext): boolean {
  return changes.graphs.some(({ graph }) => graph === ROOT_ID);
}

/** The store around a write that is being completed; its snapshots are opened when they are asked for. */
class CompletedWrite extends StagedSnapshots implements AtState {
  readonly registryState: number;

  constructor({ stage, registryState }: StageContext) {
    super(stage.transactions[0] as StagedTransaction, stage);
    this.registryState = registryState;
  }
}

/** The axioms of all loaded ontologies; null when there are none. The snapshot is read before this first waits. */
async function compiled(snapshot: StorageSnapshot, control: Control): Promise<Ontology | null> {
  const stored = STORED_ONTOLOGIES.all(snapshot);
  if (stored.length === 0) return null;
  const [{ unionOf }, { Ontology }, { readOntology }] = await Promise.all([
    import('../../reason/owl/axioms.js'),
    import('../../reason/owl/ontology.js'),
    import('../../graphs/ontologies/read-ontology.js'),
  ]);
  const parts: Axioms[] = [];
  for (const { name, turtle } of stored) {
    const { axioms } = await readOntology(turtle, `the loaded ontology '${name}'`, control.signal);
    parts.push(axioms);
  }
  return new Ontology(unionOf(parts));
}

async function noAxioms(): Promise<Ontology> {
  const [{ axiomsOf }, { Ontology }] = await Promise.all([
    import('../../reason/owl/axioms.js'),
    import('../../reason/owl/ontology.js'),
  ]);
  return new Ontology(axiomsOf([]));
}
