/**
 * The files of the web UI as the build has left them: what is under `assets` has a hash in its name and is kept by browsers
 * for ever; scripts that other pages name are asked for again each time, and answered by 304 where nothing has changed.
 * Each is read when it is first asked for, with the copies that were compressed when it was built.
 */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { extname } from 'node:path';
import { codingOf } from '../answers/coded-answer.js';
import { Refusal } from '../answers/refusal.js';

const FOLDER = new URL('../../../ui/', import.meta.url);
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

export interface UiManifest {
  /** A name under `assets`, as those below. */
  readonly page: string;
  /** The text of the style sheet. */
  readonly style: string;
  readonly preload: readonly string[];
  /** What the first view needs besides. */
  readonly home: readonly string[];
  readonly assets: readonly string[];
}

interface UiFile {
  readonly etag: string;
  readonly mediaType: string;
  readonly plain: Buffer;
  readonly br: Buffer | null;
  readonly gzip: Buffer | null;
}

let manifest: UiManifest | null = null;
const files = new Map<string, UiFile>();

export function uiManifest(): UiManifest {
  manifest ??= JSON.parse(readFileSync(new URL('manifest.json', FOLDER), 'utf8')) as UiManifest;
  return manifest;
}

/** `path`: in the folder, of the manifest and no other. */
function fileAt(path: string): UiFile {
  const known = files.get(path);
  if (known !== undefined) return known;
  const read = (ending: string) => readFileSync(new URL(path + ending, FOLDER));
  const plain = read('');
  const isCoded = path.startsWith('assets/');
  const file: UiFile = {
    etag: `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`,
    mediaType: MEDIA_TYPES[extname(path)] ?? 'application/octet-stream',
    plain,
    br: isCoded ? read('.br') : null,
    gzip: isCoded ? read('.gz') : null,
  };
  files.set(path, file);
  return file;
}

function answer(path: string, { headers }: IncomingMessage) {
  const { etag, mediaType, plain, br, gzip } = fileAt(path);
  const told = {
    ETag: etag,
    'Cache-Control': path.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'public, no-cache',
    'Content-Security-Policy': "default-src 'none'; connect-src 'self'",
    Vary: 'Accept-Encoding',
  };
  const held = (headers['if-none-match'] ?? '').split(',').map((one) => one.trim().replace(/^W\//, ''));
  if (held.includes(etag)) return { status: 304, mediaType, body: '', headers: told, coding: null };
  const coding = codingOf(headers);
  const coded = coding === 'br' ? br : coding === 'gzip' ? gzip : null;
  return { mediaType, body: coded ?? plain, headers: told, coding: coded === null ? null : coding };
}

/** What /assets/{name} answers. `path`: as the client asked for it, without parameters. */
export function assetAnswer(path: string, message: IncomingMessage) {
  const name = path.slice('/assets/'.length);
  if (!uiManifest().assets.includes(name)) {
    throw new Refusal('not_found', `there is no file ${path.slice(0, 200)}: the page is of another version of svc`, {
      fields: { hint: 'load the page again' },
    });
  }
  return answer(`assets/${name}`, message);
}

/** What a script of the root answers. */
export function scriptAnswer(name: string, message: IncomingMessage) {
  return answer(name, message);
}
