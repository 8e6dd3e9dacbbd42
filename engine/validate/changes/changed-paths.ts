/**
 * Paths followed backwards from the nodes that a change touched. A step takes the facts of the state after and the changed
 * facts themselves, so that it finds the nodes that led there in the state before or after.
 */

import type { NamedNode } from '../../rdf/terms.js';
import type { DataGraph } from '../data/data-graph.js';
import { type IdSet, NO_IDS, reached, union } from '../data/id-columns.js';
import type { Path } from '../shapes/path.js';
import type { ChangedFacts } from './changed-facts.js';

export class ChangedPaths {
  constructor(
    private readonly after: DataGraph,
    private readonly changed: ChangedFacts,
  ) {}

  /** Nodes from which a changed fact lies on the path. */
  onPath(path: Path, backwards = false): IdSet {
    switch (path.kind) {
      case 'predicate':
        return this.changed.ends(path.predicate.value, backwards ? 'objects' : 'subjects');
      case 'inverse':
        return this.onPath(path.path, !backwards);
      case 'alternative':
        return union(path.paths.map((part) => this.onPath(part, backwards)));
      case 'sequence': {
        // From the last part on: what touches the rest is walked back over the part before it.
        const parts = backwards ? [...path.paths].reverse() : path.paths;
        return parts.reduceRight<IdSet>(
          (rest, part) => union([this.onPath(part, backwards), this.back(rest, part, backwards)]),
          NO_IDS,
        );
      }
      case 'zeroOrOne':
        return this.onPath(path.path, backwards);
      case 'zeroOrMore':
      case 'oneOrMore':
        return this.back(this.onPath(path.path, backwards), { kind: 'zeroOrMore', path: path.path }, backwards);
    }
  }

  /** Nodes from which the path leads to one of a set, with facts of either state in any step. */
  back(nodes: IdSet, path: Path, backwards = false): IdSet {
    if (nodes.count === 0) return nodes;
    switch (path.kind) {
      case 'predicate':
        return this.#step(nodes, path.predicate, backwards);
      case 'inverse':
        return this.back(nodes, path.path, !backwards);
      case 'alternative':
        return union(path.paths.map((part) => this.back(nodes, part, backwards)));
      case 'sequence': {
        const parts = backwards ? [...path.paths].reverse() : path.paths;
        return parts.reduceRight((reached, part) => this.back(reached, part, backwards), nodes);
      }
      case 'zeroOrOne':
        return union([nodes, this.back(nodes, path.path, backwards)]);
      case 'zeroOrMore':
        return reached(nodes, (fresh) => this.back(fresh, path.path, backwards));
      case 'oneOrMore':
        return this.back(this.back(nodes, { ...path, kind: 'zeroOrMore' }, backwards), path.path, backwards);
    }
  }

  #step(nodes: IdSet, predicate: NamedNode, backwards: boolean): IdSet {
    const found = this.changed.across(nodes, predicate.value, backwards ? 'subjects' : 'objects');
    const id = this.after.idOf(predicate);
    const { ids, count } = backwards ? this.after.objects(nodes, id) : this.after.subjects(nodes, id);
    found.append(ids, count);
    return found.toSet();
  }
}
