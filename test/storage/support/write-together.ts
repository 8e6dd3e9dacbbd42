/** Writes pairs of transactions, by stages and by loads that others join, until it is killed: `path seed`. */

import { terms } from '../../../engine/rdf/terms.js';
import { openLmdbEngine } from '../../../engine/storage/lmdb-store/open.js';
import { node, quad, randomNumbers, sourcesOf } from '../scan-support.js';
import { WORDS } from './word-index.js';

const [path, seed] = process.argv.slice(2) as [string, string];
const next = randomNumbers(Number(seed));
const engine = await openLmdbEngine(path, { indexes: [WORDS], bounds: { foldRows: 40 } });
console.log('opened');
for (let round = engine.transactions().length / 2; ; round++) {
  const own = quad(node(`s${round}`), node('says'), terms.literal(`red ${'green '.repeat(next(3))}`));
  const stage = next(4) === 0 ? await engine.stageLoad(sourcesOf([own]), {}, {}) : engine.stage({});
  if (stage.loaded === null) stage.assert([own]);
  stage.begin({ source: 'derived' });
  stage.assert([quad(node(`s${round}`), node('derived'), terms.literal('blue'))]);
  await stage.commit().durable;
  console.log(`acknowledged ${round + 1}`);
}
