/** Twin of `as/vector-codes.ts`: vectors and codes as arrays. */

export interface Code {
  readonly numbers: readonly number[];
  readonly scale: number;
  readonly residual: number;
}

export function lengthOf(vector: readonly number[]): number {
  return Math.sqrt(vector.reduce((sum, number) => sum + number * number, 0));
}

/** Halves go to the even neighbour, as in IEEE 754. */
function nearestWhole(number: number): number {
  const below = Math.floor(number);
  if (number - below !== 0.5) return Math.round(number);
  return below % 2 === 0 ? below : below + 1;
}

export function quantiseVector(vector: readonly number[]): Code {
  const length = lengthOf(vector);
  if (length === 0) return { numbers: vector.map(() => 0), scale: 0, residual: 0 };
  const largest = Math.max(...vector.map(Math.abs));
  const scale = Math.fround(largest / length / 127);
  const numbers = vector.map((number) => nearestWhole(number * (127 / largest)) + 0);
  const missing = lengthOf(vector.map((number, at) => number / length - scale * (numbers[at] as number)));
  return { numbers, scale, residual: Math.fround(missing + 0.000001) };
}

export function productOfVectors(vector: readonly number[], query: readonly number[]) {
  return {
    product: vector.reduce((sum, number, at) => sum + number * (query[at] as number), 0),
    squares: vector.reduce((sum, number) => sum + number * number, 0),
  };
}

export interface CodedQuery {
  readonly numbers: readonly number[];
  readonly scale: number;
  readonly length: number;
  readonly slack: number;
}

export function estimateOf(code: Code, query: CodedQuery): number {
  const { product } = productOfVectors(code.numbers, query.numbers);
  return Math.fround(Math.fround(product) * Math.fround(code.scale * Math.fround(query.scale)));
}

/** Of some codes those whose upper bound reaches the k-th of the lower bounds. */
export function scoreCodes(codes: readonly Code[], query: CodedQuery, limit: number): readonly number[] {
  const bounds = codes.map((code) => {
    const estimate = estimateOf(code, query);
    const slack = Math.fround(Math.fround(code.residual * Math.fround(query.length)) + Math.fround(query.slack));
    return { lower: Math.fround(estimate - slack), upper: Math.fround(estimate + slack) };
  });
  const lowers = bounds.map(({ lower }) => lower).sort((a, b) => b - a);
  const reach = lowers[limit - 1] ?? Number.NEGATIVE_INFINITY;
  return bounds.flatMap(({ upper }, at) => (upper >= reach ? [at] : []));
}

/** The first of the centres whose product with a code is the greatest. */
export function nearestCentre(code: Code, centres: readonly Code[]): number {
  const scores = centres.map(({ numbers, scale }) =>
    Math.fround(Math.fround(productOfVectors(code.numbers, numbers).product) * scale),
  );
  return scores.indexOf(Math.max(...scores));
}

/** The same among the centres of the nearest groups; `starts`: where each group begins, and where the last ends. */
export function nearestGroupedCentre(
  code: Code,
  { groups, starts, centres }: { groups: readonly Code[]; starts: readonly number[]; centres: readonly Code[] },
  visited: number,
): number {
  const left = groups.map((group, at) => ({ group, at }));
  let best = { centre: 0, score: Number.NEGATIVE_INFINITY };
  for (let visit = 0; visit < visited && left.length > 0; visit++) {
    const next = nearestCentre(
      code,
      left.map(({ group }) => group),
    );
    const [{ at = 0 } = {}] = left.splice(next, 1);
    for (let centre = starts[at] as number; centre < (starts[at + 1] as number); centre++) {
      const { numbers, scale } = centres[centre] as Code;
      const score = Math.fround(Math.fround(productOfVectors(code.numbers, numbers).product) * scale);
      if (score > best.score) best = { centre, score };
    }
  }
  return best.centre;
}
