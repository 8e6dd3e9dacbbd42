/**
 * The way of a text to a plan, the shortest first: the plan of the same text, the plan of one that differs in
 * constants only, the query of such a one to be planned, and at last the parser.
 *
 * A text that asks other endpoints is not kept: whether it may is looked at each time it is asked.
 */

import { Interrupt } from '../base/interrupt.js';
import { CURRENT, type StorageSnapshot } from '../storage/seam/scan.js';
import type { ParsedQuery } from './algebra/algebra.js';
import { isSlotValue, type SlotTerm, type SlotValue, slotFor } from './algebra/slot.js';
import { ClassHierarchies } from './inference/hierarchy.js';
import type { QueryOptions } from './options.js';
import { bindQueryTerms, parameterTerms } from './parameters/bind.js';
import { guardTime } from './parse/guard.js';
import { parseQuery, shapeOf } from './parse/parse.js';
import { instantiate } from './parse/templates/query-templates.js';
import type { ClassLookup, KeptPlan } from './plan/cache/plan-cache.js';
import type { Planned } from './plan/cache/planned.js';
import { datasetOf, WHOLE_SCOPE } from './read-context.js';
import type { Resolved } from './resolve.js';
import { asksEndpoints } from './service/endpoints.js';

/** Longer texts are rarely asked twice. */
const TEXT_MAX = 20_000;

/** A query that has to be planned. */
export interface Unplanned {
  readonly parsed: ParsedQuery;
  /** Without parameters; those stand in the query. */
  readonly options: QueryOptions;
  /** Takes the plan that was made. */
  keep(planned: Planned, resolved: Resolved): void;
}

export type Prepared =
  | { readonly kind: 'planned'; readonly kept: KeptPlan }
  | { readonly kind: 'unplanned'; readonly query: Unplanned };

/** The query as parsed before it is known that a plan is there; null = the text has to be parsed. */
export async function planFor(
  text: string,
  given: ParsedQuery | null,
  snapshot: StorageSnapshot,
  options: QueryOptions,
): Promise<Prepared> {
  const { plans } = options;
  const prefix = text.length > TEXT_MAX || snapshot.staged ? null : shapingOptions(options);
  if (plans === undefined || prefix === null) return unplanned(given ?? parse(text, options), options);
  const below = classLookup(snapshot, options);
  if (options.parameters !== undefined) return withParameters(text, given, { prefix, below }, snapshot, options);
  const key = `${prefix}\n${text}`;
  const same = await plans.find(key, snapshot, below);
  if (same !== null) return { kind: 'planned', kept: same };
  const shaped = shapeOf(text, { baseIri: options.baseIri });
  if (shaped === null) {
    plans.counters.misses++;
    return unplanned(given ?? parse(text, options), options, (kept) => plans.keep(key, kept, snapshot));
  }
  const { template, values } = shaped;
  const equal = equalValues(values);
  const shape = `${prefix} template ${template.id} ${equal.join()}`;
  const other = await plans.findShaped(shape, values, snapshot, below);
  if (other !== null) {
    plans.keep(key, other, snapshot);
    return { kind: 'planned', kept: other };
  }
  plans.counters.misses++;
  const slots = slotsFor(values, equal);
  return unplanned(instantiate(template, slots), options, (kept) => {
    plans.keepShaped(shape, slots, kept, snapshot);
    plans.keep(key, kept, snapshot);
  });
}

interface Asked {
  readonly prefix: string;
  readonly below: ClassLookup;
}

/** The values of parameters are constants of the shape that text and names make. */
async function withParameters(
  text: string,
  given: ParsedQuery | null,
  { prefix, below }: Asked,
  snapshot: StorageSnapshot,
  { parameters = {}, ...options }: QueryOptions,
): Promise<Prepared> {
  const { plans } = options;
  const parsed = given ?? parse(text, options);
  const terms = parameterTerms(parsed, parameters);
  const values: SlotValue[] = [];
  let shape = `${prefix} parameters`;
  for (const [name, term] of terms) {
    if (!isSlotValue(term)) break;
    values.push(term);
    const type = term.termType === 'Literal' ? [term.datatype.value, term.language, term.direction ?? ''] : [];
    shape += ` ${name} ${JSON.stringify(type)}`;
  }
  if (plans === undefined || values.length < terms.size) {
    return unplanned(bindQueryTerms(parsed, terms), options);
  }
  const equal = equalValues(values);
  shape += ` ${equal.join()}\n${text}`;
  const kept = await plans.findShaped(shape, values, snapshot, below);
  if (kept !== null) return { kind: 'planned', kept };
  plans.counters.misses++;
  const slots = slotsFor(values, equal);
  const bound = bindQueryTerms(parsed, new Map([...terms.keys()].map((name, at) => [name, slots[at] as SlotTerm])));
  return unplanned(bound, options, (planned) => plans.keepShaped(shape, slots, planned, snapshot));
}

/** For each value the first one that it equals: equal constants are one constant of the shape. */
function equalValues(values: readonly SlotValue[]): number[] {
  const first = new Map<string, number>();
  return values.map((term, at) => {
    const type = term.termType === 'Literal' ? `${term.datatype.value} ${term.language} ${term.direction ?? ''}` : '';
    const key = `${type}\n${term.value}`;
    const same = first.get(key);
    if (same === undefined) first.set(key, at);
    return same ?? at;
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

function unplanned(
  parsed: ParsedQuery,
  { parameters, ...options }: QueryOptions,
  keep?: (kept: KeptPlan) => void,
): Prepared {
  const bound = parameters === undefined ? parsed : bindQueryTerms(parsed, parameterTerms(parsed, parameters));
  return {
    kind: 'unplanned',
    query: {
      parsed: bound,
      options,
      keep(planned, { classes, inference }) {
        if (keep !== undefined && !asksEndpoints(bound.algebra)) keep({ planned, classes, inference });
      },
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
function shapingOptions(options: QueryOptions): string {
  const { scope = WHOLE_SCOPE, time = CURRENT, baseIri, inference = '-', namedGraphPaths, disabledRewrites } = options;
  const { graph } = scope;
  const dataset = datasetOf(scope);
  if (
    graph === undefined &&
    dataset === null &&
    baseIri === undefined &&
    time.kind === 'current' &&
    namedGraphPaths === undefined &&
    (disabledRewrites === undefined || disabledRewrites.length === 0)
  ) {
    return `${inference}`;
  }
  return `${inference} ${JSON.stringify([graph, dataset, baseIri, time, namedGraphPaths, disabledRewrites])}`;
}
