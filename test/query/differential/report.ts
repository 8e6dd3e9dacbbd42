/** What a run of random queries has seen. */

export interface Disagreement {
  readonly kind: CaseKind;
  readonly seed: number;
  readonly variant: string;
  readonly data: string;
  readonly query: string;
  readonly expected: string;
  readonly got: string;
}

export type CaseKind = 'query' | 'update' | 'history';

export class Report {
  cases = 0;
  /** Answers that held anything. */
  nonEmpty = 0;
  refused = 0;
  /** Too large for the naive evaluator. */
  tooLarge = 0;
  /** Answers that were compared, by variant. */
  readonly compared = new Map<string, number>();
  /** Cases that hold each construct. */
  readonly features = new Map<string, number>();
  /** Differences of the other engine that are known, by reason. */
  readonly explained = new Map<string, number>();
  readonly disagreements: Disagreement[] = [];

  describe(): string {
    return [
      `${this.cases} cases: ${this.nonEmpty} with answers, ${this.refused} refused by all, ${this.tooLarge} too large for the oracle`,
      `compared: ${showCounts(this.compared)}`,
      `constructs: ${showCounts(this.features)}`,
      `differences of the other engine: ${showCounts(this.explained)}`,
      `${this.disagreements.length} disagreements`,
    ].join('\n');
  }
}

export function increase(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function showCounts(counts: ReadonlyMap<string, number>): string {
  return [...counts]
    .toSorted(([, a], [, b]) => b - a)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');
}

export function describeDisagreement({ kind, seed, variant, data, query, expected, got }: Disagreement): string {
  return `${variant} disagrees about a ${kind} (seed ${seed})\n${data}\n${query}\nexpected\n${expected}\ngot\n${got}\n`;
}
