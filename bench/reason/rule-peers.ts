/**
 * Other engines over the rules of a case: datafrog by cargo, VLog by Maven, clingo and DuckDB by the Python of
 * `SVC_BENCH_PYTHON`. Each is left out with a line where it can't be had, and asked in a process of its own.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CHECKOUT } from '../harness/machine.js';
import { installJava, jarVersion, javaClassPath, output } from '../peers/install.js';
import { peerFolder } from '../peers/peer.js';
import type { RuleCase } from './rule-cases.js';

/** CPU milliseconds, the least of the rounds, and how many facts are derived. */
export interface PeerFigures {
  readonly cpuMs: number;
  readonly found: number;
}

interface RulePeer {
  readonly name: string;
  /** Null, with a line about it, where it can't be had; else the command for a case whose files stand in a folder. */
  prepare(): ((one: RuleCase, folder: string, rounds: number) => readonly string[]) | null;
}

const SOURCES = join(CHECKOUT, 'bench/reason/peers');
const VLOG = '0.8.0';

const python = (): string => process.env.SVC_BENCH_PYTHON ?? 'python3';

const datafrog: RulePeer = {
  name: 'datafrog',
  prepare() {
    if (output(['cargo', '--version']) === null) return leaveOut('datafrog', 'there is no cargo');
    const target = peerFolder('datafrog');
    const manifest = join(SOURCES, 'datafrog/Cargo.toml');
    const build = ['build', '--release', '--locked', '--quiet', '--manifest-path', manifest, '--target-dir', target];
    const { status, stderr } = spawnSync('cargo', build, { encoding: 'utf8' });
    if (status !== 0) return leaveOut('datafrog', stderr);
    return ({ program }, folder, rounds) => [
      join(target, 'release/rules'),
      program,
      join(folder, 'edge.csv'),
      join(folder, 'node.csv'),
      String(rounds),
    ];
  },
};

/** Runs a document of rules of VLog, of which queries ask for what is counted; null where it can't be had. */
export function prepareVlog(): ((rules: string, queries: readonly string[], rounds: number) => string[]) | null {
  if (output(['mvn', '--version']) === null) return leaveOut('VLog', 'there is no Maven');
  const folder = peerFolder('vlog');
  if (jarVersion(folder, 'rulewerk-vlog', 'VlogRules') !== VLOG) {
    const artifacts = ['rulewerk-vlog', 'rulewerk-parser'].map((name) => `org.semanticweb.rulewerk:${name}:${VLOG}`);
    try {
      installJava(folder, join(SOURCES, 'VlogRules.java'), [...artifacts, 'org.slf4j:slf4j-nop:1.7.36']);
    } catch (error) {
      return leaveOut('VLog', String(error));
    }
  }
  const java = ['java', '-Xmx4g', '-XX:+UseSerialGC', '-cp', javaClassPath(folder), 'VlogRules'];
  return (rules, queries, rounds) => [...java, rules, String(rounds), ...queries];
}

const vlog: RulePeer = {
  name: 'VLog',
  prepare() {
    const run = prepareVlog();
    if (run === null) return null;
    return ({ rules }, folder, rounds) => {
      const lines = rules.map((line) => `${bodied(line).replaceAll('not ', '~')} .`);
      const sources = ['edge[2]', 'node[2]'].map(
        (name) => `@source ${name}: load-csv("${join(folder, `${name.slice(0, 4)}.csv`)}") .`,
      );
      const path = join(folder, 'rules.rls');
      writeFileSync(path, [...sources, ...lines, ''].join('\n'));
      return run(
        path,
        headsOf(rules).map((name) => `${name}(?x, ?y)`),
        rounds,
      );
    };
  },
};

const clingo: RulePeer = {
  name: 'clingo',
  prepare: () =>
    withPython('clingo', 'clingo', ({ edges, rules }, folder, rounds) => {
      const lines: string[] = [];
      edges((predicate, from, to) => lines.push(`${predicate}(${from},${to}).`));
      for (const line of rules)
        lines.push(`${bodied(line).replace(/\?(\w)/g, (_, name: string) => name.toUpperCase())}.`);
      const path = join(folder, 'rules.lp');
      writeFileSync(path, lines.join('\n'));
      return [join(SOURCES, 'rules_clingo.py'), path, headsOf(rules).join(','), String(rounds)];
    }),
};

const duckdb: RulePeer = {
  name: 'DuckDB',
  prepare: () =>
    withPython('DuckDB', 'duckdb', ({ program }, folder, rounds) => [
      join(SOURCES, 'rules_duckdb.py'),
      program,
      join(folder, 'edge.csv'),
      join(folder, 'node.csv'),
      String(rounds),
    ]),
};

const PEERS: readonly RulePeer[] = [datafrog, vlog, clingo, duckdb];

/** By peer; absent where one is not there or failed. Cases that differ only in how svc computes them are asked once. */
export function measureRulePeers(cases: readonly RuleCase[], rounds: number): Map<RuleCase, Map<string, PeerFigures>> {
  const results = new Map<RuleCase, Map<string, PeerFigures>>();
  const ready = PEERS.flatMap(({ name, prepare }) => {
    const commandFor = prepare();
    return commandFor === null ? [] : [{ name, commandFor }];
  });
  for (const one of cases) {
    const same = [...results.keys()].find(({ edges, program }) => edges === one.edges && program === one.program);
    if (same !== undefined) {
      results.set(one, results.get(same) as Map<string, PeerFigures>);
      continue;
    }
    const folder = mkdtempSync(join(tmpdir(), 'svc-rules-'));
    const found = new Map<string, PeerFigures>();
    try {
      writeRows(one, folder);
      for (const { name, commandFor } of ready) {
        const figures = ask(`${name}, ${one.name}`, commandFor(one, folder, rounds));
        if (figures !== null) found.set(name, figures);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
    results.set(one, found);
  }
  return results;
}

/** The figures that a peer prints; null, with a line about it, where it fails. */
export function ask(what: string, argv: readonly string[]): PeerFigures | null {
  const [program, ...args] = argv as [string, ...string[]];
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', maxBuffer: 2 ** 26 });
  if (status === 0) return JSON.parse(stdout.trim().split('\n').at(-1) as string) as PeerFigures;
  return leaveOut(what, stderr);
}

/** Each once; `edge.csv` and `node.csv`, of two numbers a line. */
function writeRows(one: RuleCase, folder: string): void {
  const rows = { edge: new Set<string>(), node: new Set<string>() };
  one.edges((predicate, from, to) => rows[predicate as keyof typeof rows].add(`${from},${to}`));
  for (const [name, lines] of Object.entries(rows)) {
    writeFileSync(join(folder, `${name}.csv`), [...lines, ''].join('\n'));
  }
}

function withPython(name: string, module: string, args: (...of: [RuleCase, string, number]) => readonly string[]) {
  if (output([python(), '--version']) === null) return leaveOut(name, 'there is no Python');
  if (output([python(), '-c', `import ${module}`]) === null) return leaveOut(name, `Python has no package ${module}`);
  return (...of: [RuleCase, string, number]): readonly string[] => [python(), ...args(...of)];
}

function leaveOut(name: string, why: string): null {
  console.error(`${name} is left out: ${why.trim().split('\n').at(-1) || 'it can not be run'}`);
  return null;
}

/** `name: head :- body` without the name. */
function bodied(line: string): string {
  return line.slice(line.indexOf(':') + 1).trim();
}

function headsOf(rules: readonly string[]): string[] {
  return [...new Set(rules.map((line) => bodied(line).slice(0, bodied(line).indexOf('('))))];
}
