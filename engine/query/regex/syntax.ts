/** The tree of a regular expression of XPath (F&O 3.1, section 5.6; XML Schema, appendix G). */

export type RegexNode =
  | { readonly kind: 'character'; readonly code: number }
  | { readonly kind: 'set'; readonly set: CharacterSet }
  | { readonly kind: 'start' }
  | { readonly kind: 'end' }
  | { readonly kind: 'group'; readonly captures: boolean; readonly body: RegexNode }
  | { readonly kind: 'sequence'; readonly items: readonly RegexNode[] }
  | { readonly kind: 'choice'; readonly options: readonly RegexNode[] }
  | {
      readonly kind: 'repeat';
      readonly body: RegexNode;
      readonly min: number;
      readonly max: number | null;
      readonly lazy: boolean;
    };

/** The expressions that an expression is made of. */
export function partsOf(node: RegexNode): readonly RegexNode[] {
  switch (node.kind) {
    case 'group':
    case 'repeat':
      return [node.body];
    case 'sequence':
      return node.items;
    case 'choice':
      return node.options;
    default:
      return [];
  }
}

export interface CharacterSet {
  readonly negated: boolean;
  readonly items: readonly SetItem[];
  readonly without: CharacterSet | null;
}

export type SetItem =
  /** Both ends belong to it. */
  | { readonly kind: 'range'; readonly from: number; readonly to: number }
  /** A general category of Unicode, such as `Lu` or `L`. */
  | { readonly kind: 'category'; readonly name: string; readonly negated: boolean }
  | { readonly kind: 'set'; readonly set: CharacterSet };

export function rangesSet(negated: boolean, ...ranges: readonly (readonly [from: number, to: number])[]): CharacterSet {
  return { negated, items: ranges.map(([from, to]) => ({ kind: 'range', from, to })), without: null };
}

/** The expression is not of the language: a value error of the row, by the standard. */
export class RegexSyntaxError extends Error {}

/** The expression is right, but not evaluated here. */
export class RegexUnsupported extends Error {}
