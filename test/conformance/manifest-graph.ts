/** The triples of a manifest, looked up by subject and predicate. */

import { termToString } from '../../engine/rdf/canonical/lines.js';
import { type Quad, RDF_NS, type Term } from '../../engine/rdf/terms.js';

/** Subject, then predicate, to objects. */
export class ManifestGraph {
  readonly #objects = new Map<string, Term[]>();
  readonly subjectsOfType = new Map<string, Term[]>();

  constructor(quads: readonly Quad[]) {
    for (const { subject, predicate, object } of quads) {
      push(this.#objects, `${termToString(subject)} ${predicate.value}`, object);
      if (predicate.value === `${RDF_NS}type`) push(this.subjectsOfType, object.value, subject);
    }
  }

  all(subject: Term, predicate: string): readonly Term[] {
    return this.#objects.get(`${termToString(subject)} ${predicate}`) ?? [];
  }

  one(subject: Term, predicate: string): Term | null {
    return this.all(subject, predicate)[0] ?? null;
  }

  /** The members of a list; what is no list is one itself. */
  members(node: Term): Term[] {
    const isList = node.value === `${RDF_NS}nil` || this.one(node, `${RDF_NS}first`) !== null;
    return isList ? this.list(node) : [node];
  }

  list(head: Term | null): Term[] {
    const items: Term[] = [];
    for (let node = head; node !== null && node.value !== `${RDF_NS}nil`; node = this.one(node, `${RDF_NS}rest`)) {
      const item = this.one(node, `${RDF_NS}first`);
      if (item !== null) items.push(item);
    }
    return items;
  }
}

function push<Key, Value>(map: Map<Key, Value[]>, key: Key, value: Value): void {
  const values = map.get(key);
  if (values === undefined) map.set(key, [value]);
  else values.push(value);
}
