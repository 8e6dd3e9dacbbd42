/**
 * Rules of reading (`governance.read_rules`): who may read which graphs. Without rules everybody reads everything. With
 * rules a reader reads what the rules that name them say, taken together, and nothing else: who is named by none reads
 * no graph.
 *
 * 1. A rule names a principal: the IRI that a named credential proves, `shared` for the shared token, `anonymous` for
 *    who bears no token that is accepted, `everyone` for all of these.
 * 2. It names graphs: by IRI, ROOT as `ROOT`, by what IRIs begin with (`http://example.org/open/*`), or all of them (`*`).
 * 3. `except` takes graphs from that rule; what another rule says stays.
 * 4. What rules derive from a graph follows from that graph alone, so that its companion goes with it.
 * 5. Graphs that the service names itself (`urn:svc:...`) are meant by their IRIs alone, since a fork, an import or an
 *    alignment is a copy of something else; `*` without `except` means them, too.
 */

import type { Authenticated } from '../base/control.js';
import type { GraphPattern, Principal } from '../base/principal.js';
import { companionOf } from '../query/registry/system-graphs.js';
import { ROOT_GRAPH_IRI } from '../rdf/terms.js';

export const ANONYMOUS = 'anonymous';
export const SHARED = 'shared';
export const EVERYONE = 'everyone';
/** Principals that are no IRIs. */
export const NAMED_READERS: readonly string[] = [ANONYMOUS, SHARED, EVERYONE];

export const ROOT_NAME = 'ROOT';
export const ALL_GRAPHS = '*';

export interface ReadRule {
  /** `anonymous`, `shared`, `everyone`, or an IRI. */
  readonly principal: string;
  /** IRIs, `ROOT`, beginnings of IRIs with a `*` behind them, or `*`. */
  readonly graphs: readonly string[];
  /** The same, of what is left out of `graphs`. */
  readonly except?: readonly string[] | undefined;
}

/** What some rules say together. */
type Grant = Pick<Principal, 'readable' | 'patterns'>;

const EVERY_GRAPH: Grant = { readable: null };

export class ReadRules {
  /** By the name of the principal; readers of one grant share what a store keeps for it. */
  readonly #grants = new Map<string, Grant>();

  constructor(rules: readonly ReadRule[]) {
    for (const name of [ANONYMOUS, SHARED, ...rules.map(({ principal }) => principal)]) {
      this.#grants.set(name, grantOf(rules.filter(({ principal }) => principal === name || principal === EVERYONE)));
    }
    this.#grants.set(EVERYONE, grantOf(rules.filter(({ principal }) => principal === EVERYONE)));
  }

  /** Who asks, by what their token proved; null = they bear none. */
  principal(authenticated: Authenticated | null): Principal {
    const name = authenticated === null ? ANONYMOUS : (authenticated.principal ?? SHARED);
    return { authenticated, reader: name, ...this.grant(name) };
  }

  /** Somebody by name, whatever they have proved. */
  named(name: string): Principal {
    return { authenticated: null, reader: name, ...this.grant(name) };
  }

  /** What a principal of that name may read. */
  grant(name: string): Grant {
    return this.#grants.get(name) ?? (this.#grants.get(EVERYONE) as Grant);
  }
}

/** Undefined or empty: everybody reads everything. */
export function readRulesOf(rules: readonly ReadRule[] | undefined): ReadRules | null {
  return rules === undefined || rules.length === 0 ? null : new ReadRules(rules);
}

function grantOf(rules: readonly ReadRule[]): Grant {
  const readable = new Set<string>();
  const patterns: GraphPattern[] = [];
  for (const { graphs, except: left = [] } of rules) {
    const except = left.map(nameOf);
    const isLeft = (iri: string) =>
      except.some((one) => (one.endsWith('*') ? iri.startsWith(one.slice(0, -1)) : iri === one));
    const add = (iri: string): void => {
      if (isLeft(iri)) return;
      readable.add(iri);
      if (!isLeft(companionOf(iri))) readable.add(companionOf(iri));
    };
    for (const graph of graphs) {
      if (graph === ALL_GRAPHS && except.length === 0) return EVERY_GRAPH;
      if (graph === ALL_GRAPHS) add(ROOT_GRAPH_IRI);
      if (graph.endsWith('*')) patterns.push({ prefix: graph.slice(0, -1), except });
      else add(nameOf(graph));
    }
  }
  return { readable: [...readable].sort(), ...(patterns.length === 0 ? {} : { patterns }) };
}

function nameOf(graph: string): string {
  return graph === ROOT_NAME ? ROOT_GRAPH_IRI : graph;
}
