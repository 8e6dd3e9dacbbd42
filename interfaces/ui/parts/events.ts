/**
 * What views say to whatever they stand in. All of it bubbles out of shadow roots. A page that answers `svc-state` or `svc-open`
 * itself prevents the default; a foreign page need not know of them.
 */

import type { Scope } from '../wire/scope.js';

/** The state of a view as the address has it: texts by name. */
export type ViewState = Readonly<Record<string, string>>;

export interface SvcEvents {
  /** A node was chosen: part of the contract with foreign pages. */
  'svc-node-click': { readonly iri: string };
  /** A class was chosen: part of the contract with foreign pages. */
  'svc-type-click': { readonly iri: string };
  /** A view's state changes: `undefined` takes a name away. `push`: one more step to go back. */
  'svc-state': { readonly change: Readonly<Record<string, string | undefined>>; readonly push: boolean };
  /** Another view is to be shown. `scope`: of another time or graph at once. */
  'svc-open': { readonly view: string; readonly state: ViewState; readonly scope?: Partial<Scope> };
  /** The whole page is to look at another time or graph. */
  'svc-scope': { readonly change: Partial<Scope> };
  /** What stands in the status line: null takes it away. `announce`: screen readers read it out. */
  'svc-status': { readonly text: string | null; readonly announce?: boolean };
}

/** False where a listener has prevented the default. */
export function emit<Name extends keyof SvcEvents>(from: EventTarget, name: Name, detail: SvcEvents[Name]): boolean {
  return from.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true, cancelable: true }));
}

export function listen<Name extends keyof SvcEvents>(
  at: EventTarget,
  name: Name,
  listener: (detail: SvcEvents[Name], event: Event) => void,
): void {
  at.addEventListener(name, (event) => {
    if (event instanceof CustomEvent) listener(event.detail as SvcEvents[Name], event);
  });
}
