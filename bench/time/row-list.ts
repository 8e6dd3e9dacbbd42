/**
 * A plain list of rows, which says what must be visible: the rules of the four reads, written down as
 * they are, over every row.
 */

/** No transaction and no instant is as great. */
export const OPEN = 0xffffffff;

/** Absent = not asked for. */
export interface Slice {
  readonly tx?: number | undefined;
  readonly validAt?: number | undefined;
}

export class RowList {
  count = 0;
  fact = new Uint32Array(1024);
  version = new Uint32Array(1024);
  txFrom = new Uint32Array(1024);
  txTo = new Uint32Array(1024);
  validFrom = new Uint32Array(1024);
  validTo = new Uint32Array(1024);

  /** The row's number. */
  open(fact: number, version: number, tx: number, validFrom: number): number {
    if (this.count === this.fact.length) this.#grow();
    const row = this.count++;
    this.fact[row] = fact;
    this.version[row] = version;
    this.txFrom[row] = tx;
    this.txTo[row] = OPEN;
    this.validFrom[row] = validFrom;
    this.validTo[row] = OPEN;
    return row;
  }

  close(row: number, tx: number, validTo: number): void {
    this.txTo[row] = tx;
    this.validTo[row] = validTo;
  }

  /** Semantics text 1.4. */
  isVisible(row: number, { tx, validAt }: Slice): boolean {
    if (tx === undefined && validAt === undefined) return this.txTo[row] === OPEN;
    if (tx !== undefined && (this.txFrom[row] as number) > tx) return false;
    const closed = tx === undefined ? this.txTo[row] !== OPEN : (this.txTo[row] as number) <= tx;
    if (validAt === undefined) return !closed;
    return (this.validFrom[row] as number) <= validAt && (!closed || validAt < (this.validTo[row] as number));
  }

  #grow(): void {
    const length = 2 * this.fact.length;
    for (const name of ['fact', 'version', 'txFrom', 'txTo', 'validFrom', 'validTo'] as const) {
      const larger = new Uint32Array(length);
      larger.set(this[name]);
      this[name] = larger;
    }
  }
}
