/**
 * What the operators of a query wait for outside of it. An operator that can't go on says PENDING and
 * notes what it waits for; the driver then sleeps until that has settled instead of asking again.
 */

export class Waits {
  private noted: Promise<unknown>[] = [];

  /** To be said with every PENDING that means waiting. The promise must not reject. */
  note(settled: Promise<unknown>): void {
    this.noted.push(settled);
  }

  /** What was noted since the last call: settles with the first of it; null = nothing. */
  take(): Promise<unknown> | null {
    if (this.noted.length === 0) return null;
    const noted = this.noted;
    this.noted = [];
    return Promise.race(noted);
  }
}
