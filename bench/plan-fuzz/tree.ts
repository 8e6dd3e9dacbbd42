/**
 * Generated text as a tree, so that it can be made smaller: parts that may be missing are marked, and a
 * part can be replaced by a smaller one of the same sort inside it.
 */

export interface Tree {
  /** What the part is: parts of one sort can stand for each other. */
  readonly sort: string;
  readonly parts: readonly (string | Tree)[];
  readonly optional: boolean;
  /** Counted in reports. */
  readonly feature: string | null;
}

export interface TreeMarks {
  readonly sort?: string;
  readonly optional?: boolean;
  readonly feature?: string;
}

export function tree(
  parts: readonly (string | Tree)[],
  { sort = '', optional = false, feature }: TreeMarks = {},
): Tree {
  return { sort, parts, optional, feature: feature ?? null };
}

/** Parts with a text between them. */
export function separated(parts: readonly (string | Tree)[], separator: string): (string | Tree)[] {
  return parts.flatMap((part, index) => (index === 0 ? [part] : [separator, part]));
}

export function render(node: Tree | string): string {
  return typeof node === 'string' ? node : node.parts.map(render).join('');
}

export function featuresOf(node: Tree | string, into: Set<string> = new Set()): Set<string> {
  if (typeof node === 'string') return into;
  if (node.feature !== null) into.add(node.feature);
  for (const part of node.parts) featuresOf(part, into);
  return into;
}

/** Every tree that is one step smaller, large steps first. */
export function* smaller(node: Tree): Generator<Tree> {
  for (const inside of sameSort(node, node.sort)) yield { ...inside, optional: node.optional };
  for (const [index, part] of node.parts.entries()) {
    if (typeof part === 'string') continue;
    const replaced = (by: Tree | string): Tree => ({ ...node, parts: node.parts.with(index, by) });
    if (part.optional) yield replaced('');
  }
  for (const [index, part] of node.parts.entries()) {
    if (typeof part === 'string') continue;
    for (const other of smaller(part)) yield { ...node, parts: node.parts.with(index, other) };
  }
}

function* sameSort(node: Tree, sort: string): Generator<Tree> {
  if (sort === '') return;
  for (const part of node.parts) {
    if (typeof part === 'string') continue;
    if (part.sort === sort) yield part;
    yield* sameSort(part, sort);
  }
}
