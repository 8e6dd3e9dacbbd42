/**
 * Language tags as they are written. Traqula's grammar hands them to its factory of syntax nodes in lower case, right after the
 * tokens that the node is made of: the tag is taken from the last of them.
 */

/** What the grammar calls to make nodes, as far as it is looked at here. */
interface NodeFactory {
  sourceLocation(...elements: unknown[]): unknown;
  termLiteral(location: unknown, value: string, languageOrIri: unknown): unknown;
}

/** For a parser of Traqula. */
export function keepLanguageTags(parser: object): void {
  const { astFactory } = (parser as { readonly defaultContext: { readonly astFactory: NodeFactory } }).defaultContext;
  const sourceLocation = astFactory.sourceLocation.bind(astFactory);
  const termLiteral = astFactory.termLiteral.bind(astFactory);
  let written = '';
  astFactory.sourceLocation = (...elements) => {
    const { image } = (elements.at(-1) ?? {}) as { readonly image?: string };
    written = image?.startsWith('@') ? image.slice(1) : '';
    return sourceLocation(...elements);
  };
  astFactory.termLiteral = (location, value, languageOrIri) => {
    const isTag = typeof languageOrIri === 'string' && written.toLowerCase() === languageOrIri;
    return termLiteral(location, value, isTag ? written : languageOrIri);
  };
}
