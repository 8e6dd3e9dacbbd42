/**
 * An episode as it was given, held to its rules and put in terms; nothing of the store is looked at. What is wrong is
 * named by its place: `nodes[3].properties.tags`. Null counts as absent.
 */

import { SvcError } from '../../base/errors.js';
import { getOrInsert } from '../../base/maps.js';
import { CurieTable, type Prefix } from '../../rdf/curies.js';
import { hasLoneSurrogate } from '../../rdf/formats/input/term-checks.js';
import { type Literal, type NamedNode, ROOT_GRAPH_IRI, terms, XSD } from '../../rdf/terms.js';
import { toIri } from '../facts/entity.js';
import { DECLARED_PREFIXES } from '../facts/prefixes.js';
import { doubleText } from '../facts/values.js';
import { type Options, refuseUnknown } from '../options/refuse-unknown.js';
import { contentHash } from './content-hash.js';
import type { Episode, EpisodeEdge, EpisodeNode } from './episode.js';
import { localName } from './names.js';
import { classOf, type TokenScope, wordOf } from './tokens.js';

export interface Property {
  readonly predicate: NamedNode;
  readonly values: readonly Literal[];
}

export interface CheckedNode {
  readonly type: NamedNode | null;
  readonly description: string | null;
  readonly properties: readonly Property[];
  readonly distinctFrom: readonly NamedNode[];
}

export interface CheckedEdge {
  /** Places among the names. */
  readonly source: number;
  readonly target: number;
  readonly relation: NamedNode;
  /** As it was written. */
  readonly token: string;
  readonly confidence: Literal | null;
}

export interface CheckedEpisode {
  readonly name: string;
  readonly body: string | null;
  readonly source: string | null;
  readonly groupId: string | null;
  /** Null = ROOT. */
  readonly graph: string | null;
  readonly replaceSnapshot: boolean;
  readonly baseNamespace: string;
  /** Of the nodes, then those of ends of edges that are no nodes. */
  readonly names: readonly string[];
  readonly nodes: readonly CheckedNode[];
  readonly edges: readonly CheckedEdge[];
  readonly contentHash: string;
}

const INTEGER = terms.namedNode(`${XSD}integer`);
const DOUBLE = terms.namedNode(`${XSD}double`);
const BOOLEAN = terms.namedNode(`${XSD}boolean`);
const DECIMAL = terms.namedNode(`${XSD}decimal`);
const DECLARED = new CurieTable(DECLARED_PREFIXES);

const NODE_KEYS: Options<EpisodeNode> = {
  name: 'told',
  type: 'told',
  description: 'told',
  properties: 'told',
  distinctFrom: 'told',
};
const EDGE_KEYS: Options<EpisodeEdge> = { source: 'told', target: 'told', relation: 'told', confidence: 'told' };

interface Scope extends TokenScope {
  /** Predicates of properties that were met before, by their names. */
  readonly keys: Map<string, NamedNode>;
}

/** `prefixes`: those that may be used besides the ones that need no declaration. */
export function checkEpisode(given: Episode, baseNamespace: string, prefixes: readonly Prefix[] = []): CheckedEpisode {
  const table = prefixes.length === 0 ? DECLARED : new CurieTable([...DECLARED_PREFIXES, ...prefixes]);
  const scope: Scope = { baseNamespace, prefixes: table, words: new Map(), keys: new Map() };
  const nodes = listOf<EpisodeNode>(given.nodes, 'nodes', NODE_KEYS);
  const edges = listOf<EpisodeEdge>(given.edges, 'edges', EDGE_KEYS);
  const places = new Map<string, number>();
  for (const [at, { name }] of nodes.entries()) {
    const known = places.get(checkedName(name, `nodes[${at}].name`));
    if (known !== undefined) throw repeated(name, known, at);
    places.set(name, at);
  }
  const ends = edges.map((edge, at) => endsOf(edge, `edges[${at}]`, places));
  const episode = {
    name: checkedName(given.name, 'name'),
    body: optionalText(given.body, 'episode_body'),
    source: optionalText(given.source, 'source'),
    groupId: optionalText(given.groupId, 'group_id'),
    graph: graphOf(given.graph),
    replaceSnapshot: flagOf(given.replaceSnapshot),
    baseNamespace,
    names: [...places.keys()],
    nodes: nodes.map((node, at) => checkNode(node, `nodes[${at}]`, scope)),
    edges: edges.map((edge, at) => ({ ...(ends[at] as Ends), ...checkEdge(edge, `edges[${at}]`, scope) })),
  };
  return { ...episode, contentHash: contentHash(episode, nodes, edges) };
}

function faulty(field: string, what: string, hint?: string): SvcError {
  return new SvcError('invalid_request', `${field}: ${what}`, hint === undefined ? {} : { hint });
}

function repeated(name: string, first: number, second: number): SvcError {
  const what = `the name ${JSON.stringify(name)} stands in nodes[${first}] as well; a name may stand once in an episode`;
  return faulty(`nodes[${second}].name`, what, 'put what is said of it into one node');
}

/** A misspelt key would be left out of the episode without a word. */
function listOf<Entry extends object>(
  given: readonly Entry[] | null | undefined,
  field: string,
  known: Options<Entry>,
): readonly Entry[] {
  const list = given ?? [];
  if (!Array.isArray(list)) throw faulty(field, 'expected a list');
  for (const [at, entry] of list.entries()) {
    if (typeof entry !== 'object' || entry === null) throw faulty(`${field}[${at}]`, 'expected an object');
    refuseUnknown(entry, known, `key of ${field}[${at}]`);
  }
  return list;
}

function textOf(given: unknown, field: string): string {
  if (typeof given !== 'string') throw faulty(field, 'expected a text');
  if (hasLoneSurrogate(given)) throw faulty(field, 'holds half of a surrogate pair, which is no character');
  return given;
}

function checkedName(given: unknown, field: string): string {
  if (given === undefined || given === null) throw new SvcError('invalid_request', `missing '${field}' parameter`);
  const name = textOf(given, field);
  if (name === '') throw faulty(field, 'is empty');
  return name;
}

/** What is empty says nothing, as if it were absent. */
function optionalText(given: unknown, field: string): string | null {
  return given === undefined || given === null ? null : textOf(given, field) || null;
}

function flagOf(given: unknown): boolean {
  const flag = given ?? false;
  if (typeof flag !== 'boolean') throw faulty('replace_snapshot', 'expected true or false');
  return flag;
}

function graphOf(given: unknown): string | null {
  if (given === undefined || given === null) return null;
  const { value } = toIri(given, 'graph');
  return value === ROOT_GRAPH_IRI ? null : value;
}

function checkNode(node: EpisodeNode, field: string, scope: Scope): CheckedNode {
  const { type, description, properties, distinctFrom } = node;
  const typed = type === undefined || type === null ? null : textOf(type, `${field}.type`);
  return {
    type: typed === null ? null : classOf(typed, `${field}.type`, scope),
    description: optionalText(description, `${field}.description`),
    properties: propertiesOf(properties, `${field}.properties`, scope),
    distinctFrom: irisOf(distinctFrom, `${field}.distinct_from`),
  };
}

function irisOf(given: unknown, field: string): NamedNode[] {
  if (given === undefined || given === null) return [];
  if (!Array.isArray(given)) throw faulty(field, 'expected a list of IRIs');
  return given.map((iri, at) => toIri(iri, `${field}[${at}]`));
}

function propertiesOf(given: unknown, field: string, scope: Scope): Property[] {
  if (given === undefined || given === null) return [];
  if (typeof given !== 'object' || Array.isArray(given)) throw faulty(field, 'expected an object of names and values');
  const properties: Property[] = [];
  for (const [key, value] of Object.entries(given)) {
    const place = `${field}.${key}`;
    if (textOf(key, field) === '') throw faulty(field, 'a property has an empty name');
    const entries: readonly unknown[] = Array.isArray(value) ? value : [value];
    const values = entries
      .filter((entry) => entry !== null && entry !== undefined)
      .map((entry) => literalOf(entry, place));
    if (values.length > 0) properties.push({ predicate: predicateOf(key, scope), values });
  }
  return properties;
}

function predicateOf(key: string, { baseNamespace, keys }: Scope): NamedNode {
  return getOrInsert(keys, key, () => terms.namedNode(baseNamespace + localName(key)));
}

/** A text is a text, whatever it looks like. */
function literalOf(value: unknown, field: string): Literal {
  switch (typeof value) {
    case 'string':
      return terms.literal(textOf(value, field));
    case 'boolean':
      return terms.literal(String(value), BOOLEAN);
    case 'number':
      return numberOf(value, field);
    case 'bigint':
      return terms.literal(String(value), INTEGER);
    default: {
      const what =
        'is a list or an object inside of the value; a value is a text, a number, true, false or a list of them';
      throw faulty(field, what, 'make it a node of its own, and an edge to it');
    }
  }
}

function numberOf(value: number, field: string): Literal {
  if (Number.isSafeInteger(value)) return terms.literal(String(value || 0), INTEGER);
  if (Number.isInteger(value)) {
    throw faulty(field, 'the integer has more digits than a JSON number keeps', 'write it as a text');
  }
  if (!Number.isFinite(value)) throw faulty(field, `${value} is no number of JSON`);
  return terms.literal(doubleText(value), DOUBLE);
}

interface Ends {
  readonly source: number;
  readonly target: number;
}

/** Ends that are no nodes get places behind the nodes. */
function endsOf(edge: EpisodeEdge, field: string, places: Map<string, number>): Ends {
  const place = (name: unknown, end: string): number => {
    const checked = checkedName(name, `${field}.${end}`);
    const at = places.get(checked) ?? places.size;
    places.set(checked, at);
    return at;
  };
  return { source: place(edge.source, 'source'), target: place(edge.target, 'target') };
}

function checkEdge(
  { relation, confidence }: EpisodeEdge,
  field: string,
  scope: TokenScope,
): Omit<CheckedEdge, keyof Ends> {
  const place = `${field}.relation`;
  if (relation === undefined || relation === null) {
    throw new SvcError('invalid_request', `missing '${place}' parameter`);
  }
  const token = textOf(relation, place);
  return {
    relation: wordOf(token, place, scope),
    token,
    confidence: confidenceOf(confidence, `${field}.confidence`),
  };
}

function confidenceOf(given: unknown, field: string): Literal | null {
  if (given === undefined || given === null) return null;
  if (typeof given === 'string') return terms.literal(textOf(given, field));
  if (typeof given !== 'number' || !Number.isFinite(given)) throw faulty(field, 'expected a number or a text');
  return terms.literal(decimalText(given), DECIMAL);
}

/** The shortest decimal form without an exponent, which decimals have none of. */
export function decimalText(value: number): string {
  const text = String(value);
  const [mantissa = '', exponent] = text.split('e');
  if (exponent === undefined) return Object.is(value, -0) ? '0' : text;
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)\.?(\d*)$/.exec(mantissa) ?? [];
  const point = whole.length + Number(exponent);
  const digits = whole + fraction;
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  return `${sign}${digits.slice(0, point).padEnd(point, '0')}${digits.length > point ? `.${digits.slice(point)}` : ''}`;
}
