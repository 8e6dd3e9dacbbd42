/**
 * The gates of the write pipeline: who may refuse a write, and in which order they are asked.
 *
 * A gate judges a write that is staged beside the store, so that it sees the state after the write
 * and a refusal leaves no trace. The order is fixed: whether the store can be written at all and whether authority allows
 * it (the pipeline asks both before it stages anything), then on the staged state authority, SHACL,
 * placement, policy, OWL. The first refusal ends the write.
 */

import type { Control } from '../../base/control.js';
import { type ErrorCode, SvcError } from '../../base/errors.js';
import { travelsAs } from '../../base/threads/error-serialisation.js';
import type { Quad } from '../../rdf/terms.js';
import type {
  ChangeCounts,
  ChangesByGraph,
  LoadOptions,
  LoadSummary,
  TransactionOptions,
} from '../../storage/seam/engine.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';

export const GATE_ORDER = ['authority', 'shacl', 'placement', 'policy', 'owl'] as const;
export type GateName = (typeof GATE_ORDER)[number];

/** What a gate sees of any write. Its snapshots are opened when they are first asked for; the gate doesn't close them. */
interface StagedChange {
  /** The store before the write. */
  readonly before: StorageSnapshot;
  /** The store as it will be. */
  readonly after: StorageSnapshot;
  /**
   * The store before the write with all of its graphs, for what holds for every writer: shapes, ontologies, policies, the
   * authority of principals. `before` and `after` have what the writer may read.
   */
  readonly law: StorageSnapshot;
  /** The writer may read some graphs only: no message may tell of others. */
  readonly isNarrowed: boolean;
  /** What all of its transactions change, read once for all gates. */
  readonly changes: ChangesByGraph;
  /** Statements that the write opens and closes. */
  readonly counts: ChangeCounts;
  /** IRIs of graphs that hold copies of what was judged when it was written. */
  readonly copies?: ReadonlySet<string>;
  /** Another number when rows of the registry may have changed since the last write; they are not read again for the same. */
  readonly registryState: number;
  /** SHACL in Turtle, for this write alone. */
  readonly shapes?: string | undefined;
  /** Principals on whose behalf it is written, the outermost first; empty: nobody was named. */
  readonly chain: readonly string[];
}

/** A load of documents. */
export interface StagedLoadWrite extends StagedChange {
  readonly kind: 'load';
  readonly summary: LoadSummary;
  readonly options: LoadOptions;
}

export interface StagedTransactionWrite extends StagedChange {
  readonly kind: 'transaction';
  readonly options: TransactionOptions;
}

export type StagedWrite = StagedLoadWrite | StagedTransactionWrite;

export type RefusalCode = Extract<
  ErrorCode,
  'authority_denied' | 'refused_shacl' | 'refused_placement' | 'policy_denied' | 'refused_owl'
>;

/** One thing a gate has to say about a write; what stands behind the message is what SHACL tells of a result. */
export interface Finding {
  /** Violation, Warning, Info, or the IRI of another severity, which blocks nothing. */
  readonly severity: string;
  readonly message: string;
  readonly focusNode?: string;
  /** Local name of the constraint component. */
  readonly component?: string;
  /** IRI of a predicate, or a path as SPARQL writes it; null for what is said of the node itself. */
  readonly path?: string | null;
  /** IRI or lexical form. */
  readonly value?: string | null;
  readonly sourceShape?: string;
  /** What would be right in place of it. */
  readonly alternatives?: readonly object[];
}

/**
 * A transaction that a gate wants written once the write that it judged is through, accepted or refused: quads of ROOT. No gate
 * judges it, and its failure changes nothing of the outcome.
 */
export interface Consequence {
  readonly actor: string;
  readonly source: string;
  readonly retract: readonly Quad[];
  readonly assert: Iterable<Quad>;
}

/** What gates had to say about a write that they accepted. */
export interface Judged {
  readonly findings: readonly Finding[];
  /** There, and true, when shapes have judged the write. */
  readonly judged?: boolean | undefined;
}

/** What is said of a write that was accepted. */
export interface Acceptance extends Judged {
  /** What shapes have seen that only observe, by the graph where it is. */
  readonly observed?: readonly ObservedFinding[] | undefined;
  /** In their sequence. */
  readonly consequences?: readonly Consequence[] | undefined;
}

export interface ObservedFinding extends Finding {
  /** IRI of the graph. */
  readonly graph: string;
}

export type Verdict =
  | ({ readonly kind: 'accepted' } & Acceptance)
  | {
      readonly kind: 'refused';
      readonly code: RefusalCode;
      readonly message: string;
      readonly hint?: string;
      readonly findings: readonly Finding[];
      /** Further fields of the answer: who was refused, by what. */
      readonly details?: Readonly<Record<string, string | number>>;
      readonly consequences?: readonly Consequence[] | undefined;
    };

export interface Gate {
  readonly name: GateName;
  judge(write: StagedWrite, control: Control): Verdict | Promise<Verdict>;
}

/** A write that a gate refused; the store is as it was. */
export class GateRefusal extends SvcError {
  readonly gate: GateName;
  readonly findings: readonly Finding[];
  readonly details: Readonly<Record<string, string | number>>;

  constructor(gate: GateName, verdict: Extract<Verdict, { kind: 'refused' }>) {
    super(verdict.code, verdict.message, verdict.hint === undefined ? {} : { hint: verdict.hint });
    this.gate = gate;
    this.findings = verdict.findings;
    this.details = verdict.details ?? {};
  }
}

/** What gates want written after a refusal; it stays where the store is written. */
const CONSEQUENCES = new WeakMap<GateRefusal, readonly Consequence[]>();

export const consequencesOf = (refusal: GateRefusal): readonly Consequence[] => CONSEQUENCES.get(refusal) ?? [];

travelsAs('GateRefusal', GateRefusal);

/** Gates in the fixed order, whatever order they were given in. */
export function orderGates(gates: readonly Gate[]): readonly Gate[] {
  return [...gates].sort((a, b) => GATE_ORDER.indexOf(a.name) - GATE_ORDER.indexOf(b.name));
}

/** Asks every gate; gives what all have to say, or throws the first refusal. */
export async function askGates(
  gates: readonly Gate[],
  write: StagedWrite,
  control: Control,
): Promise<Required<Acceptance>> {
  const findings: Finding[] = [];
  const observed: ObservedFinding[] = [];
  const consequences: Consequence[] = [];
  let isJudged = false;
  for (const gate of gates) {
    const judged = gate.judge(write, control);
    const verdict = judged instanceof Promise ? await judged : judged;
    consequences.push(...(verdict.consequences ?? []));
    if (verdict.kind === 'refused') {
      const refusal = new GateRefusal(gate.name, verdict);
      CONSEQUENCES.set(refusal, consequences);
      throw refusal;
    }
    findings.push(...verdict.findings);
    observed.push(...(verdict.observed ?? []));
    isJudged ||= verdict.judged ?? false;
  }
  return { findings, observed, consequences, judged: isJudged };
}
