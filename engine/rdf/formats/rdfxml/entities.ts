/**
 * The internal document type definition of an RDF/XML document, as far as OWL files use it: general
 * entities that stand for text.
 *
 * Refused by name: entities whose text lies elsewhere (nothing is ever fetched), parameter entities,
 * entities that contain markup, and default attribute values (ignoring those would change the data).
 * Bombs: the full text of one entity is limited, and so is the text that all references of a document
 * unfold to, in proportion to the document.
 */

/** The full text of one entity; in real files it is the IRI of a namespace. */
const ENTITY_CHARACTERS_MAX = 65_536;
/** `&owl;` is 5 characters and its IRI 30; real files stay below 20. */
const EXPANSION_RATIO_MAX = 50;
/** Below this no ratio is judged. */
const EXPANSION_FREE_CHARACTERS = 1_000_000;
const DEPTH_MAX = 16;

const PREDEFINED: Record<string, string> = { lt: '&#60;', gt: '>', amp: '&#38;', apos: "'", quot: '"' };

const DECLARATION = /<!(ENTITY|ATTLIST|ELEMENT|NOTATION)\b|<!--|<\?|%[^\s;]+;/g;
const ENTITY = /^<!ENTITY\s+(%\s+)?([^\s%"'<>]+)\s+(?:"([^"]*)"|'([^']*)'|(SYSTEM|PUBLIC)\b)/;
const REFERENCE = /&(?:#x([0-9A-Fa-f]+)|#([0-9]+)|([^\s;&#]+));/g;

export class EntityFault extends Error {}

/** Puts the entities of a DOCTYPE into the table of the XML parser, where each use is counted. */
export class XmlEntities {
  readonly #literals = new Map<string, string>();
  readonly #full = new Map<string, string>();
  #expanded = 0;

  constructor(private readonly charactersRead: () => number) {}

  declare(doctype: string, table: Record<string, string>): void {
    const open = doctype.indexOf('[');
    if (open < 0) return;
    const subset = doctype.slice(open + 1);
    DECLARATION.lastIndex = 0;
    for (let found = DECLARATION.exec(subset); found !== null; found = DECLARATION.exec(subset)) {
      DECLARATION.lastIndex = this.#declareOne(subset, found.index, found, table);
    }
  }

  /** Takes the declaration at an offset; answers where the next may begin. */
  #declareOne(subset: string, at: number, found: RegExpExecArray, table: Record<string, string>): number {
    if (found[0] === '<!--') return endOf(subset, at, '-->');
    if (found[0] === '<?') return endOf(subset, at, '?>');
    if (found[0].startsWith('%')) throw new EntityFault(`the parameter entity ${found[0]} is not supported`);
    if (found[1] !== 'ENTITY') {
      const end = endOfDeclaration(subset, at);
      if (found[1] === 'ATTLIST' && /["']/.test(subset.slice(at, end))) {
        throw new EntityFault('default attribute values (<!ATTLIST ...>) are not supported');
      }
      return end;
    }
    const entity = ENTITY.exec(subset.slice(at));
    if (entity === null) throw new EntityFault('malformed <!ENTITY> declaration');
    const [, parameter, name, doubleQuoted, singleQuoted, external] = entity;
    if (parameter !== undefined) throw new EntityFault(`the parameter entity %${name}; is not supported`);
    if (external !== undefined) throw new EntityFault(`the external entity &${name}; is not read: nothing is fetched`);
    // The first declaration of a name is the one that counts.
    if (!this.#literals.has(name!) && !(name! in PREDEFINED)) {
      this.#literals.set(name!, doubleQuoted ?? singleQuoted!);
      Object.defineProperty(table, name!, { configurable: true, get: () => this.#use(name!) });
    }
    return at + entity[0].length;
  }

  #use(name: string): string {
    const text = this.#textOf(name, 0);
    this.#expanded += text.length;
    if (this.#expanded > EXPANSION_FREE_CHARACTERS && this.#expanded > EXPANSION_RATIO_MAX * this.charactersRead()) {
      throw new EntityFault(
        `the entities of this document unfold to more than ${EXPANSION_RATIO_MAX} times its size (an entity bomb?)`,
      );
    }
    return text;
  }

  #textOf(name: string, depth: number): string {
    const known = this.#full.get(name);
    if (known !== undefined) return known;
    const literal = PREDEFINED[name] ?? this.#literals.get(name);
    if (literal === undefined) throw new EntityFault(`the entity &${name}; is not declared`);
    if (depth > DEPTH_MAX) throw new EntityFault(`the entity &${name}; is nested too deep, or contains itself`);
    const text = this.#unfold(literal, name, depth);
    this.#full.set(name, text);
    return text;
  }

  #unfold(literal: string, name: string, depth: number): string {
    let size = 0;
    let markup = literal.includes('<');
    const text = literal.replace(REFERENCE, (_, hex?: string, decimal?: string, inner?: string) => {
      const part = inner === undefined ? characterOf(hex, decimal) : this.#textOf(inner, depth + 1);
      size += part.length;
      if (size > ENTITY_CHARACTERS_MAX) throw tooLong(name);
      if (part === '<' && !(inner !== undefined && inner in PREDEFINED) && name !== 'lt') markup = true;
      return part;
    });
    if (text.length > ENTITY_CHARACTERS_MAX) throw tooLong(name);
    if (markup && !(name in PREDEFINED))
      throw new EntityFault(`the entity &${name}; contains markup, which is not supported`);
    return text;
  }
}

function tooLong(name: string): EntityFault {
  return new EntityFault(
    `the entity &${name}; unfolds to more than ${ENTITY_CHARACTERS_MAX} characters (an entity bomb?)`,
  );
}

function characterOf(hex: string | undefined, decimal: string | undefined): string {
  const point = hex === undefined ? Number.parseInt(decimal!, 10) : Number.parseInt(hex, 16);
  if (!(point <= 0x10ffff) || (point >= 0xd800 && point <= 0xdfff) || point === 0) {
    throw new EntityFault('a character reference in an entity names no character');
  }
  return String.fromCodePoint(point);
}

function endOf(text: string, at: number, mark: string): number {
  const end = text.indexOf(mark, at);
  return end < 0 ? text.length : end + mark.length;
}

/** The end of a declaration: its `>` outside quotes. */
function endOfDeclaration(text: string, at: number): number {
  let quote = '';
  for (let index = at; index < text.length; index++) {
    const char = text[index]!;
    if (quote !== '') {
      if (char === quote) quote = '';
    } else if (char === '"' || char === "'") quote = char;
    else if (char === '>') return index + 1;
  }
  return text.length;
}
