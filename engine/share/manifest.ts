/**
 * The manifest of a share bundle, version v1 (semantics text 6.4 and 6.5), and the id that follows from it: SHA-256 over
 * its canonical JSON without `share_id`. The id binds the hashes of the files, the scope and the lineage. Nothing in it
 * can change without a change of the graph. Fields that v1 does not know are kept, and the id covers them.
 */

import { createHash } from 'node:crypto';
import { SvcError, showValue } from '../base/errors.js';
import { isObject } from '../base/objects.js';
import { canonicalJson } from './canonical-json.js';
import { parseStrictJson } from './strict-json.js';

export { canonicalJson } from './canonical-json.js';

export const MANIFEST_VERSION = 'v1';
export const CANONICALIZATION = 'rdfc-1.0+ntriples';
export const GENERATOR = 'svc-share/1';

/** The files that a manifest vouches for. */
export const PAYLOAD_FILES = ['export.nt', 'shapes.ttl'] as const;
export type PayloadFile = (typeof PAYLOAD_FILES)[number];

export const SCOPE_KINDS = ['root', 'graph', 'group', 'construct'] as const;
export type ShareScopeKind = (typeof SCOPE_KINDS)[number];

/** What was shared: an IRI, a group id or a query; null for ROOT. */
export interface ShareScope {
  readonly kind: ShareScopeKind;
  readonly value: string | null;
}

export interface SharedFile {
  /** Hex digits. */
  readonly sha256: string;
  readonly bytes: number;
}

export interface ShareLineage {
  /** `urn:svc:store:<uuid>` */
  readonly store: string;
  /** The greatest transaction of the open rows in scope; 0 = none; null for a construct. */
  readonly anchor_tx: number | null;
  readonly parent_share: string | null;
}

/** A manifest without its id. */
export interface ManifestFields {
  readonly version: typeof MANIFEST_VERSION;
  readonly scope: ShareScope;
  readonly files: Readonly<Record<PayloadFile, SharedFile>>;
  readonly counts: { readonly triples: number; readonly blank_nodes: number; readonly shapes: number };
  /** Names of the shape sets, sorted. */
  readonly shapes: readonly string[];
  readonly lineage: ShareLineage;
  readonly canonicalization: string;
  readonly generator: string;
  /** Fields of later writers. */
  readonly [more: string]: unknown;
}

export interface ShareManifest extends ManifestFields {
  /** `sha256:` and 64 hex digits; `shareIdOf` says whether it is the right one. */
  readonly share_id: string;
}

/** Names of shape sets and one query are all that can grow. */
const CHARACTERS_MAX = 4 * 1024 * 1024;
const DEPTH_MAX = 64;

const SHARE_ID = /^sha256:[0-9a-f]{64}$/;
const HASH = /^[0-9a-f]{64}$/;
const STORE = /^urn:svc:store:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function isShareId(text: string): boolean {
  return SHARE_ID.test(text);
}

/** The id that the manifest must have; any `share_id` in it does not count. */
export function shareIdOf(manifest: ManifestFields): string {
  const { share_id: _, ...fields } = manifest;
  return `sha256:${createHash('sha256').update(canonicalJson(fields), 'utf8').digest('hex')}`;
}

/** With its id. */
export function finishManifest(fields: ManifestFields): ShareManifest {
  return { ...fields, share_id: shareIdOf(fields) };
}

/** The text of `manifest.json`. */
export function writeManifest(manifest: ShareManifest): string {
  return `${canonicalJson(manifest)}\n`;
}

/** Checks version and types of all fields; whether the id is that of the fields is `shareIdOf`'s to say. */
export function parseManifest(text: string): ShareManifest {
  const bounds = { name: 'manifest.json', charactersMax: CHARACTERS_MAX, depthMax: DEPTH_MAX };
  return checkManifest(parseStrictJson(text, bounds));
}

/** The same for a manifest that came as a JSON value. */
export function checkManifest(value: unknown): ShareManifest {
  const manifest = objectAt(value, 'the manifest');
  expect(manifest.version === MANIFEST_VERSION, 'version', manifest.version, `"${MANIFEST_VERSION}"`);
  expect(isText(manifest.share_id, SHARE_ID), 'share_id', manifest.share_id, '"sha256:<64 hex digits>"');
  checkScope(objectAt(manifest.scope, 'scope'));
  const files = objectAt(manifest.files, 'files');
  const names = Object.keys(files).sort();
  expect(names.join() === PAYLOAD_FILES.join(), 'files', names, `exactly ${PAYLOAD_FILES.join(' and ')}`);
  for (const name of PAYLOAD_FILES) checkFile(objectAt(files[name], `files["${name}"]`), `files["${name}"]`);
  const counts = objectAt(manifest.counts, 'counts');
  for (const name of ['triples', 'blank_nodes', 'shapes']) checkCount(counts[name], `counts.${name}`);
  checkShapes(manifest.shapes, counts.shapes as number);
  checkLineage(objectAt(manifest.lineage, 'lineage'));
  const { canonicalization, generator } = manifest;
  expect(canonicalization === CANONICALIZATION, 'canonicalization', canonicalization, `"${CANONICALIZATION}"`);
  expect(isText(generator, /^[^\0]{1,200}$/), 'generator', generator, 'a text');
  checkDepth(manifest, DEPTH_MAX);
  return manifest as ShareManifest;
}

function checkScope({ kind, value }: Readonly<Record<string, unknown>>): void {
  expect(
    SCOPE_KINDS.some((known) => known === kind),
    'scope.kind',
    kind,
    `one of ${SCOPE_KINDS.join(', ')}`,
  );
  if (kind === 'root') expect(value === null, 'scope.value', value, 'null for root');
  else expect(typeof value === 'string' && value !== '', 'scope.value', value, 'a text that is not empty');
}

function checkFile({ sha256, bytes }: Readonly<Record<string, unknown>>, where: string): void {
  expect(isText(sha256, HASH), `${where}.sha256`, sha256, '64 lower-case hex digits');
  checkCount(bytes, `${where}.bytes`);
}

function checkShapes(shapes: unknown, count: number): void {
  const isList = Array.isArray(shapes) && shapes.every((name) => typeof name === 'string' && name !== '');
  expect(isList, 'shapes', shapes, 'a list of names');
  const names = shapes as string[];
  expect(names.length === count, 'counts.shapes', count, `${names.length}, as many as 'shapes' names`);
  expect(new Set(names).size === count, 'shapes', names, 'names that differ');
}

function checkLineage({ store, anchor_tx: anchor, parent_share: parent }: Readonly<Record<string, unknown>>): void {
  expect(isText(store, STORE), 'lineage.store', store, '"urn:svc:store:<uuid>"');
  if (anchor !== null) checkCount(anchor, 'lineage.anchor_tx');
  expect(
    parent === null || isText(parent, SHARE_ID),
    'lineage.parent_share',
    parent,
    'null or "sha256:<64 hex digits>"',
  );
}

function checkCount(value: unknown, where: string): void {
  expect(Number.isSafeInteger(value) && (value as number) >= 0, where, value, 'an integer of 0 or more');
}

/** Of a manifest that came as a value, whose text nobody has looked at. */
function checkDepth(value: unknown, left: number): void {
  if (typeof value !== 'object' || value === null) return;
  expect(left > 0, 'the manifest', '...', `nesting of at most ${DEPTH_MAX}`);
  for (const member of Object.values(value)) checkDepth(member, left - 1);
}

function objectAt(value: unknown, where: string): Readonly<Record<string, unknown>> {
  if (isObject(value)) return value;
  throw refusal(where, value, 'an object');
}

function isText(value: unknown, form: RegExp): boolean {
  return typeof value === 'string' && form.test(value);
}

function expect(holds: boolean, where: string, value: unknown, expected: string): void {
  if (!holds) throw refusal(where, value, expected);
}

function refusal(where: string, value: unknown, expected: string): SvcError {
  const found = value === undefined ? 'is missing' : `is ${showValue(value)}`;
  return new SvcError('invalid_request', `the share manifest is not valid: ${where} ${found}; expected ${expected}`);
}
