/** The triples of a shapes graph, looked up by subject and predicate; lists are read without recursion. */

import { SvcError } from '../../base/errors.js';
import { addTo, getOrInsert } from '../../base/maps.js';
import { termKey, termToString } from '../../rdf/canonical/lines.js';
import type { Quad, Term } from '../../rdf/terms.js';
import { RDF_FIRST, RDF_NIL, RDF_REST, RDF_TYPE, SH } from './vocabulary.js';

/** Why a node is not a well-formed list, as the end of a sentence that names it. */
export class BadList {
  constructor(readonly reason: string) {}
}

/** Up to so many objects of a subject and predicate are compared one by one; more are found by a set of texts. */
const LOOKED_THROUGH_MAX = 8;

const NOTHING: readonly Term[] = [];

/** IRIs by local name. A concatenated string is hashed anew at each lookup, and reading a shape looks up some forty. */
const iris = new Map<string, string>();

function iriOf(name: string): string {
  return getOrInsert(iris, name, () => SH + name);
}

export class ShapesGraph {
  /** Subject, then predicate IRI, to objects, each once. */
  readonly #bySubject = new Map<string, Map<string, Term[]>>();
  /** Texts of the objects of a subject and predicate that has many. */
  readonly #manyObjects = new Map<string, Set<string>>();
  readonly #byPredicate = new Map<string, { readonly subject: Term; readonly object: Term }[]>();

  #asked: Term | null = null;
  #found: ReadonlyMap<string, Term[]> | undefined;

  constructor(quads: Iterable<Quad> = []) {
    for (const quad of quads) this.add(quad);
  }

  /** Blank nodes are told apart by their labels; the same triple may stand in several documents, or graphs. */
  add({ subject, predicate, object }: Quad): void {
    const key = termKey(subject);
    const properties = getOrInsert(this.#bySubject, key, () => new Map());
    const objects = properties.get(predicate.value);
    if (objects === undefined) properties.set(predicate.value, [object]);
    else if (this.#isKnown(key, predicate.value, objects, object)) return;
    else objects.push(object);
    addTo(this.#byPredicate, predicate.value, { subject, object });
  }

  #isKnown(subject: string, predicate: string, objects: readonly Term[], object: Term): boolean {
    if (objects.length < LOOKED_THROUGH_MAX) return objects.some((known) => known.equals(object));
    const name = `${subject} ${predicate}`;
    const texts = getOrInsert(this.#manyObjects, name, () => new Set(objects.map(termKey)));
    const text = termKey(object);
    if (texts.has(text)) return true;
    texts.add(text);
    return false;
  }

  all(subject: Term, predicate: string): readonly Term[] {
    // Reading a shape looks up some forty parameters of one subject, one after the other.
    if (subject !== this.#asked) {
      this.#asked = subject;
      this.#found = this.#bySubject.get(termKey(subject));
    }
    return this.#found?.get(predicate) ?? NOTHING;
  }

  /** The same by the local name of a term of SHACL. */
  values(subject: Term, name: string): readonly Term[] {
    return this.all(subject, iriOf(name));
  }

  withPredicate(predicate: string): readonly { readonly subject: Term; readonly object: Term }[] {
    return this.#byPredicate.get(predicate) ?? [];
  }

  isSubject(term: Term): boolean {
    return this.#bySubject.has(termKey(term));
  }

  /** Everything that reaches one of the classes over `rdfs:subClassOf`, these included. */
  subclassesOf(classes: Iterable<string>, subClassOf: string): ReadonlySet<string> {
    const found = new Set<string>(classes);
    const waiting = [...found];
    const below = new Map<string, string[]>();
    for (const { subject, object } of this.withPredicate(subClassOf)) addTo(below, object.value, subject.value);
    for (let upper = waiting.pop(); upper !== undefined; upper = waiting.pop()) {
      for (const lower of below.get(upper) ?? []) {
        if (found.has(lower)) continue;
        found.add(lower);
        waiting.push(lower);
      }
    }
    return found;
  }

  hasType(subject: Term, types: ReadonlySet<string>): boolean {
    return this.all(subject, RDF_TYPE.value).some(({ value }) => types.has(value));
  }

  /** The members of a list, or what is wrong with it. */
  list(head: Term): Term[] | BadList {
    const members: Term[] = [];
    const seen = new Set<string>();
    for (let node = head; node.value !== RDF_NIL || node.termType !== 'NamedNode'; ) {
      if (node.termType !== 'NamedNode' && node.termType !== 'BlankNode') {
        return new BadList(`is no list, but ${shown(node)}`);
      }
      const key = termKey(node);
      if (seen.has(key)) return new BadList('is a list that runs in a circle');
      seen.add(key);
      const first = this.all(node, RDF_FIRST);
      const rest = this.all(node, RDF_REST);
      if (first.length === 0 && rest.length === 0) return new BadList(`is no list, but ${shown(node)}`);
      if (first.length !== 1) return new BadList(`is a list with ${first.length} values of rdf:first at one node`);
      if (rest.length !== 1) {
        return new BadList(
          rest.length === 0
            ? 'is a list that does not end: a node has no rdf:rest'
            : `is a list with ${rest.length} values of rdf:rest at one node`,
        );
      }
      members.push(first[0] as Term);
      node = rest[0] as Term;
    }
    return members;
  }

  isList(node: Term): boolean {
    return node.value === RDF_NIL || this.all(node, RDF_FIRST).length > 0 || this.all(node, RDF_REST).length > 0;
  }
}

/** A term as messages show it. */
export function shown(term: Term): string {
  return term.termType === 'NamedNode' ? `<${term.value}>` : termToString(term);
}

/** The one error of shapes that are not well-formed: it names the shape. */
export function invalidShape(shape: Term, what: string, hint?: string): SvcError {
  return new SvcError('invalid_request', `the shape ${shown(shape)} is not well-formed: ${what}`, {
    ...(hint === undefined ? {} : { hint }),
  });
}
