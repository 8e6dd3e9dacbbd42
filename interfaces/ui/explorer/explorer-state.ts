/** The state of the explorer as the address has it. Lists of IRIs are parted by spaces, which no IRI has. */
import type { ScopeFields } from '../wire/scope.js';
import { START_NODES_MAX } from './ask/graph-source.js';
import type { ColourBy } from './draw/scene.js';
import type { StartRequest } from './exploration.js';

export const DEPTH_MAX = 3;
const START_NODES = 250;

export interface ExplorerAttributes {
  readonly focus?: string | undefined;
  readonly query?: string | undefined;
  readonly depth?: string | undefined;
  readonly types?: string | undefined;
}

type State = Readonly<Record<string, string>>;

export function listOf(text: string | undefined): string[] {
  return (text ?? '').split(/[\s]+/).filter((one) => one !== '');
}

/** `undefined` for an empty list: its name leaves the address. */
export function listText(list: Iterable<string>): string | undefined {
  return [...list].join(' ') || undefined;
}

/** Throws for a number that is none. */
export function startOf(state: State, attributes: ExplorerAttributes): StartRequest {
  const focus = listOf(state.focus ?? attributes.focus);
  const query = (state.query ?? attributes.query ?? '').trim();
  return {
    focus,
    depth: wholeNumber('depth', state.depth ?? attributes.depth, 1, DEPTH_MAX, 1),
    types: listOf((state.types ?? attributes.types)?.replaceAll(',', ' ')),
    // Whoever looks at a node has left the query.
    query: query === '' || (state.focus !== undefined && state.query === undefined) ? null : query,
    limit: wholeNumber('limit', state.limit, 1, START_NODES_MAX, START_NODES),
    changedSince: changedSince(state),
  };
}

/** The transaction whose changes the graph begins with, or null. */
function changedSince(state: State): number | null {
  if (state.changed !== '1' || state.focus !== undefined || state.query !== undefined) return null;
  const { tx } = sinceOf(state) ?? {};
  if (tx !== undefined) return tx;
  throw new RangeError('What changed is known between transactions: give “since” the number of one.');
}

function wholeNumber(name: string, text: string | undefined, min: number, max: number, byDefault: number): number {
  if (text === undefined || text === '') return byDefault;
  if (!/^\d{1,9}$/.test(text))
    throw new RangeError(`${name} is '${text.slice(0, 60)}'; expected a whole number from ${min} to ${max}`);
  return Math.min(max, Math.max(min, Number(text)));
}

export function colourOf(state: State): ColourBy {
  return state.color === 'type' ? 'type' : 'community';
}

/** The two ends of the path that is shown, or null. */
export function pathOf(state: State): readonly [string, string] | null {
  const [from, to] = listOf(state.path);
  return from === undefined || to === undefined ? null : [from, to];
}

/** What is compared with: a number is a transaction, everything else a moment of valid time. Null = nothing. */
export function sinceOf(state: State): ScopeFields | null {
  const { since } = state;
  if (since === undefined || since === '') return null;
  return /^\d{1,15}$/.test(since) ? { tx: Number(since) } : { valid_at: since };
}

/** IRIs of an address; `-` stands for none: nodes without a type. */
export function offOf(text: string | undefined): Set<string> {
  return new Set(listOf(text).map((one) => (one === '-' ? '' : one)));
}

/** The list of an address with an IRI more, or without one that it has. */
export function toggled(text: string | undefined, iri: string): string | undefined {
  const off = offOf(text);
  if (!off.delete(iri)) off.add(iri);
  return listText([...off].map((one) => (one === '' ? '-' : one)));
}
