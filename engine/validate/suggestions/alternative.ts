/** What would have been valid in place of what is there. */

export interface Alternative {
  readonly kind: string;
  readonly value: string;
  readonly score?: number;
  readonly instead_of?: string;
}
