/**
 * Free ranges of memory, by address. A range is taken from the smallest free one that holds it, so that pages
 * which have been touched are used again before new ones are; neighbours that become free are joined. For large ranges: there are
 * few of them, so plain arrays do.
 */

export class FreeRanges {
  /** Ascending, disjoint, never touching each other. */
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];

  /** The address of `size` bytes, or -1 when no free range holds them. */
  take(size: number): number {
    let best = -1;
    let bestSize = Number.POSITIVE_INFINITY;
    for (let i = 0; i < this.#starts.length; i++) {
      const room = (this.#ends[i] as number) - (this.#starts[i] as number);
      if (room >= size && room < bestSize) {
        best = i;
        bestSize = room;
      }
    }
    if (best < 0) return -1;
    const address = this.#starts[best] as number;
    if (bestSize === size) {
      this.#starts.splice(best, 1);
      this.#ends.splice(best, 1);
    } else this.#starts[best] = address + size;
    return address;
  }

  give(address: number, size: number): void {
    let at = 0;
    while (at < this.#starts.length && (this.#starts[at] as number) < address) at++;
    const end = address + size;
    const joinsBefore = at > 0 && this.#ends[at - 1] === address;
    const joinsAfter = at < this.#starts.length && this.#starts[at] === end;
    if (joinsBefore && joinsAfter) {
      this.#ends[at - 1] = this.#ends[at] as number;
      this.#starts.splice(at, 1);
      this.#ends.splice(at, 1);
    } else if (joinsBefore) this.#ends[at - 1] = end;
    else if (joinsAfter) this.#starts[at] = address;
    else {
      this.#starts.splice(at, 0, address);
      this.#ends.splice(at, 0, end);
    }
  }
}
