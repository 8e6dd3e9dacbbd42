/**
 * The plan fuzzer: random queries over random worlds, asked of this store and of a peer, in search of plans that fall off a
 * cliff. Queries follow from the seed and their number, so that each can be asked again alone.
 */
import { SvcError } from '../../engine/base/errors.js';
import { addTo } from '../../engine/base/maps.js';
import { Random } from '../data/random.js';
import { scratchPath } from '../harness/scratch.js';
import { svc } from '../peers/svc.js';
import { provideData, sizesOf } from '../sparql/data.js';
import { placeOf, Session } from '../sparql/session.js';
import { drawWorld } from './drawn-world.js';
import { type Duel, Duellists } from './duel.js';
import { type Finding, FindingFolder, type Progress } from './folder.js';
import { type PlanFuzzOptions, parsePlanFuzzOptions } from './options.js';
import { randomQuery } from './queries.js';
import { reduce, textOf } from './reduce.js';
import { reportFindings, showDuel } from './report.js';
import { featuresOf, type Tree } from './tree.js';
import { makeWorld, type World, writeWorld } from './world.js';

const QUERY_SEED_STEP = 1_000_003;
const WORLD_SEED_STEP = 7919;
/** What a process does before the first query counts. */
const WARM_UP = 'SELECT * { ?s ?p ?o . ?o ?q ?r } LIMIT 10';
const WARM_UP_LIMIT_MS = 120_000;
/** Ratios of less are those of round trips. */
const COMPARED_MS_MIN = 0.5;

const say = (line: string): void => console.error(line);

export async function runPlanFuzz(args: readonly string[]): Promise<void> {
  const options = parsePlanFuzzOptions(args);
  const folder = new FindingFolder(options.out);
  if (!options.report && options.peer.version() === null) {
    throw new SvcError('configuration', `${options.peer.name} is not installed`, {
      hint: `npm run bench -- setup --peers ${options.peer.name}`,
    });
  }
  if (options.only !== null) await askOne(options, options.only);
  else if (options.again) await askAgain(options, folder);
  else {
    if (!options.report) await askAll(options, folder);
    reportFindings(folder);
  }
}

/** A world in both stores. */
class Arena {
  readonly duellists: Duellists;
  private constructor(
    readonly world: World,
    readonly triples: number,
    private readonly sessions: readonly [Session, Session],
    limitMs: number,
  ) {
    this.duellists = new Duellists(...sessions, limitMs);
  }

  static async open(options: PlanFuzzOptions, number: number): Promise<Arena> {
    const folder = scratchPath(`world-${number}`);
    const { world, path, quads, triples } = await provideWorld(options, number, folder);
    const [ours, theirs] = [svc, options.peer].map(
      (one) => new Session(one, placeOf(folder, one, { path, quads }), null),
    ) as [Session, Session];
    for (const session of [ours, theirs]) {
      await session.load();
      await session.query(WARM_UP, 'SELECT', WARM_UP_LIMIT_MS);
    }
    return new Arena(world, triples, [ours, theirs], options.limitMs);
  }

  async close(): Promise<void> {
    for (const session of this.sessions) {
      await session.close();
      session.remove();
    }
  }
}

interface Provided {
  readonly world: World;
  readonly path: string;
  readonly quads: boolean;
  readonly triples: number;
}

async function provideWorld(
  { seed, triples, data, size }: PlanFuzzOptions,
  number: number,
  folder: string,
): Promise<Provided> {
  const worldSeed = seed * WORLD_SEED_STEP + number;
  if (data === null) {
    const world = makeWorld(worldSeed, triples);
    const path = `${folder}.nt`;
    return { world, path, quads: false, triples: writeWorld(world, path) };
  }
  const provided = await provideData(data, sizesOf(data, [size])[0] as string, say);
  if (provided === null) throw new SvcError('configuration', `the data set ${data} is not there`);
  return { ...(await drawWorld(provided, worldSeed)), path: provided.path, quads: provided.quads };
}

function queryOf({ seed }: PlanFuzzOptions, number: number, world: World): Tree {
  return randomQuery(new Random(seed * QUERY_SEED_STEP + number), world);
}

async function askAll(options: PlanFuzzOptions, folder: FindingFolder): Promise<void> {
  let progress = folder.progress();
  while (progress.next < options.count) {
    const number = Math.floor(progress.next / options.perWorld);
    const end = Math.min(options.count, (number + 1) * options.perWorld);
    const arena = await Arena.open(options, number);
    say(`world ${number}: ${arena.triples} triples, queries ${progress.next} to ${end - 1}`);
    try {
      for (let at = progress.next; at < end; at++) {
        const query = queryOf(options, at, arena.world);
        const duel = await arena.duellists.fight(textOf(query));
        progress = counted(progress, duel, at);
        if (/^(cliff|different|failed)$/.test(duel.verdict)) {
          const found = await findingOf(options, arena, at, query, duel);
          folder.add(found);
          say(`${duel.verdict} ${at}: ${showDuel(found.reducedDuel)}\n  ${found.reduced.replace(/^PREFIX.*\n/, '')}`);
        }
        folder.writeProgress(progress);
      }
    } finally {
      await arena.close();
    }
  }
}

async function findingOf(
  { seed, perWorld }: PlanFuzzOptions,
  arena: Arena,
  number: number,
  query: Tree,
  duel: Duel,
): Promise<Finding> {
  const reduced = await reduce(query, duel, arena.duellists);
  return {
    seed,
    number,
    world: Math.floor(number / perWorld),
    triples: arena.triples,
    text: textOf(query),
    duel,
    reduced: textOf(reduced.query),
    reducedDuel: reduced.duel,
    features: [...featuresOf(reduced.query)].sort(),
  };
}

function counted(progress: Progress, duel: Duel, at: number): Progress {
  const { verdict, oursMs, theirsMs } = duel;
  const isCompared = oursMs !== null && theirsMs !== null && Math.max(oursMs, theirsMs) >= COMPARED_MS_MIN;
  return {
    next: at + 1,
    verdicts: { ...progress.verdicts, [verdict]: (progress.verdicts[verdict] ?? 0) + 1 },
    logRatios: progress.logRatios + (isCompared ? Math.log(theirsMs / oursMs) : 0),
    compared: progress.compared + (isCompared ? 1 : 0),
  };
}

async function askOne(options: PlanFuzzOptions, number: number): Promise<void> {
  const arena = await Arena.open(options, Math.floor(number / options.perWorld));
  try {
    const text = textOf(queryOf(options, number, arena.world));
    console.log(text);
    console.log(showDuel(await arena.duellists.fight(text)));
  } finally {
    await arena.close();
  }
}

/** What was found before, as it was reduced. */
async function askAgain(options: PlanFuzzOptions, folder: FindingFolder): Promise<void> {
  const worlds = new Map<number, Finding[]>();
  for (const finding of folder.findings()) addTo(worlds, finding.world, finding);
  for (const [number, findings] of [...worlds].sort(([a], [b]) => a - b)) {
    const arena = await Arena.open(options, number);
    try {
      for (const { number: at, reduced, reducedDuel } of findings) {
        const now = await arena.duellists.fight(reduced);
        const text = reduced.replace(/^PREFIX.*\n/, '');
        console.log(`${at}: ${showDuel(reducedDuel)} -> ${showDuel(now)}\n  ${text}`);
      }
    } finally {
      await arena.close();
    }
  }
}
