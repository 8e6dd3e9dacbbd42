/**
 * The hash of what an episode says (wire shapes, 6.4): equal for payloads that write the same, whatever the order of nodes
 * and edges. Marks of the lines that stand in a text are escaped by a backslash, so that two different payloads never have
 * the same lines.
 */

import { createHash } from 'node:crypto';
import { compareCodePoints } from '../../base/text.js';
import type { EpisodeEdge, EpisodeNode } from './episode.js';

const HASH_DIGITS = 32;

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '|': '\\|', ',': '\\,', '=': '\\=' };

function escaped(text: string | null | undefined, marks: RegExp): string {
  return (text ?? '').replace(marks, (mark) => ESCAPES[mark] as string);
}

const WHOLE_LINE = /[\\\n]/g;
const PART = /[\\\n|]/g;
const LIST_ENTRY = /[\\\n|,=]/g;

export interface HashedHead {
  readonly name: string;
  readonly replaceSnapshot: boolean;
  readonly body: string | null;
  readonly source: string | null;
  readonly groupId: string | null;
  readonly graph: string | null;
}

export function contentHash(episode: HashedHead, nodes: readonly EpisodeNode[], edges: readonly EpisodeEdge[]): string {
  const { name, replaceSnapshot, body, source, groupId, graph } = episode;
  const lines = [
    `name=${escaped(name, WHOLE_LINE)}`,
    `replace_snapshot=${replaceSnapshot}`,
    `body=${escaped(body, WHOLE_LINE)}`,
    `source=${escaped(source, WHOLE_LINE)}`,
    `group=${escaped(groupId, WHOLE_LINE)}`,
    `graph=${graph ?? ''}`,
    ...nodes.map(nodeLine).sort(compareCodePoints),
    ...edges.map(edgeLine).sort(compareCodePoints),
  ];
  return createHash('sha256').update(lines.join('\n'), 'utf8').digest('hex').slice(0, HASH_DIGITS);
}

function nodeLine({ name, type, description, properties, distinctFrom }: EpisodeNode): string {
  const values = Object.entries(properties ?? {})
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([key, value]) => `${escaped(key, LIST_ENTRY)}=${valueText(value)}`)
    .sort(compareCodePoints)
    .join(',');
  const distinct = [...(distinctFrom ?? [])].map((iri) => escaped(iri, LIST_ENTRY)).sort(compareCodePoints);
  const parts = [escaped(name, PART), escaped(type, PART), escaped(description, PART), values, distinct.join(',')];
  return `node:${parts.join('|')}`;
}

/** As JSON has it, integers of any length with all their digits. */
function valueText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(valueText).join(',')}]`;
  return typeof value === 'bigint' ? String(value) : (JSON.stringify(value) ?? 'null');
}

function edgeLine({ source, relation, target, confidence }: EpisodeEdge): string {
  const stated = confidence === undefined || confidence === null ? '' : JSON.stringify(confidence);
  return `edge:${escaped(source, PART)}|${escaped(relation, PART)}|${escaped(target, PART)}|${stated}`;
}
