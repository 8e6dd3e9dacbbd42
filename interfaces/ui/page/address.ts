/**
 * The state of the page as its address has it, behind the `#`, which neither logs nor limits of headers see:
 * `/ui#/workbench?q=SELECT...&at=2025-03-31&tx=1204&g=IRI`: the name of the view, its state, and what of the store is looked at.
 * An entity has an address that people share instead: `/entity/IRI#/?at=2025-03-31`.
 * A token is never part of it.
 */

import { NOW, type Scope } from '../wire/scope.js';

export interface Address {
  readonly view: string;
  readonly state: Readonly<Record<string, string>>;
  readonly scope: Scope;
}

/** Names that belong to the page; a view can't have them. */
const SCOPE_NAMES: ReadonlySet<string> = new Set(['at', 'tx', 'g']);

/** `home`: the view of an address that names none. Whatever stands there gives an address; what makes no sense is left out. */
function parseHash(hash: string, home: string): Address {
  const text = hash.replace(/^#\/?/, '');
  const at = text.indexOf('?');
  const view = (at < 0 ? text : text.slice(0, at)).replace(/\/+$/, '');
  const parameters = new URLSearchParams(at < 0 ? '' : text.slice(at + 1));
  const state = Object.fromEntries([...parameters].filter(([name]) => !SCOPE_NAMES.has(name)));
  const tx = /^\d{1,15}$/.test(parameters.get('tx') ?? '') ? Number(parameters.get('tx')) : NOW.tx;
  return {
    view: view === '' ? home : view,
    state,
    scope: { validAt: parameters.get('at') || NOW.validAt, tx, graph: parameters.get('g') || NOW.graph },
  };
}

function formatHash({ view, state, scope }: Address): string {
  const parameters = new URLSearchParams(Object.entries(state).filter(([name]) => !SCOPE_NAMES.has(name)));
  if (scope.validAt !== null) parameters.set('at', scope.validAt);
  if (scope.tx !== null) parameters.set('tx', String(scope.tx));
  if (scope.graph !== null) parameters.set('g', scope.graph);
  const text = parameters.toString();
  return text === '' ? `#/${view}` : `#/${view}?${text}`;
}

/** The state with some names changed; `undefined` takes one away. */
export function changedState(
  state: Readonly<Record<string, string>>,
  change: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const changed: Record<string, string> = {};
  for (const [name, value] of Object.entries({ ...state, ...change })) if (value !== undefined) changed[name] = value;
  return changed;
}

/** Where an entity opens, before its IRI. */
const ENTITY = '/entity/';
const ENTITY_VIEW = 'entity';

/** `base`: the path before every path of the server, without a slash at its end. */
export function parseUrl(url: URL, base: string, home: string): Address {
  const iri = entityIn(url.pathname, base);
  if (iri === null) return parseHash(url.hash, home);
  const address = parseHash(url.hash, ENTITY_VIEW);
  return address.view === ENTITY_VIEW ? { ...address, state: { ...address.state, iri } } : address;
}

/** `path`: of the address at present; it stays where it can. */
export function formatUrl(address: Address, { path, base }: { readonly path: string; readonly base: string }): string {
  const { iri, ...state } = address.state;
  if (address.view === ENTITY_VIEW && iri !== undefined) {
    const hash = formatHash({ ...address, view: '', state });
    return `${base}${ENTITY}${encodeURIComponent(iri)}${hash === '#/' ? '' : hash}`;
  }
  return `${entityIn(path, base) === null ? path : `${base}/ui`}${formatHash(address)}`;
}

function entityIn(path: string, base: string): string | null {
  if (!path.startsWith(base + ENTITY)) return null;
  try {
    return decodeURIComponent(path.slice((base + ENTITY).length));
  } catch {
    return null;
  }
}
