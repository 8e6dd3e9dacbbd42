/** Twin of `as/id-table.ts`: numbers of keys in the order of their first rows. */

export class IdNumbers {
  readonly keys: (readonly bigint[])[] = [];
  readonly #numbers = new Map<string, number>();

  assign(rows: readonly (readonly bigint[])[]): number[] {
    return rows.map((key) => {
      const text = key.join(' ');
      let number = this.#numbers.get(text);
      if (number === undefined) {
        number = this.keys.length;
        this.#numbers.set(text, number);
        this.keys.push(key);
      }
      return number;
    });
  }

  /** -1 for a key that is not there. */
  find(rows: readonly (readonly bigint[])[]): number[] {
    return rows.map((key) => this.#numbers.get(key.join(' ')) ?? -1);
  }
}
