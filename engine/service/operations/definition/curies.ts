/**
 * CURIEs of requests and answers (wire shapes, 4.4). The prefixes are those that everybody knows, which mean the same in
 * every store, and those of the loaded shape sets; a set that gives one of the former another namespace is not heard.
 * IRIs of answers are shortened by those of the sets alone.
 */

import { getOrInsert } from '../../../base/maps.js';
import { isObject } from '../../../base/objects.js';
import { STORED_SHAPES } from '../../../graphs/shapes/stored-shapes.js';
import { CurieTable, type Prefix } from '../../../rdf/curies.js';
import type { TermId, TxId } from '../../../storage/ids/layout.js';
import { lookInto } from '../../../storage/seam/rows.js';
import type { StorageSnapshot } from '../../../storage/seam/scan.js';
import { DECLARED_PREFIXES } from '../../facts/prefixes.js';
import { marksIris, type SchemaNode } from '../../requests/schema.js';
import type { Store } from '../../store/store.js';

export interface Curies {
  /** By which CURIEs of requests are written out. */
  readonly known: CurieTable;
  /** By which IRIs of answers are shortened; null = not at all. */
  readonly loaded: CurieTable | null;
}

const BUILT_IN: Curies = { known: new CurieTable(DECLARED_PREFIXES), loaded: null };
const NAMESPACES = new Map(DECLARED_PREFIXES.map(({ name, namespace }) => [name, namespace]));

/** Of one store: kept from one of its states to the next, as long as its sets of shapes stay the same. */
class KeptCuries {
  #tx: TxId | null = null;
  #sets: readonly TermId[] = [];
  #curies = BUILT_IN;

  at(snapshot: StorageSnapshot): Curies {
    if (this.#tx === snapshot.tx) return this.#curies;
    const sets = STORED_SHAPES.ids(snapshot);
    if (sets.length !== this.#sets.length || sets.some((id, at) => id !== this.#sets[at])) {
      this.#curies = read(snapshot);
      this.#sets = sets;
    }
    this.#tx = snapshot.tx;
    return this.#curies;
  }
}

function read(snapshot: StorageSnapshot): Curies {
  const prefixes: Prefix[] = [];
  for (const set of STORED_SHAPES.all(snapshot)) {
    for (const [name, namespace] of Object.entries(set.prefixes)) {
      if ((NAMESPACES.get(name) ?? namespace) === namespace) prefixes.push({ name, namespace });
    }
  }
  if (prefixes.length === 0) return BUILT_IN;
  return { known: new CurieTable([...DECLARED_PREFIXES, ...prefixes]), loaded: new CurieTable(prefixes) };
}

const kept = new WeakMap<Store, KeptCuries>();

/** Those of the state that a snapshot of the store shows. */
export function curiesAt(store: Store, snapshot: StorageSnapshot): Curies {
  return getOrInsert(kept, store, () => new KeptCuries()).at(snapshot);
}

export type ExpandIri = (text: string) => string;

/** Most IRIs are no CURIEs, and nothing is read for them. */
const MAY_BE_CURIE = /^[A-Za-z][A-Za-z0-9+.-]*:(?!\/\/)/;

/** Writes CURIEs out by the state that the store has when the first of them is met. */
export function expanderOf(store: Store): ExpandIri {
  let table: CurieTable | null = null;
  return (text) => {
    if (!MAY_BE_CURIE.test(text)) return text;
    table ??= lookInto(store.snapshot(), ({ storage }) => curiesAt(store, storage).known);
    return table.expand(text);
  };
}

/** A value of a request with its CURIEs written out: where the schema says that an IRI stands. */
export function expandIris(node: SchemaNode, value: unknown, expand: ExpandIri): unknown {
  const marks = marksIris(node);
  if (marks === 'iri' && typeof value === 'string') return expand(value);
  if (marks === 'value') return isObject(value) ? replaced(value, ['iri', 'datatype'], expandText(expand)) : value;
  if (node.anyOf !== undefined) return node.anyOf.reduce((one, branch) => expandIris(branch, one, expand), value);
  if (Array.isArray(value)) {
    const { items } = node;
    if (items === undefined || !holdsIris(items)) return value;
    return value.map((entry) => expandIris(items, entry, expand));
  }
  if (!isObject(value) || node.properties === undefined) return value;
  const { properties } = node;
  const keys = Object.keys(properties).filter((key) => holdsIris(properties[key] as SchemaNode));
  return replaced(value, keys, (entry, key) => expandIris(properties[key] as SchemaNode, entry, expand));
}

const expandText = (expand: ExpandIri) => (entry: unknown) => (typeof entry === 'string' ? expand(entry) : entry);

/** The object itself where nothing of it changes. */
function replaced(
  value: Readonly<Record<string, unknown>>,
  keys: readonly string[],
  replace: (entry: unknown, key: string) => unknown,
): Readonly<Record<string, unknown>> {
  let copy: Record<string, unknown> | null = null;
  for (const key of keys) {
    if (!Object.hasOwn(value, key)) continue;
    const entry = replace(value[key], key);
    if (entry === value[key]) continue;
    copy ??= { ...value };
    copy[key] = entry;
  }
  return copy ?? value;
}

/** Whether the schema marks an IRI anywhere; found once for each schema. */
const found = new WeakMap<SchemaNode, boolean>();

export function holdsIris(node: SchemaNode): boolean {
  return getOrInsert(found, node, () => {
    const { items, properties = {}, anyOf = [] } = node;
    const children = [...(items === undefined ? [] : [items]), ...Object.values(properties), ...anyOf];
    return marksIris(node) !== undefined || children.some(holdsIris);
  });
}
