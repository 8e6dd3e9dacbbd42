/**
 * Whether trajectories about the same topics went the way of an exemplar, and how they ended (semantics of reasoning, 11.4). All
 * of it is read in a few lookups of many entities each, whatever the number of trajectories.
 */

import { SvcError } from '../../base/errors.js';
import type { InterruptLimits } from '../../base/interrupt.js';
import { compareCodePoints } from '../../base/text.js';
import { RDF_NS, type Term } from '../../rdf/terms.js';
import { MemoryBound } from '../../reason/graph/memory-bound.js';
import { Pace } from '../../reason/graph/pace.js';
import type { TermId } from '../../storage/ids/layout.js';
import { decodeIds } from '../../storage/seam/rows.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import { entityText, toIri } from '../facts/entity.js';
import { FactLookups } from './fact-lookups.js';
import { type Conformance, conformanceOf, GRAMMAR, type Signature } from './grammar.js';
import { knownTrajectory, noSteps, type PathWords, type Step, stepsOf, wordsOf } from './steps.js';

export interface PathBacktestOptions extends InterruptLimits {
  /** Steps of the exemplar that the pattern leaves out. */
  readonly omit?: readonly string[] | undefined;
  /** Namespace of the vocabulary; absent = that of the store. */
  readonly baseNs?: string | undefined;
  /** query.memory_budget_mb in bytes. */
  readonly memoryBytes?: number | undefined;
}

export interface BacktestRow {
  readonly trajectory: string;
  readonly workitem: string;
  readonly outcome: string | null;
  readonly result: Conformance;
  readonly unevaluatedSteps: number;
}

export interface PathBacktest {
  readonly grammar: string;
  readonly exemplar: string;
  readonly pattern: readonly Signature[];
  readonly topics: readonly string[];
  readonly rows: readonly BacktestRow[];
  readonly conformersDone: number;
  readonly conformersTotal: number;
  readonly deviatorsDone: number;
  readonly deviatorsTotal: number;
  readonly cannotEvaluate: number;
}

const DONE = 'done';
const ROW_BYTES = 400;
const OF_BACKTESTS = { what: 'the backtest', instead: 'take an exemplar whose topic fewer trajectories share' };
const TYPE = `${RDF_NS}type`;

export async function backtestPath(
  snapshot: StorageSnapshot,
  exemplar: string,
  options: PathBacktestOptions,
  baseNamespace: string,
): Promise<PathBacktest> {
  const { omit = [], baseNs, memoryBytes } = options;
  const words = wordsOf(baseNs, baseNamespace);
  const omitted = omit.map((one) => toIri(one, 'omit').value);
  const pace = new Pace(options, 'the backtest');
  await pace.turn();
  const facts = new FactLookups(snapshot, { pace, memory: new MemoryBound(memoryBytes, OF_BACKTESTS) });
  const id = knownTrajectory(snapshot, exemplar, 'exemplar');
  const pattern = await patternOf(facts, words, { id, exemplar, omitted });
  const items = [...(await facts.valuesOf([id], words.of('trajectoryOf'))).values()].flat();
  const topicIds = [...new Set([...(await facts.valuesOf(items, words.of('about'))).values()].flat())];
  if (topicIds.length === 0) {
    throw new SvcError('invalid_request', `the work item of the exemplar has no topic: ${exemplar}`, {
      hint: 'the exemplar names its work item by trajectoryOf, and the work item its topics by about',
    });
  }
  const topics = [...new Set(decodeIds(snapshot, topicIds).map(entityText))].sort(compareCodePoints);
  const rows = await rowsOf(facts, words, { exemplar: id, topicIds, pattern });
  return { grammar: GRAMMAR, exemplar, pattern, topics, rows, ...totalsOf(rows) };
}

/** What the steps that are kept of an exemplar look like. */
async function patternOf(
  facts: FactLookups,
  words: PathWords,
  { id, exemplar, omitted }: { readonly id: TermId; readonly exemplar: string; readonly omitted: readonly string[] },
): Promise<readonly Signature[]> {
  const steps = (await stepsOf(facts, words, [id])).get(id) ?? [];
  if (steps.length === 0) throw noSteps(exemplar);
  checkSteps(exemplar, steps, 'omit', omitted);
  const kept = steps.filter(({ iri }) => !omitted.includes(iri));
  if (kept.length === 0) {
    throw new SvcError('invalid_request', `the pattern is empty: every step of <${exemplar}> is omitted`, {
      hint: 'keep at least one step',
    });
  }
  const signatures = await signaturesOf(facts, words, kept);
  const without = kept.filter((step) => signatures.get(step.id) === undefined).map(({ iri }) => `<${iri}>`);
  if (without.length > 0) {
    throw new SvcError('invalid_request', `steps of the exemplar have no actionKind: ${without.join(', ')}`, {
      hint: 'say what they do, or name them in omit',
    });
  }
  return kept.map((step) => signatures.get(step.id) as Signature);
}

/** Refuses what a request calls a step of a trajectory and is none. */
export function checkSteps(trajectory: string, steps: readonly Step[], name: string, iris: readonly string[]): void {
  const known = new Set(steps.map(({ iri }) => iri));
  const strange = iris.filter((iri) => !known.has(iri)).map((iri) => `<${iri}>`);
  if (strange.length === 0) return;
  throw new SvcError('invalid_request', `${name}: ${strange.join(', ')} is no step of <${trajectory}>`, {
    hint: `its steps are ${steps.map(({ iri }) => `<${iri}>`).join(', ')}`,
  });
}

/** Of the steps that have a kind. */
async function signaturesOf(
  facts: FactLookups,
  words: PathWords,
  steps: readonly Step[],
): Promise<ReadonlyMap<TermId, Signature>> {
  const ids = steps.map(({ id }) => id);
  const kinds = await facts.valuesOf(ids, words.of('actionKind'));
  const targets = await facts.valuesOf(kinds.keys(), words.of('actionTarget'));
  const types = await facts.valuesOf([...targets.values()].flat(), TYPE);
  const texts = new Texts(facts.snapshot);
  const signatures = new Map<TermId, Signature>();
  for (const [id, of] of kinds) {
    const [actionKind = ''] = of.map((one) => texts.of(one).value).sort(compareCodePoints);
    const all = (targets.get(id) ?? []).map((one) => ({ one, term: texts.of(one) }));
    const [target] = all
      .filter(({ term }) => term.termType !== 'Literal')
      .sort((a, b) => compareCodePoints(entityText(a.term), entityText(b.term)));
    const classes = target === undefined ? [] : (types.get(target.one) ?? []).map((one) => texts.of(one).value);
    const [least = 'untyped'] = classes.sort(compareCodePoints);
    const targetClass = target !== undefined ? least : all.length > 0 ? 'literal' : 'none';
    signatures.set(id, { actionKind, targetClass });
  }
  return signatures;
}

/** Terms by their ids, each decoded once. */
class Texts {
  readonly #known = new Map<TermId, Term>();

  constructor(private readonly snapshot: StorageSnapshot) {}

  of(id: TermId): Term {
    let term = this.#known.get(id);
    if (term === undefined) {
      term = decodeIds(this.snapshot, [id])[0] as Term;
      this.#known.set(id, term);
    }
    return term;
  }
}

interface Population {
  readonly exemplar: TermId;
  readonly topicIds: readonly TermId[];
  readonly pattern: readonly Signature[];
}

/** Of every other trajectory whose work item shares a topic, by IRI. */
async function rowsOf(
  facts: FactLookups,
  words: PathWords,
  { exemplar, topicIds, pattern }: Population,
): Promise<BacktestRow[]> {
  const { pace, memory } = facts.limits;
  const items = [...new Set([...(await facts.subjectsOf(topicIds, words.of('about'))).values()].flat())];
  const of = await facts.subjectsOf(items, words.of('trajectoryOf'));
  const itemsOf = new Map<TermId, TermId[]>();
  for (const [item, trajectories] of of) {
    for (const one of trajectories) if (one !== exemplar) itemsOf.set(one, [...(itemsOf.get(one) ?? []), item]);
  }
  const trajectories = [...itemsOf.keys()];
  memory.hold(ROW_BYTES * trajectories.length);
  const steps = await stepsOf(facts, words, trajectories);
  const signatures = await signaturesOf(facts, words, [...steps.values()].flat());
  const outcomes = await facts.valuesOf(items, words.of('outcome'));
  const texts = new Texts(facts.snapshot);
  const rows: BacktestRow[] = [];
  for (const [id, own] of itemsOf) {
    const [item] = own
      .map((one) => ({ one, iri: entityText(texts.of(one)) }))
      .sort((a, b) => compareCodePoints(a.iri, b.iri));
    const { one, iri: workitem } = item as NonNullable<typeof item>;
    const [outcome = null] = (outcomes.get(one) ?? []).map((value) => texts.of(value).value).sort(compareCodePoints);
    const signed = (steps.get(id) ?? []).map((step) => signatures.get(step.id) ?? null);
    const unevaluatedSteps = signed.filter((signature) => signature === null).length;
    const result = conformanceOf(pattern, signed);
    rows.push({ trajectory: entityText(texts.of(id)), workitem, outcome, result, unevaluatedSteps });
    if (pace.spend(10 * (signed.length + 1))) await pace.turn();
  }
  return rows.sort((a, b) => compareCodePoints(a.trajectory, b.trajectory));
}

function totalsOf(rows: readonly BacktestRow[]) {
  const conformers = rows.filter(({ result }) => result === 'Conforms');
  const deviators = rows.filter(({ result }) => typeof result === 'object');
  const doneOf = (some: readonly BacktestRow[]): number => some.filter(({ outcome }) => outcome === DONE).length;
  return {
    conformersDone: doneOf(conformers),
    conformersTotal: conformers.length,
    deviatorsDone: doneOf(deviators),
    deviatorsTotal: deviators.length,
    cannotEvaluate: rows.length - conformers.length - deviators.length,
  };
}
