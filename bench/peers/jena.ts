/** Apache Jena with TDB2: loaded by its own bulk loader, asked by a small server of ours. From Maven Central. */
import { join } from 'node:path';
import { installJava, jarVersion, javaClassPath, serverFile } from './install.js';
import { type Peer, peerFolder } from './peer.js';

const VERSION = '5.5.0';
const folder = (): string => peerFolder('jena');

export const jena: Peer = {
  name: 'jena-tdb2',
  about: 'Apache Jena TDB2, on disk',
  transport: 'lines',
  inMemory: false,
  version: () => jarVersion(folder(), 'jena-tdb2', 'JenaLines'),
  setup: () =>
    installJava(folder(), serverFile('JenaLines.java'), [
      `org.apache.jena:jena-tdb2:${VERSION}`,
      `org.apache.jena:jena-cmds:${VERSION}`,
      'org.slf4j:slf4j-nop:2.0.17',
    ]),
  loadApart: (place) => ({
    argv: [...java(), 'tdb2.tdbloader', '--loader=phased', '--loc', join(place.folder, 'tdb2'), place.file],
  }),
  serve: (place) => ({ argv: [...java(), 'JenaLines', join(place.folder, 'tdb2')] }),
};

const java = (): readonly string[] => ['java', '-Xmx6g', '-XX:+UseSerialGC', '-cp', javaClassPath(folder())];
