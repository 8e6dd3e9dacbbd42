/** The translators, by the operation whose requests they read. */

import { translateGraphRead, translateGraphWrite } from './graph-store.js';
import { translateEntity, translatePreview, translateVoid } from './linked-data.js';
import { translateReconcile } from './reconcile.js';
import { translateQuery, translateUpdate } from './sparql.js';
import type { Translator } from './translator.js';

export const TRANSLATORS: Readonly<Record<string, Translator>> = {
  read: translateQuery,
  update: translateUpdate,
  graph_read: translateGraphRead,
  graph_replace: translateGraphWrite,
  graph_merge: translateGraphWrite,
  graph_delete: translateGraphWrite,
  entity: translateEntity,
  preview: translatePreview,
  reconcile: translateReconcile,
  void: translateVoid,
};
