/** A proposal in a result: what would have been valid in place of the value. */

export interface Alternative {
  readonly kind: string;
  readonly value: string;
  readonly score?: number;
  readonly instead_of?: string;
}
