/**
 * The prefixes of a session: declared ones, common ones, those of stored shape sets, and ones that the store's data suggests. A
 * statement gets a declaration of each that it uses and does not declare, all on one line before it.
 */

import { visitCode } from '../../../engine/query/parse/guard.js';
import { declaredPrefixes } from '../../../engine/query/parse/prefixes.js';

export const COMMON_PREFIXES: Readonly<Record<string, string>> = {
  rdf: 'http://www.w3.org/1999/02/22-rdf-syntax-ns#',
  rdfs: 'http://www.w3.org/2000/01/rdf-schema#',
  owl: 'http://www.w3.org/2002/07/owl#',
  xsd: 'http://www.w3.org/2001/XMLSchema#',
  skos: 'http://www.w3.org/2004/02/skos/core#',
};

/** Names that the world has agreed on, offered where the data uses them. */
const WELL_KNOWN: Readonly<Record<string, string>> = {
  dc: 'http://purl.org/dc/elements/1.1/',
  dcat: 'http://www.w3.org/ns/dcat#',
  dcterms: 'http://purl.org/dc/terms/',
  foaf: 'http://xmlns.com/foaf/0.1/',
  geo: 'http://www.opengis.net/ont/geosparql#',
  org: 'http://www.w3.org/ns/org#',
  prov: 'http://www.w3.org/ns/prov#',
  schema: 'http://schema.org/',
  sdo: 'https://schema.org/',
  sh: 'http://www.w3.org/ns/shacl#',
  vcard: 'http://www.w3.org/2006/vcard/ns#',
  void: 'http://rdfs.org/ns/void#',
  wgs84: 'http://www.w3.org/2003/01/geo/wgs84_pos#',
};

export type PrefixOrigin = 'declared' | 'common' | 'shapes' | 'data';

export interface KnownPrefix {
  readonly name: string;
  readonly iri: string;
  readonly origin: PrefixOrigin;
}

export class Prefixes {
  readonly #declared = new Map<string, string>();
  #loaded: ReadonlyMap<string, string> = new Map();
  #suggested: ReadonlyMap<string, string> = new Map();
  base: string | undefined;

  /** The last one of a name counts. */
  declare(name: string, iri: string): void {
    this.#declared.set(name, iri);
  }

  forget(name: string): boolean {
    return this.#declared.delete(name);
  }

  /** Takes declarations; false when the text holds none. */
  declareFrom(text: string): boolean {
    const declared = Object.entries(declaredPrefixes(text));
    for (const [name, iri] of declared) this.declare(name, iri);
    const base = /(?:^|[\s>;.])@?base\s*<([^<>\s]+)>/i.exec(text)?.[1];
    if (base !== undefined) this.base = base;
    return declared.length > 0 || base !== undefined;
  }

  /** Those of documents that are stored as a whole, such as shape sets; the first one of a name counts. */
  load(documents: readonly Readonly<Record<string, string>>[]): void {
    const all = documents.flatMap((document) => Object.entries(document));
    this.#loaded = new Map(all.reverse());
  }

  /** Namespaces that the data uses, the likeliest first; those without a well-known name get one. */
  suggest(namespaces: readonly string[]): void {
    const taken = new Map([...Object.entries(COMMON_PREFIXES), ...this.#loaded, ...this.#declared]);
    const known = new Set(taken.values());
    const names = new Map(Object.entries(WELL_KNOWN).map(([name, iri]) => [iri, name]));
    const suggested = new Map<string, string>();
    for (const iri of namespaces) {
      if (known.has(iri)) continue;
      const wanted = names.get(iri) ?? nameFor(iri);
      let name = wanted;
      for (let number = 2; taken.has(name) || suggested.has(name); number++) name = `${wanted}${number}`;
      suggested.set(name, iri);
    }
    this.#suggested = suggested;
  }

  get all(): readonly KnownPrefix[] {
    const all = new Map<string, KnownPrefix>();
    const add = (name: string, iri: string, origin: PrefixOrigin): void => {
      if (!all.has(name)) all.set(name, { name, iri, origin });
    };
    for (const [name, iri] of this.#declared) add(name, iri, 'declared');
    for (const [name, iri] of Object.entries(COMMON_PREFIXES)) add(name, iri, 'common');
    for (const [name, iri] of this.#loaded) add(name, iri, 'shapes');
    for (const [name, iri] of this.#suggested) add(name, iri, 'data');
    return [...all.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  get table(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.all.map(({ name, iri }) => [name, iri]));
  }

  /** Prefixes that the text uses and neither declares nor this session knows. */
  unknownIn(text: string): string[] {
    const { table } = this;
    return undeclaredIn(text).filter((name) => !Object.hasOwn(table, name));
  }

  /** One line of declarations with its end, or nothing. */
  prologueFor(text: string): string {
    const { table } = this;
    const needed = undeclaredIn(text).filter((name) => Object.hasOwn(table, name));
    return needed.length === 0 ? '' : `${needed.map((name) => `PREFIX ${name}: <${table[name]}>`).join(' ')}\n`;
  }
}

function undeclaredIn(text: string): string[] {
  const declared = declaredPrefixes(text);
  const used = new Set<string>();
  for (const match of codeOf(text).matchAll(/(?<![\p{L}\p{N}_:?$@\\.-])((?:\p{L}[\p{L}\p{N}_.-]*)?):/gu)) {
    used.add(match[1] as string);
  }
  return [...used].filter((name) => !Object.hasOwn(declared, name)).sort();
}

/** The text without strings, IRIs and comments. */
function codeOf(text: string): string {
  const kept: string[] = [];
  let next = 0;
  visitCode(text, (character, index) => {
    if (index > next) kept.push(' ');
    kept.push(character);
    next = index + 1;
  });
  return kept.join('');
}

/** A name from the last part of the path, or from the host without its ending; `ns` where neither has one. */
function nameFor(iri: string): string {
  const [host = '', ...path] = iri.replace(/^[a-z+.-]+:(\/\/)?/i, '').split(/[/#:?=]+/);
  const labels = host.replace(/^www\./i, '').split('.');
  const parts = [...(labels.length > 1 ? labels.slice(0, -1) : labels), ...path];
  const names = parts.filter((part) => /^[A-Za-z][A-Za-z_-]{0,19}$/.test(part));
  return (names.at(-1) ?? 'ns').toLowerCase().replace(/[^a-z]/g, '');
}
