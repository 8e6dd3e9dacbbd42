/** Eclipse RDF4J with its native store (B-trees), asked by a small server of ours. From Maven Central. */
import { join } from 'node:path';
import { installJava, jarVersion, javaClassPath, serverFile } from './install.js';
import { type Peer, peerFolder } from './peer.js';

const VERSION = '5.1.3';
const folder = (): string => peerFolder('rdf4j');

const kinds = (['native', 'lmdb'] as const).map(
  (kind): Peer => ({
    name: `rdf4j-${kind}`,
    about: `Eclipse RDF4J, its ${kind === 'lmdb' ? 'LMDB' : 'native'} store, on disk`,
    transport: 'lines',
    inMemory: false,
    version: () => jarVersion(folder(), 'rdf4j-sail-nativerdf', 'Rdf4jLines'),
    setup: () =>
      installJava(folder(), serverFile('Rdf4jLines.java'), [
        ...['rdf4j-repository-sail', 'rdf4j-sail-nativerdf', 'rdf4j-sail-lmdb', 'rdf4j-queryparser-sparql'].map(
          rdf4jArtifact,
        ),
        ...['rdf4j-rio-ntriples', 'rdf4j-rio-nquads', 'rdf4j-queryresultio-sparqljson'].map(rdf4jArtifact),
        // The parsers bring an older core than the JSON of our server needs.
        ...['jackson-core', 'jackson-annotations', 'jackson-databind'].map(
          (name) => `com.fasterxml.jackson.core:${name}:2.17.2`,
        ),
        'org.slf4j:slf4j-nop:2.0.17',
      ]),
    serve: (place) => ({
      argv: [
        'java',
        '-Xmx6g',
        '-XX:+UseSerialGC',
        '-cp',
        javaClassPath(folder()),
        'Rdf4jLines',
        kind,
        join(place.folder, 'store'),
      ],
    }),
  }),
);

function rdf4jArtifact(name: string): string {
  return `org.eclipse.rdf4j:${name}:${VERSION}`;
}

export const [rdf4jNative, rdf4jLmdb] = kinds as [Peer, Peer];
