/**
 * A process that takes shares in, to be killed: each of a list of bundles is imported and promoted, and one that follows it is
 * merged. Says what it begins.
 */
import { openStore } from '../../interfaces/library/index.js';

const [path = '', ...bundles] = process.argv.slice(2);
const say = (text: string) => process.stdout.write(`${text}\n`);

const store = await openStore(path);
let step = 0;
const begin = () => say(`step ${step++} `);
for (const bundle of bundles) {
  begin();
  const { shareId } = await store.importShare(bundle);
  begin();
  await store.promoteShare(shareId);
  begin();
  await store.mergeShare(`${bundle}-next`);
}
say('done');
setInterval(() => undefined, 1000);
