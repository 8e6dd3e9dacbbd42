/** Virtuoso 7 as Debian has it, over HTTP: its own server, its own way to load. Plans are cached by text. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SvcError } from '../../engine/base/errors.js';
import { output } from './install.js';
import type { HttpEndpoint, Peer, Place } from './peer.js';

const SQL_PORT = 21111;
const HTTP_PORT = 28890;
const GRAPH = 'http://bench/';
/** Of 8 KiB: 2.7 GiB. */
const BUFFERS = 340_000;

const endpoint: HttpEndpoint = {
  // A default graph in the address would hide all named graphs.
  url: ({ quads }) =>
    `http://127.0.0.1:${HTTP_PORT}/sparql${quads ? '' : `?default-graph-uri=${encodeURIComponent(GRAPH)}`}`,
  keepAlive: false,
};

const isql = (statements: string): readonly string[] => [
  'isql-vt',
  `127.0.0.1:${SQL_PORT}`,
  'dba',
  'dba',
  `exec=${statements}`,
];

export const VIRTUOSO_ORIGIN = `http://127.0.0.1:${HTTP_PORT}`;
export const VIRTUOSO_GRAPH = GRAPH;

export const virtuoso: Peer = {
  name: 'virtuoso',
  about: 'Debian virtuoso-opensource-7, HTTP, a new connection a query',
  transport: endpoint,
  inMemory: false,
  version: () =>
    /Version (\S+)/.exec(
      output(['virtuoso-t', '-?']) ?? output(['sh', '-c', 'virtuoso-t -? 2>&1 || true']) ?? '',
    )?.[1] ?? null,
  prepare: (place) => writeFileSync(join(place.folder, 'virtuoso.ini'), settings(place)),
  serve: ({ folder }) => ({ argv: ['virtuoso-t', '+configfile', join(folder, 'virtuoso.ini'), '+foreground'] }),
  loadRunning: ({ file }) => ({
    argv: isql(
      `ld_dir('${dirname(file)}', '${file.slice(dirname(file).length + 1)}', '${GRAPH}'); rdf_loader_run(); checkpoint;`,
    ),
  }),
  stop: () => ({ argv: isql('shutdown;') }),
};

/** The same with so many connections at once; each keeps a thread as long as it is open. */
export function virtuosoServing(threads: number): Peer {
  return {
    ...virtuoso,
    prepare: (place) => writeFileSync(join(place.folder, 'virtuoso.ini'), settings(place, threads)),
  };
}

/** Lets whoever asks over HTTP write. */
export function grantUpdates(): void {
  const [program, ...args] = isql(
    'grant SPARQL_UPDATE to "SPARQL"; DB.DBA.RDF_DEFAULT_USER_PERMS_SET (\'nobody\', 7);',
  );
  const done = spawnSync(program as string, args, { encoding: 'utf8' });
  if (done.status !== 0) throw new SvcError('service_failed', `isql-vt: ${done.stderr}`);
}

function settings({ folder, file }: Place, httpThreads = 4): string {
  const path = (name: string): string => join(folder, name);
  return `[Database]
DatabaseFile=${path('virtuoso.db')}
ErrorLogFile=${path('virtuoso.log')}
LockFile=${path('virtuoso.lck')}
TransactionFile=${path('virtuoso.trx')}
xa_persistent_file=${path('virtuoso.pxa')}
[TempDatabase]
DatabaseFile=${path('temp.db')}
TransactionFile=${path('temp.trx')}
[Parameters]
ServerPort=127.0.0.1:${SQL_PORT}
DirsAllowed=${dirname(file)}
NumberOfBuffers=${BUFFERS}
MaxDirtyBuffers=${Math.round(BUFFERS * 0.75)}
ServerThreads=${httpThreads + 4}
CheckpointInterval=0
MaxQueryMem=4G
[HTTPServer]
ServerPort=127.0.0.1:${HTTP_PORT}
ServerThreads=${httpThreads}
[SPARQL]
ResultSetMaxRows=20000000
MaxSortedTopRows=20000000
DefaultGraph=${GRAPH}
`;
}
