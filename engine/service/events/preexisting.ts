/**
 * Which nodes a graph had before a transaction: as subjects, and as subjects or objects. Answers are kept for the
 * transaction, so that whoever reads its events page by page asks about a node once.
 */

import type { Control } from '../../base/control.js';
import type { Earlier } from './earlier.js';

/** Nodes whose answers are kept. */
const KEPT_MAX = 200_000;
const NOWHERE: readonly number[] = [];

/** A node in a graph, by their keys. */
export interface NodeInGraph {
  readonly node: number;
  readonly graph: number;
}

export class Preexisting {
  /** Graphs in which a node was a subject, an object. */
  readonly #graphs = { s: new Map<number, readonly number[]>(), o: new Map<number, readonly number[]>() };

  /** Looks up what is not known yet. */
  askSubjects(earlier: Earlier, nodes: readonly NodeInGraph[], control: Control): void {
    this.#ask('s', earlier, nodes, control);
  }

  askMentions(earlier: Earlier, nodes: readonly NodeInGraph[], control: Control): void {
    this.#ask('s', earlier, nodes, control);
    this.#ask(
      'o',
      earlier,
      nodes.filter((one) => !this.wasSubject(one)),
      control,
    );
  }

  wasSubject({ node, graph }: NodeInGraph): boolean {
    return this.#graphs.s.get(node)?.includes(graph) ?? false;
  }

  wasMentioned(one: NodeInGraph): boolean {
    return this.wasSubject(one) || (this.#graphs.o.get(one.node)?.includes(one.graph) ?? false);
  }

  #ask(position: 's' | 'o', earlier: Earlier, nodes: readonly NodeInGraph[], control: Control): void {
    const known = this.#graphs[position];
    if (known.size > KEPT_MAX) known.clear();
    const unknown = [...new Set(nodes.map(({ node }) => node))].filter((node) => !known.has(node));
    for (const node of unknown) known.set(node, NOWHERE);
    earlier.nodes(position, unknown, control, (node, graph) => {
      const graphs = known.get(node) ?? NOWHERE;
      if (!graphs.includes(graph)) known.set(node, [...graphs, graph]);
    });
  }
}
