/**
 * The way of a text to a plan, the shortest first: the plan of the same text, the plan of one that differs in
 * constants only, the query of such a one to be planned, and at last the parser.
 *
 * A text that asks other endpoints is not kept: whether it may is looked at each time it is asked. Neither is the plan of a
 * federated join, which depends on what other stores have.
 */

import { Interrupt } from '../base/interrupt.js';
import { getOrInsert } from '../base/maps.js';
import { CURRENT, type StorageSnapshot } from '../storage/seam/scan.js';
import type { ParsedQuery } from './algebra/algebra.js';
import { isSlotValue, type SlotTerm, type SlotValue, slotFor } from './algebra/slot.js';
import { ClassHierarchies } from './inference/hierarchy.js';
import type { QueryOptions } from './options.js';
import { bindQueryTerms, parameterTerms } from './parameters/bind.js';
import { guardTime } from './parse/guard.js';
import { parseQuery, shapeOf } from './parse/parse.js';
import { instantiate } from './parse/templates/query-templates.js';
import type { ClassLookup, KeptPlan, PlanCache } from './plan/cache/plan-cache.js';
import type { Planned } from './plan/cache/planned.js';
import { GraphScope, numberOf } from './plan/context/graph-scope.js';
import { datasetOf, WHOLE_SCOPE } from './read-context.js';
import { asksEndpoints } from './refusals.js';
import type { Resolved } from './resolve.js';

/** Longer texts are rarely asked twice. */
const TEXT_MAX = 20_000;

/** A query that has to be planned. */
export interface Unplanned {
  readonly kind: 'unplanned';
  readonly parsed: ParsedQuery;
  readonly options: QueryOptions;
  /** Takes the plan that was made. */
  keep(planned: Planned, resolved: Resolved): void;
}

export type Prepared = { readonly kind: 'planned'; readonly kept: KeptPlan } | Unplanned;

/** The query as parsed before it is known that a plan is there; null = the text has to be parsed. */
export async function planFor(
  text: string,
  given: ParsedQuery | null,
  snapshot: StorageSnapshot,
  options: QueryOptions,
): Promise<Prepared> {
  const { plans, parameters } = options;
  const prefix = text.length > TEXT_MAX || snapshot.staged ? null : shapingOptions(snapshot, options);
  if (plans === undefined || prefix === null || options.members !== undefined)
    return unplanned(given ?? parse(text, options), options);
  const asked = { plans, snapshot, options, below: classLookup(snapshot, options) };
  if (parameters !== undefined) return withParameters(asked, prefix, text, given ?? parse(text, options));
  const key = `${prefix}\n${text}`;
  const same = await plans.find(key, snapshot, asked.below);
  if (same !== null) return { kind: 'planned', kept: same };
  const keep = (kept: KeptPlan): void => plans.keep(key, kept, snapshot);
  const shaped = shapeOf(text, { baseIri: options.baseIri });
  if (shaped === null) {
    plans.counters.misses++;
    return unplanned(given ?? parse(text, options), options, keep);
  }
  const { template, values } = shaped;
  return shapedPlan(asked, `${prefix} template ${template.id}`, values, (slots) => instantiate(template, slots), keep);
}

interface Asked {
  readonly plans: PlanCache;
  readonly snapshot: StorageSnapshot;
  readonly options: QueryOptions;
  readonly below: ClassLookup;
}

/** The values of parameters are constants of the shape that text and names make. */
async function withParameters(asked: Asked, prefix: string, text: string, parsed: ParsedQuery): Promise<Prepared> {
  const { parameters = {}, ...options } = asked.options;
  const terms = parameterTerms(parsed, parameters);
  const values: SlotValue[] = [];
  let shape = `${prefix} parameters`;
  for (const [name, term] of terms) {
    if (!isSlotValue(term)) return unplanned(parsed, asked.options);
    values.push(term);
    shape += ` ${name} ${JSON.stringify(typeOf(term))}`;
  }
  const names = [...terms.keys()];
  return shapedPlan({ ...asked, options }, `${shape}\n${text}`, values, (slots) =>
    bindQueryTerms(parsed, new Map(names.map((name, at) => [name, slots[at] as SlotTerm]))),
  );
}

/** A plan of the shape for the values, or the query that `instantiate` makes of slots for them, to be planned. */
async function shapedPlan(
  { plans, snapshot, options, below }: Asked,
  name: string,
  values: readonly SlotValue[],
  instantiate: (slots: readonly SlotTerm[]) => ParsedQuery,
  keep?: (kept: KeptPlan) => void,
): Promise<Prepared> {
  const equal = equalValues(values);
  const shape = `${name} ${equal.join()}`;
  const kept = await plans.findShaped(shape, values, snapshot, below);
  if (kept !== null) {
    keep?.(kept);
    return { kind: 'planned', kept };
  }
  plans.counters.misses++;
  const slots = slotsFor(values, equal);
  return unplanned(instantiate(slots), options, (planned) => {
    plans.keepShaped(shape, slots, planned, snapshot);
    keep?.(planned);
  });
}

function typeOf(term: SlotValue): readonly string[] {
  return term.termType === 'Literal' ? [term.datatype.value, term.language, term.direction ?? ''] : [];
}

/** For each value the first one that it equals: equal constants are one constant of the shape. */
function equalValues(values: readonly SlotValue[]): number[] {
  const first = new Map<string, number>();
  return values.map((term, at) => {
    return getOrInsert(first, `${typeOf(term).join(' ')}\n${term.value}`, () => at);
  });
}

function slotsFor(values: readonly SlotValue[], equal: readonly number[]): SlotTerm[] {
  const slots: SlotTerm[] = [];
  values.forEach((value, at) => {
    slots.push(equal[at] === at ? slotFor(value) : (slots[equal[at] as number] as SlotTerm));
  });
  return slots;
}

function parse(text: string, options: QueryOptions): ParsedQuery {
  guardTime(text, options);
  return parseQuery(text, { baseIri: options.baseIri });
}

function unplanned(parsed: ParsedQuery, options: QueryOptions, keep?: (kept: KeptPlan) => void): Prepared {
  return {
    kind: 'unplanned',
    parsed,
    options,
    keep(planned, { classes, inference }) {
      if (keep !== undefined && !asksEndpoints(parsed.algebra)) keep({ planned, classes, inference });
    },
  };
}

function classLookup(snapshot: StorageSnapshot, options: QueryOptions): ClassLookup {
  return (type) => {
    const { hierarchies = new ClassHierarchies() } = options;
    const interrupt = new Interrupt('the query', options);
    return hierarchies.below(snapshot, options.time ?? CURRENT, type, () => interrupt.check());
  };
}

/** The options that shape a plan, as a text. */
function shapingOptions(snapshot: StorageSnapshot, options: QueryOptions): string {
  const { scope = WHOLE_SCOPE, time = CURRENT, baseIri, inference, namedGraphPaths, disabledRewrites = [] } = options;
  const shaping = [scope.graph, datasetOf(scope), baseIri, time, inference, namedGraphPaths, disabledRewrites];
  const { fork, overlay, precedence, includeKinds, inferred } = scope;
  if (fork === undefined && overlay === undefined && includeKinds === undefined && inferred !== true) {
    return JSON.stringify(shaping);
  }
  const kinds = includeKinds === undefined ? null : kindsNumber(snapshot, options);
  return JSON.stringify([...shaping, fork, overlay, precedence, includeKinds, inferred, kinds]);
}

/** Which graphs are of some kinds changes with the clock; then no transaction says that a plan is right no more. */
function kindsNumber(
  snapshot: StorageSnapshot,
  { scope = WHOLE_SCOPE, time = CURRENT, books }: QueryOptions,
): number | null {
  return books === undefined ? null : numberOf(new GraphScope(snapshot, time, books).defaults(null, scope));
}
