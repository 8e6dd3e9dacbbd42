/**
 * The meaning of property paths, the slow and obvious way: the definitions of SPARQL 1.1, 18.4, over
 * triples of texts. Shares no code with the engine.
 */

export type OraclePath =
  | { readonly kind: 'iri'; readonly iri: string }
  | { readonly kind: 'inverse'; readonly of: OraclePath }
  | { readonly kind: 'sequence'; readonly of: readonly OraclePath[] }
  | { readonly kind: 'alternative'; readonly of: readonly OraclePath[] }
  | { readonly kind: 'repeat'; readonly of: OraclePath; readonly sign: '?' | '*' | '+' }
  | { readonly kind: 'negated'; readonly forward: readonly string[]; readonly backward: readonly string[] };

export type Triple = readonly [string, string, string];
export type Pair = readonly [string, string];

export function textOf(path: OraclePath): string {
  switch (path.kind) {
    case 'iri':
      return path.iri;
    case 'inverse':
      return `^${grouped(path.of)}`;
    case 'sequence':
      return `(${path.of.map(textOf).join('/')})`;
    case 'alternative':
      return `(${path.of.map(textOf).join('|')})`;
    case 'repeat':
      return `${grouped(path.of)}${path.sign}`;
    case 'negated':
      return `!(${[...path.forward, ...path.backward.map((iri) => `^${iri}`)].join('|')})`;
  }
}

function grouped(path: OraclePath): string {
  return path.kind === 'iri' ? path.iri : `(${textOf(path)})`;
}

/** The solutions of a path between two ends, null being a variable; with their number. */
export function evaluatePath(triples: readonly Triple[], x: string | null, path: OraclePath, y: string | null): Pair[] {
  switch (path.kind) {
    case 'iri':
      return restrict(
        triples.filter(([, p]) => p === path.iri).map(([s, , o]) => [s, o]),
        x,
        y,
      );
    case 'inverse':
      return evaluatePath(triples, y, path.of, x).map(([s, o]) => [o, s]);
    case 'alternative':
      return path.of.flatMap((part) => evaluatePath(triples, x, part, y));
    case 'sequence':
      return sequence(triples, x, path.of, y);
    case 'negated':
      return [
        ...(path.forward.length > 0 || path.backward.length === 0 ? others(triples, path.forward, x, y) : []),
        ...(path.backward.length > 0 ? others(triples, path.backward, y, x).map(([s, o]): Pair => [o, s]) : []),
      ];
    case 'repeat':
      return path.sign === '?' ? optional(triples, x, path.of, y) : repeated(triples, x, path, y);
  }
}

function restrict(pairs: readonly Pair[], x: string | null, y: string | null): Pair[] {
  return pairs.filter(([s, o]) => (x === null || s === x) && (y === null || o === y));
}

function others(triples: readonly Triple[], except: readonly string[], x: string | null, y: string | null): Pair[] {
  return restrict(
    triples.filter(([, p]) => !except.includes(p)).map(([s, , o]) => [s, o]),
    x,
    y,
  );
}

function sequence(
  triples: readonly Triple[],
  x: string | null,
  parts: readonly OraclePath[],
  y: string | null,
): Pair[] {
  const [first, ...rest] = parts as [OraclePath, ...OraclePath[]];
  if (rest.length === 0) return evaluatePath(triples, x, first, y);
  const left = evaluatePath(triples, x, first, null);
  const right = sequence(triples, null, rest, y);
  return left.flatMap(([s, middle]) => right.filter(([from]) => from === middle).map(([, o]): Pair => [s, o]));
}

function nodesOf(triples: readonly Triple[]): string[] {
  return [...new Set(triples.flatMap(([s, , o]) => [s, o]))];
}

function distinct(pairs: readonly Pair[]): Pair[] {
  return [...new Map(pairs.map((pair) => [pair.join(' '), pair])).values()];
}

/** The terms that a path relates to themselves without a step: the given one, or all nodes. */
function itself(triples: readonly Triple[], x: string | null, y: string | null): Pair[] {
  if (x !== null && y !== null) return x === y ? [[x, x]] : [];
  const given = x ?? y;
  return (given === null ? nodesOf(triples) : [given]).map((node): Pair => [node, node]);
}

function optional(triples: readonly Triple[], x: string | null, of: OraclePath, y: string | null): Pair[] {
  return distinct([...itself(triples, x, y), ...evaluatePath(triples, x, of, y)]);
}

function repeated(
  triples: readonly Triple[],
  x: string | null,
  { of, sign }: Extract<OraclePath, { kind: 'repeat' }>,
  y: string | null,
): Pair[] {
  if (x === null && y !== null) {
    const backward: OraclePath = { kind: 'repeat', of: { kind: 'inverse', of }, sign };
    return evaluatePath(triples, y, backward, null).map(([s, o]) => [o, s]);
  }
  const starts = x === null ? nodesOf(triples) : [x];
  const pairs = starts.flatMap((start) => {
    const found = new Set<string>();
    const open = sign === '*' ? [start] : evaluatePath(triples, start, of, null).map(([, o]) => o);
    while (open.length > 0) {
      const node = open.pop() as string;
      if (found.has(node)) continue;
      found.add(node);
      open.push(...evaluatePath(triples, node, of, null).map(([, o]) => o));
    }
    return [...found].map((node): Pair => [start, node]);
  });
  return restrict(distinct(pairs), null, y);
}
