/** Names of columns and parts, each once in a query. */
export class Names {
  #last = 0;

  next(prefix: string): string {
    this.#last++;
    return `${prefix}_${this.#last}`;
  }
}
