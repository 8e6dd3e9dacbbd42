/** Property paths (SPARQL 1.1, section 9) as they stand inside a closure. */

export type Path =
  | { readonly kind: 'predicate'; readonly iri: string }
  | { readonly kind: 'inverse'; readonly path: Path }
  | { readonly kind: 'sequence'; readonly paths: readonly Path[] }
  | { readonly kind: 'alternative'; readonly paths: readonly Path[] }
  /** `path?` (0 to 1), `path*` (0 to any), `path+` (1 to any); max null = any number of steps. */
  | { readonly kind: 'closure'; readonly path: Path; readonly min: 0 | 1; readonly max: 1 | null }
  /** Any predicate but these; null = that direction is not walked at all. */
  | {
      readonly kind: 'negated';
      readonly forward: readonly string[] | null;
      readonly backward: readonly string[] | null;
    };

/** The path as SPARQL writes it. */
export function formatPath(path: Path): string {
  switch (path.kind) {
    case 'predicate':
      return `<${path.iri}>`;
    case 'inverse':
      return `^${formatPath(path.path)}`;
    case 'sequence':
      return `(${path.paths.map(formatPath).join('/')})`;
    case 'alternative':
      return `(${path.paths.map(formatPath).join('|')})`;
    case 'closure':
      return `${formatPath(path.path)}${closureSign(path)}`;
    case 'negated': {
      const forward = (path.forward ?? []).map((iri) => `<${iri}>`);
      const backward = (path.backward ?? []).map((iri) => `^<${iri}>`);
      return `!(${[...forward, ...backward].join('|')})`;
    }
  }
}

export function closureSign({ min, max }: { readonly min: 0 | 1; readonly max: 1 | null }): string {
  if (max === 1) return '?';
  return min === 0 ? '*' : '+';
}
