/**
 * IRIs as CURIEs and back (wire shapes, 4.4): of the namespaces that an IRI begins with, the longest counts, of equal
 * ones the first name of the alphabet; where the rest is no plain name, the IRI stays whole. Kernels write
 * answers by the same table (`kernels/as/curies.ts`).
 */

export interface Prefix {
  readonly name: string;
  readonly namespace: string;
}

const NAME = /^[A-Za-z][A-Za-z0-9+.-]*$/;
const LOCAL_NAME = /^[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_-])?$/;

export class CurieTable {
  /** The longest namespace first; each stands here once, with the name that is written for it. */
  readonly entries: readonly Prefix[];
  private readonly namespaces = new Map<string, string>();

  /** In the order in which they were declared: the first declaration of a name counts. */
  constructor(prefixes: readonly Prefix[]) {
    const names = new Map<string, string>();
    for (const { name, namespace } of prefixes) {
      if (!NAME.test(name) || this.namespaces.has(name)) continue;
      this.namespaces.set(name, namespace);
      const other = names.get(namespace);
      if (other === undefined || name < other) names.set(namespace, name);
    }
    this.entries = [...names]
      .map(([namespace, name]) => ({ name, namespace }))
      .sort((left, right) => right.namespace.length - left.namespace.length);
  }

  compact(iri: string): string {
    const found = this.entries.find(({ namespace }) => namespace.length < iri.length && iri.startsWith(namespace));
    if (found === undefined) return iri;
    const rest = iri.slice(found.namespace.length);
    return LOCAL_NAME.test(rest) ? `${found.name}:${rest}` : iri;
  }

  /** Anything but a name of the table and a colon stays as it is, and so does what continues like a URL. */
  expand(text: string): string {
    const colon = text.indexOf(':');
    if (colon < 0 || text.startsWith('//', colon + 1)) return text;
    const namespace = this.namespaces.get(text.slice(0, colon));
    return namespace === undefined ? text : namespace + text.slice(colon + 1);
  }
}
