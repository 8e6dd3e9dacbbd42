/** The labels that score best against a name: at least so many as are wanted, with all that score as the last of them. */

/** Rounding may not drop what is exactly at the threshold. */
const SLACK = 1e-9;
const TIDY_LEAST = 256;

export interface ScoredLabel {
  readonly score: number;
  /** Halves of the ids of the entity, then of the label. */
  readonly ids: Uint32Array;
}

export class BestLabels {
  readonly #most: number;
  #found: ScoredLabel[] = [];
  /** The best scores so far, ascending, at most `#most` of them. */
  readonly #scores: number[] = [];
  #tidyAt = TIDY_LEAST;
  /** What scores less is not wanted. */
  least: number;
  /** Labels were passed over because there are better ones. */
  isCut = false;

  /** `most`: Infinity = all at the threshold or above. */
  constructor(threshold: number, most: number) {
    this.least = threshold - SLACK;
    this.#most = most;
  }

  offer(score: number, ids: Uint32Array, at: number): void {
    this.#found.push({ score, ids: ids.slice(at, at + 4) });
    if (this.#most === Number.POSITIVE_INFINITY) return;
    let place = this.#scores.length;
    while (place > 0 && (this.#scores[place - 1] as number) > score) place--;
    this.#scores.splice(place, 0, score);
    if (this.#scores.length > this.#most) this.#scores.shift();
    if (this.#scores.length === this.#most && (this.#scores[0] as number) - SLACK > this.least) {
      this.least = (this.#scores[0] as number) - SLACK;
      this.isCut = true;
    }
    if (this.#found.length >= this.#tidyAt) this.#tidy();
  }

  /** The best first. */
  sorted(): readonly ScoredLabel[] {
    this.#tidy();
    return this.#found.sort((a, b) => b.score - a.score);
  }

  #tidy(): void {
    this.#found = this.#found.filter(({ score }) => score >= this.least);
    this.#tidyAt = Math.max(TIDY_LEAST, 2 * this.#found.length);
  }
}
