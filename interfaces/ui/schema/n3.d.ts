/** What the page uses of `n3`, whose own types are those of Node. */
declare module 'n3' {
  export interface ParsedTerm {
    readonly termType: 'NamedNode' | 'BlankNode' | 'Literal' | 'DefaultGraph' | 'Quad' | 'Variable';
    readonly value: string;
    readonly language?: string;
    readonly datatype?: { readonly value: string };
  }

  export interface ParsedQuad {
    readonly subject: ParsedTerm;
    readonly predicate: ParsedTerm;
    readonly object: ParsedTerm;
  }

  export class Parser {
    constructor(options?: { readonly format?: string; readonly blankNodePrefix?: string });
    parse(text: string): ParsedQuad[];
  }
}
