/** Resolution of IRI references against a base (RFC 3986, section 5.2). Characters are left as they are. */

/** Appendix B of the RFC: scheme (as section 3.1 has it), authority, path, query, fragment. */
const PARTS = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#([\s\S]*))?$/;

interface Reference {
  readonly scheme: string | undefined;
  readonly authority: string | undefined;
  readonly path: string;
  readonly query: string | undefined;
  readonly fragment: string | undefined;
}

/** The absolute IRI; null for a relative reference without an absolute base. */
export function resolveIri(reference: string, base: string | null): string | null {
  const relative = partsOf(reference);
  if (relative.scheme !== undefined) {
    // A reference that is absolute already is taken as written, dots and all: RDF compares the characters.
    return reference;
  }
  if (base === null) return null;
  const against = partsOf(base);
  if (against.scheme === undefined) return null;
  return textOf({ ...target(relative, against), scheme: against.scheme, fragment: relative.fragment });
}

function target(relative: Reference, base: Reference): Omit<Reference, 'scheme' | 'fragment'> {
  if (relative.authority !== undefined) {
    return { authority: relative.authority, path: withoutDots(relative.path), query: relative.query };
  }
  const { authority } = base;
  if (relative.path === '') return { authority, path: base.path, query: relative.query ?? base.query };
  const path = relative.path.startsWith('/') ? relative.path : merged(base, relative.path);
  return { authority, path: withoutDots(path), query: relative.query };
}

function merged(base: Reference, path: string): string {
  if (base.authority !== undefined && base.path === '') return `/${path}`;
  return base.path.slice(0, base.path.lastIndexOf('/') + 1) + path;
}

function withoutDots(path: string): string {
  const kept: string[] = [];
  const segments = path.split('/');
  const rooted = path.startsWith('/');
  segments.forEach((segment, index) => {
    const last = index === segments.length - 1;
    if (segment === '..') {
      if (kept.length > (rooted ? 1 : 0)) kept.pop();
      if (last) kept.push('');
    } else if (segment === '.') {
      if (last) kept.push('');
    } else kept.push(segment);
  });
  return kept.join('/');
}

function partsOf(text: string): Reference {
  const [, scheme, authority, path, query, fragment] = PARTS.exec(text) ?? [];
  return { scheme, authority, path: path ?? '', query, fragment };
}

function textOf({ scheme, authority, path, query, fragment }: Reference): string {
  const start = authority === undefined ? `${scheme}:` : `${scheme}://${authority}`;
  return `${start}${path}${query === undefined ? '' : `?${query}`}${fragment === undefined ? '' : `#${fragment}`}`;
}
