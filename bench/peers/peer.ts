/**
 * What the benchmark of queries knows of a store: how it is started, how it is asked, how it takes its data. One file a
 * peer, listed in `all.ts`; `setup.ts` installs them into a folder outside the checkout.
 */
import { join } from 'node:path';
import { benchFolder } from '../data/data-set.js';

/** A process: program and arguments, and what its environment has besides ours. */
export interface Command {
  readonly argv: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

/** Where a peer keeps the store of one data set. */
export interface Place {
  readonly folder: string;
  /** The document with the data: N-Triples, or N-Quads where it has named graphs. */
  readonly file: string;
  readonly quads: boolean;
}

export interface Peer {
  readonly name: string;
  /** What exactly is measured, for the tables. */
  readonly about: string;
  /** `lines`: one JSON object a line on standard input and output; otherwise the address of a SPARQL endpoint. */
  readonly transport: 'lines' | HttpEndpoint;
  /** Holds its data in memory: it is loaded again after every start. */
  readonly inMemory: boolean;
  /** What is installed; null = it is not there. */
  version(): string | null;
  /** Writes what the process needs to find in its folder. */
  prepare?(place: Place): void;
  /** Loads before the process starts. */
  loadApart?(place: Place): Command;
  serve(place: Place): Command;
  /** Loads into the running server; absent = a `load` over the line protocol. */
  loadRunning?(place: Place): Command;
  /** Ends the server in its own way. */
  stop?(place: Place): Command;
  /** Installs it; absent = there is nothing that we could install. */
  setup?(): void;
}

export interface HttpEndpoint {
  url(place: Place): string;
  /** Several small writes a response and delayed acknowledgements make warm connections slower than new ones. */
  readonly keepAlive: boolean;
}

/** Where a peer is installed. */
export function peerFolder(name: string): string {
  return join(benchFolder(), 'peers', name);
}
