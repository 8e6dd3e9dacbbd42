/** Small readers of the result formats, written for the tests alone: SPARQL XML, JSON, CSV and TSV. */

import { type Term, terms } from '../../../engine/rdf/terms.js';
import { Failure } from '../cases.js';
import { type Answer, type Row, rowOf } from './answer.js';
import { parseTurtleTerm } from './turtle-term.js';

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };

function plainText(text: string): string {
  return text.replace(/&(?:#x([0-9a-fA-F]+)|#(\d+)|(\w+));/g, (_, hex, decimal, name) =>
    name === undefined
      ? String.fromCodePoint(Number.parseInt(hex ?? decimal, hex === undefined ? 10 : 16))
      : (ENTITIES[name] as string),
  );
}

export function parseXml(xml: string): Answer {
  const boolean = /<boolean>\s*(true|false)\s*<\/boolean>/.exec(xml);
  if (boolean) return { kind: 'boolean', value: boolean[1] === 'true' };
  const body = xml.replace(/<!--[\s\S]*?-->/g, '').replace(/<(\/?)\w+:(?=\w)/g, '<$1');
  const variables = [...body.matchAll(/<variable\s+name=["']([^"']+)["']/g)].map(([, name]) => name as string);
  const rows = [...body.matchAll(/<result\b[^>]*?(?:\/>|>([\s\S]*?)<\/result>)/g)].map(([, inner]) => {
    const bindings = (inner ?? '').matchAll(/<binding\s+name=["']([^"']+)["']\s*>([\s\S]*?)<\/binding>/g);
    return new Map([...bindings].map(([, name, term]) => [name as string, xmlTerm((term as string).trim())] as const));
  });
  return { kind: 'rows', variables, rows };
}

function xmlTerm(xml: string): Term {
  const match = /^<(\w+)([^>]*?)(?:\/>|>([\s\S]*)<\/\1>)$/.exec(xml);
  if (match === null) throw new Failure(`no term of SPARQL XML: ${xml}`);
  const [, element, attributes = '', inner = ''] = match;
  if (element === 'triple') return tripleTerm(inner);
  const value = plainText(inner);
  if (element === 'uri') return terms.namedNode(value.trim());
  if (element === 'bnode') return terms.blankNode(value);
  const language = /xml:lang=["']([^"']*)["']/.exec(attributes)?.[1];
  const direction = /its:dir=["'](ltr|rtl)["']/.exec(attributes)?.[1] as 'ltr' | 'rtl' | undefined;
  const datatype = /datatype=["']([^"']*)["']/.exec(attributes)?.[1];
  return literal(value, language, direction, datatype && plainText(datatype));
}

function tripleTerm(xml: string): Term {
  const [subject, predicate, object] = ['subject', 'predicate', 'object'].map((part) => {
    const from = xml.indexOf(`<${part}>`) + part.length + 2;
    const end = part === 'object' ? xml.lastIndexOf('</object>') : xml.indexOf(`</${part}>`);
    return xmlTerm(xml.slice(from, end).trim());
  });
  return terms.quad(subject as never, predicate as never, object as never);
}

function literal(value: string, language?: string, direction?: 'ltr' | 'rtl', datatype?: string): Term {
  if (language) return terms.literal(value, direction ? { language, direction } : language);
  return datatype ? terms.literal(value, terms.namedNode(datatype)) : terms.literal(value);
}

interface JsonTerm {
  readonly type: string;
  readonly value: string | { readonly subject: JsonTerm; readonly predicate: JsonTerm; readonly object: JsonTerm };
  readonly datatype?: string;
  readonly 'xml:lang'?: string;
  readonly 'its:dir'?: 'ltr' | 'rtl';
}

interface JsonResults {
  readonly boolean?: boolean;
  readonly head?: { readonly vars?: readonly string[] };
  readonly results?: { readonly bindings: readonly Readonly<Record<string, JsonTerm>>[] };
}

export function parseJson(text: string): Answer {
  const { boolean, head, results } = JSON.parse(text) as JsonResults;
  if (boolean !== undefined) return { kind: 'boolean', value: boolean };
  const rows = (results?.bindings ?? []).map(
    (binding): Row => new Map(Object.entries(binding).map(([name, term]) => [name, jsonTerm(term)])),
  );
  return { kind: 'rows', variables: head?.vars ?? null, rows };
}

function jsonTerm(term: JsonTerm): Term {
  if (typeof term.value === 'object') {
    const { subject, predicate, object } = term.value;
    return terms.quad(jsonTerm(subject) as never, jsonTerm(predicate) as never, jsonTerm(object) as never);
  }
  if (term.type === 'uri') return terms.namedNode(term.value);
  if (term.type === 'bnode') return terms.blankNode(term.value);
  return literal(term.value, term['xml:lang'], term['its:dir'], term.datatype);
}

/** CSV has lost the kinds of terms: all but blank nodes become plain strings. */
export function parseCsv(text: string): Answer {
  const [variables = [], ...lines] = csvRecords(text);
  const rows = lines.map((values) =>
    rowOf(
      variables,
      values.map((value) => (value.startsWith('_:') ? terms.blankNode(value.slice(2)) : terms.literal(value))),
    ),
  );
  return { kind: 'rows', variables, rows };
}

function csvRecords(text: string): string[][] {
  const records: string[][] = [];
  let record: string[] = [];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g)) {
    if (end === '' && record.length === 0 && quoted === undefined && plain === '') break;
    record.push(quoted === undefined ? (plain as string) : quoted.replaceAll('""', '"'));
    if (end === ',') continue;
    records.push(record);
    record = [];
  }
  return records;
}

export function parseTsv(text: string): Answer {
  const [head = '', ...lines] = text.replace(/\r?\n$/, '').split(/\r?\n/);
  const variables = head.split('\t').map((name) => name.replace(/^[?$]/, ''));
  const rows = lines.map((line) =>
    rowOf(
      variables,
      line.split('\t').map((cell) => (cell === '' ? undefined : parseTurtleTerm(cell))),
    ),
  );
  return { kind: 'rows', variables, rows };
}
