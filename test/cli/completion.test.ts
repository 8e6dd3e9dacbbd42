/**
 * The scripts of `svc completion`, in the shells that they are for: each is sourced, and asked what it offers for
 * lines. Shells that are not installed are skipped; their scripts are still held against the definitions.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { completionScript, SHELLS } from '../../interfaces/cli/completion/command.js';
import { type CompletionOption, completionModel } from '../../interfaces/cli/completion/model.js';
import { optionsBehind } from '../../interfaces/cli/completion/tables.js';
import type { ProgramSpec } from '../../interfaces/cli/line/commander.js';
import { wholeProgram } from '../../interfaces/cli/program.js';
import { inFolder, svc } from './svc.js';

const PROGRAM = wholeProgram();
const MODEL = completionModel(PROGRAM);
const COMMAND_NAMES = MODEL.commands.flatMap(({ names }) => names);

type Shell = (typeof SHELLS)[number];
type Ask = (words: readonly string[]) => string[];

const installed = (shell: Shell) => spawnSync(shell, ['-c', 'exit 0']).status === 0;

function run(shell: Shell, cwd: string, text: string): string[] {
  const words = { bash: ['--norc', '--noprofile'], zsh: ['-f'], fish: ['--no-config'] }[shell];
  const { status, stdout, stderr } = spawnSync(shell, [...words, '-c', text], {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, HOME: cwd },
  });
  assert.deepEqual([status, stderr], [0, ''], text);
  return stdout.split('\n').filter((line) => line !== '');
}

const quoted = (word: string) => `'${word.replaceAll("'", "'\\''")}'`;

/** Words as bash hands them over: it takes `--a=b` apart. */
function askBash(cwd: string, script: string): Ask {
  return (words) => {
    const parts = words.flatMap((word) =>
      /^--.*=/.test(word) ? word.split(/(=)/).filter((part) => part !== '') : word,
    );
    const list = ['svc', ...parts].map(quoted).join(' ');
    const set = `COMP_WORDS=(${list}); COMP_CWORD=${parts.length}; COMP_LINE='svc'; COMP_POINT=3`;
    return run(
      'bash',
      cwd,
      `source ${script}; ${set}; _svc; ((\${#COMPREPLY[@]} == 0)) || printf '%s\\n' "\${COMPREPLY[@]}"`,
    );
  };
}

/** What the parts of zsh that only run at a prompt would be told to offer. */
function askZsh(cwd: string, script: string): Ask {
  const told = `compdef() { : }
_describe() { local list="\${@[-1]}" one; for one in "\${(@P)list}"; do print -r -- "\${one%%:*}"; done }
compadd() { shift; print -rl -- "$@" }
_files() { print -r -- FILES }
compset() { prefix=\${words[CURRENT]%%=*}= }`;
  return (words) => {
    const current = words.at(-1) ?? '';
    const list = ['svc', ...words].map(quoted).join(' ');
    const offered = run('zsh', cwd, `${told}\nsource ${script}; words=(${list}); CURRENT=$#words; _svc || true`);
    if (offered[0] === 'FILES') return ['FILES'];
    const begun = /^--[^=]*=(.*)$/.exec(current)?.[1] ?? current;
    return offered.filter((word) => word.startsWith(begun));
  };
}

/** fish tells what it would offer, files and descriptions included. */
function askFish(cwd: string, script: string): Ask {
  return (words) => {
    const line = ['svc', ...words].join(' ');
    const lines = run('fish', cwd, `source ${script}; complete -C ${quoted(line)}`);
    const begun = /^--[^=]*=/.exec(words.at(-1) ?? '')?.[0] ?? '';
    return lines.map((one) => (one.split('\t')[0] as string).slice(begun.length));
  };
}

const ASK = { bash: askBash, zsh: askZsh, fish: askFish };

/** Runs for each shell that is there, in a folder with the script and a few files. */
function inShells(name: string, work: (ask: Ask, shell: Shell) => void): void {
  for (const shell of SHELLS) {
    const skip = installed(shell) ? false : `${shell} is not installed`;
    test(
      `${shell}: ${name}`,
      { skip },
      inFolder(async (cwd) => {
        mkdirSync(join(cwd, 'data'));
        for (const file of ['people.ttl', 'places.ttl', 'two words.nq']) writeFileSync(join(cwd, file), '');
        writeFileSync(join(cwd, 'svc.script'), await completionScript(shell, PROGRAM));
        work(ASK[shell](cwd, './svc.script'), shell);
      }),
    );
  }
}

const sorted = (words: Iterable<string>) => [...new Set(words)].sort();
const namesOf = (options: readonly CompletionOption[]) => options.flatMap(({ names }) => names);
/** fish offers short options only after a single dash. */
const longOf = (options: readonly CompletionOption[]) => namesOf(options).filter((name) => name.startsWith('--'));

inShells('every command, in its place and in no other', (ask) => {
  assert.deepEqual(sorted(ask([''])), sorted(COMMAND_NAMES));
  assert.deepEqual(sorted(ask(['--db', 'x.db', ''])), sorted(COMMAND_NAMES));
  assert.deepEqual(sorted(ask(['re'])), [
    'read',
    'reason',
    'repair',
    'repl',
    'report',
    'resolve',
    'restore',
    'retract',
    'retract-source',
  ]);
  assert.deepEqual(ask(['stats', '']), []);
  assert.deepEqual(ask(['nonsense', '']), []);
});

inShells('every option of every command', (ask) => {
  for (const command of MODEL.commands) {
    const expected = sorted(longOf(optionsBehind(MODEL, command.options)));
    for (const name of command.names) assert.deepEqual(sorted(ask([name, '--'])), expected, name);
  }
  assert.deepEqual(sorted(ask(['--'])), sorted(longOf([...MODEL.options, ...MODEL.alone])));
});

inShells('every option whose value is one of a few words', (ask) => {
  let checked = 0;
  for (const { names, options } of MODEL.commands) {
    for (const { names: flags, value } of options) {
      if (value?.kind !== 'words') continue;
      const flag = flags.at(-1) as string;
      assert.deepEqual(sorted(ask([names[0], flag, ''])), sorted(value.words), `${names[0]} ${flag}`);
      checked++;
    }
  }
  assert.ok(checked >= 8);
  assert.deepEqual(sorted(ask(['query', '--format', 't'])), ['table', 'trig', 'tsv', 'turtle']);
  assert.deepEqual(sorted(ask(['export', '--format=n'])), ['nquads', 'ntriples']);
  assert.deepEqual(sorted(ask(['read', '--inference', 'o'])), ['off', 'on']);
  assert.deepEqual(ask(['read', '--valid-at', '']), []);
});

inShells('words that follow a command', (ask) => {
  assert.deepEqual(sorted(ask(['graph', ''])), ['create', 'freeze', 'import', 'label', 'list', 'thaw']);
  assert.deepEqual(ask(['graph', 'list', '--li']).sort(), ['--lifecycle', '--limit']);
  assert.deepEqual(ask(['config', '']), ['check']);
  assert.deepEqual(ask(['config', 'check', '']), []);
  assert.deepEqual(sorted(ask(['completion', ''])), [...SHELLS].sort());
  assert.deepEqual(sorted(ask(['--config', 'x.toml', 'completion', '--db', 'y', ''])), [...SHELLS].sort());
  assert.deepEqual(ask(['help', 'trans']), ['transactions']);
});

inShells('files where a file is wanted', (ask, shell) => {
  const all = sorted(['data/', 'people.ttl', 'places.ttl', 'svc.script', 'two words.nq']);
  const files = (words: readonly string[]) => {
    const offered = ask(words);
    if (shell === 'zsh') return assert.deepEqual(offered, ['FILES']);
    // bash marks folders by itself, at a prompt; fish sets a sign before a space.
    const plain = offered.map((file) => (file === 'data' ? 'data/' : file.replaceAll('\\', '')));
    assert.deepEqual(sorted(plain), all, words.join(' '));
  };
  files(['knot', '']);
  files(['load', '--format', 'turtle', 'people.ttl', '']);
  files(['read', '--file', '']);
  files(['--db', '']);
  files(['backup', '']);
  files(['stats', '--db', '']);
  if (shell !== 'zsh') assert.deepEqual(sorted(ask(['knot', 'p'])), ['people.ttl', 'places.ttl']);
  assert.deepEqual(ask(['backup', 'one.db', '']), []);
});

for (const shell of SHELLS) {
  test(
    `${shell}: the script is what the shell takes for a program`,
    { skip: installed(shell) ? false : `${shell} is not installed` },
    inFolder(async (cwd) => {
      writeFileSync(join(cwd, 'script'), await completionScript(shell, PROGRAM));
      const { status, stderr } = spawnSync(shell, ['-n', 'script'], { cwd, encoding: 'utf8' });
      assert.deepEqual([status, stderr], [0, '']);
    }),
  );

  test(`${shell}: the script names every command and option of the definitions`, async () => {
    const script = await completionScript(shell, PROGRAM);
    const options = [...MODEL.options, ...MODEL.alone, ...MODEL.commands.flatMap((command) => command.options)];
    for (const name of COMMAND_NAMES) assert.match(script, new RegExp(`[' ]${name}[' :]`), name);
    for (const name of namesOf(options)) {
      const form = shell === 'fish' ? name.replace(/^--/, '-l ').replace(/^-(\w)$/, '-s $1') : name;
      assert.match(script, new RegExp(`[' ]${form}[' :]`), name);
    }
  });
}

test('the model follows the definitions: a new command, option or value is there', () => {
  const added: ProgramSpec = {
    ...PROGRAM,
    commands: [
      {
        name: 'weave',
        aliases: ['wv'],
        summary: "it's new: all of it",
        notes: [],
        examples: [],
        arguments: [{ syntax: '[file...]', summary: 'x' }],
        options: [
          { flags: '-k, --kind <kind>', summary: 'x', values: ['a', 'b'] },
          { flags: '--dry', summary: 'x' },
        ],
      },
    ],
  };
  assert.deepEqual(completionModel(added).commands[0], {
    names: ['weave', 'wv'],
    summary: "it's new: all of it",
    options: [
      { names: ['-k', '--kind'], summary: 'x', value: { kind: 'words', words: ['a', 'b'] } },
      { names: ['--dry'], summary: 'x', value: null },
    ],
    arguments: [{ value: { kind: 'file' }, repeats: true }],
  });
});

test(
  'svc completion prints the script; another shell is refused by name, and no configuration is needed',
  inFolder(async (cwd) => {
    mkdirSync(join(cwd, '.svc'));
    writeFileSync(join(cwd, '.svc/config.toml'), '[svc]\nnonsense = 1\n');
    for (const shell of SHELLS) {
      const printed = await svc(['completion', shell], { cwd });
      assert.deepEqual([printed.code, printed.err, printed.out], [0, '', await completionScript(shell, PROGRAM)]);
    }
    const refused = await svc(['completion', 'tcsh'], { cwd });
    assert.deepEqual(
      [refused.code, refused.out, refused.err],
      [2, '', 'error: no completion for the shell "tcsh"; there is: bash, zsh, fish\n'],
    );
    assert.equal((await svc(['completion'], { cwd })).code, 2);
  }),
);
