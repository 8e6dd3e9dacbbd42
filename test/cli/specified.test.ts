/** Every command of the specification with its options (wire shapes, 21), and every route that its texts name. No exceptions. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { wholeProgram } from '../../interfaces/cli/program.js';
import { OPERATION_ROUTES, SERVER_ROUTES } from '../../interfaces/http/routes.js';
import { SHARED_ABSENT, sharedFolder } from '../shared.js';

/** By command; `pack --version` is read as `--pack-version`, since elsewhere it tells the version of the program. */
const COMMANDS: Readonly<Record<string, string>> = {
  knot: 'shapes timestamp valid-from graph actor source snapshot replace-snapshot blank-node-scope',
  load: 'shapes timestamp valid-from graph actor source snapshot replace-snapshot blank-node-scope',
  read: 'valid-at tx fork graph',
  query: 'valid-at tx fork graph',
  repl: '',
  cord: 'type predicate limit',
  unravel: 'tx valid-at',
  stats: '',
  episode: 'base-ns timestamp',
  retract: 'predicate value timestamp',
  set: 'timestamp actor',
  impact: 'remove hops predicate',
  project: 'algorithm type predicate graph limit seed damping max-iters tolerance from to persist',
  report: 'hubs surprises questions type predicate',
  reason: 'rules reactive graph prefix',
  'shapes load': '',
  'shapes list': '',
  'shapes remove': '',
  'shapes get': '',
  'ontology load': '',
  'ontology list': '',
  'ontology remove': '',
  validate: 'shapes data',
  export: 'graph format group-id construct',
  search: 'limit type group',
  'policy draft': 'exemplar name label targets claim class point layer authority out',
  'policy backtest': 'last-txs from-tx to-tx',
  'path cone': 'via hops json',
  'path backtest': 'omit json',
  'path draft': 'name label via omit by dead-end',
  'propose list': 'status',
  'propose submit': 'proposer rationale trigger',
  'propose accept': 'note by',
  'propose reject': 'note by',
  'events refusals': '',
  'events tail': 'since types group follow',
  fork: 'name timestamp',
  'fork list': '',
  'fork diff': '',
  'fork drop': 'timestamp',
  'fork promote': 'timestamp',
  'graph freeze': 'out-dir timestamp actor',
  'graph thaw': 'timestamp actor',
  'graph list': 'kind lifecycle',
  'graph import': 'as',
  pack: 'out name pack-version shapes queries with-vectors format verify',
  unpack: 'into',
  share: 'output graph group-id construct shapes no-shapes parent turtle-view identifier-policy',
  import: 'source actor recheck',
  'import promote': 'actor',
  status: '',
  merge: 'decisions',
  'audit trace': 'json',
  'audit inventory': 'json',
  'audit inheritance': 'json',
  'audit replay': 'json',
  'audit tree': 'json',
  'audit namespace': 'json',
  doctor: '',
  'migrate-vectors': 'from to dry-run',
  mcp: 'token-file',
  serve: 'db bind embed-backfill mcp-stdio mcp-token-file config insecure',
};
/** Of every command: what works on a store of this machine, or against a server, and on whose behalf (R53). */
const EVERYWHERE = ['db', 'config', 'url', 'token', 'token-file', 'principal-chain'];

test('every command of the specification is there, with its options', () => {
  const program = wholeProgram();
  const names = ({ flags }: { readonly flags: string }) =>
    flags.split(/[ ,]+/).flatMap((word) => (word.startsWith('--') ? [word.slice(2)] : []));
  const known = new Map(
    program.commands.flatMap((one) => [one.name, ...one.aliases].map((name) => [name, one.options.flatMap(names)])),
  );
  const common = program.options.flatMap(names);
  for (const name of EVERYWHERE) assert.ok(common.includes(name), name);
  const missing = Object.entries(COMMANDS).flatMap(([name, options]) => {
    const own = known.get(name);
    if (own === undefined) return [name];
    const wanted = options.split(' ').filter((one) => one !== '');
    return wanted.filter((one) => !own.includes(one) && !common.includes(one)).map((one) => `${name} --${one}`);
  });
  assert.deepEqual(missing, []);
});

const shared = sharedFolder();
const TEXTS = ['service-specification', 'wire-shapes', 'semantics-graphs', 'semantics-reasoning'];

test('every route that the specification names is there', { skip: shared === null && SHARED_ABSENT }, () => {
  const known = new Set([
    ...OPERATION_ROUTES.map(({ route }) => `${route.method} ${route.path}`),
    ...SERVER_ROUTES.map((one) => (typeof one === 'string' ? one : `${(one as { method: string }).method}`)),
  ]);
  const missing = new Set<string>();
  for (const name of TEXTS) {
    const text = readFileSync(join(shared as string, `spec/${name}.md`), 'utf8');
    for (const [, method, path = ''] of text.matchAll(/\b(GET|POST|PUT|DELETE|HEAD) (\/[a-z_\-/{}.]+)/g)) {
      const route = `${method} ${path.replace(/[./]+$/, '')}`;
      if (!known.has(route)) missing.add(route);
    }
  }
  assert.deepEqual([...missing], []);
});
