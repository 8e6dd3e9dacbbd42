/** The address that a server would listen on: whether somebody does, whether it is svc, and of which store. */

import { request } from 'node:http';
import { connect } from 'node:net';
import { basename } from 'node:path';
import { JoinedSignal } from '../../../engine/base/joined-signal.js';
import type { Configuration } from '../../../engine/service/configuration/configuration.js';
import { type Address, showAddress } from '../../../engine/service/configuration/network.js';
import type { StoreInspection } from '../../../engine/storage/admin/inspect.js';
import { addressOf } from '../../http/guard/protection.js';
import { type Finding, findingsOf } from './finding.js';

const { ok, warning } = findingsOf('server');

const TIMEOUT_MS = 3_000;
/** Answers, and refusals for want of a token. */
const TELLING: ReadonlySet<number> = new Set([200, 401]);
/** The answers that are read are short. */
const ANSWER_BYTES_MAX = 64 * 1024;

/** Where a server that listens everywhere is reached from here. */
function reachable({ host, port }: Address): Address {
  if (host === '0.0.0.0') return { host: '127.0.0.1', port };
  return host === '::' ? { host: '::1', port } : { host, port };
}

function listens({ host, port }: Address): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: TIMEOUT_MS });
    const end = (found: boolean) => {
      socket.destroy();
      resolve(found);
    };
    socket.once('connect', () => end(true));
    socket.once('timeout', () => end(false));
    socket.once('error', () => end(false));
  });
}

/** The JSON object at a path; null when there is none, for whatever reason. */
function getObject({ host, port }: Address, path: string): Promise<Record<string, unknown> | null> {
  const stop = new JoinedSignal([], TIMEOUT_MS);
  return new Promise((resolve) => {
    const asked = request({ host, port, path, signal: stop.signal, agent: false }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (piece: string) => {
        text += piece;
        if (text.length > ANSWER_BYTES_MAX) asked.destroy();
      });
      answer.once('end', () => resolve(TELLING.has(answer.statusCode ?? 0) ? objectOf(text) : null));
      answer.once('error', () => resolve(null));
    });
    asked.once('error', () => resolve(null));
    asked.once('close', () => {
      stop.end();
      resolve(null);
    });
    asked.end();
  });
}

function objectOf(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}

/** By the name of its file and its last transaction: a server does not tell in which folder it lies. */
function judgeSame(stats: Record<string, unknown> | null, path: string, inspection: StoreInspection | null): Finding {
  if (stats === null) return warning('store', 'the server did not say in time which store it has', 'try again later');
  const last = (stats.last_transaction as { tx_id?: unknown } | null)?.tx_id ?? 0;
  const theirs = `${stats.store} at tx ${last}`;
  if (inspection !== null && basename(String(stats.store)) === basename(path) && last === inspection.lastTx) {
    return ok('store', `the server has ${theirs}, as this one is`);
  }
  const ours = inspection === null ? 'none' : `${basename(path)} at tx ${inspection.lastTx}`;
  return warning(
    'store',
    `the server has ${theirs}; looked at here: ${ours}`,
    'if that is not meant: name the store with --db or store_path',
  );
}

export async function examineServer(
  configuration: Configuration,
  version: string,
  path: string,
  inspection: StoreInspection | null,
): Promise<Finding[]> {
  const address = reachable(addressOf(configuration));
  const name = showAddress(address);
  if (address.port === 0) return [ok('port', 'any free one: none to look at')];
  if (!(await listens(address))) return [ok('port', `nobody listens at ${name}: free for svc serve`)];
  const answered = await getObject(address, '/version');
  // The token of the configuration is not sent: nobody knows yet who listens there.
  if (answered?.reason === 'missing_or_invalid_bearer_token') {
    return [ok('port', `svc listens at ${name}, and tells nothing without its token`)];
  }
  if (typeof answered?.version !== 'string' || typeof answered.features !== 'object') {
    const advice = 'choose another port with server.bind or --bind: svc serve can not have this one';
    return [warning('port', `something else than svc listens at ${name}`, advice)];
  }
  const other = answered.version !== version;
  const found = `svc ${answered.version} listens at ${name}`;
  return [
    other
      ? warning('port', `${found}; this is ${version}`, 'start it anew if it was meant to be updated')
      : ok('port', found),
    judgeSame(await getObject(address, '/stats'), path, inspection),
  ];
}
