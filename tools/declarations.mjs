/**
 * Writes the types that the package ships: of the compiler's declarations only what the library's entry reaches,
 * statement by statement, in the same folders. What is internal (`@internal`) the compiler has left out already.
 *
 * 1. Each declaration file is cut into its statements. The compiler writes every one from the first column on, and
 *    indents what goes on.
 * 2. From what the entry exports, names are followed: into the statement that declares them, or through the import
 *    that brings them. A name counts wherever it stands; at worst a statement too many is kept.
 * 3. Every file that has something to give is written with those statements, and with the imports that they use.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ENTRY = 'interfaces/library/index.d.ts';
const START = /^(?:import|export|declare|interface|type)\b/;
const DECLARED = /^(?:export )?(?:declare )?(?:abstract )?(?:class|interface|type|const|function) ([\w$]+)/;
const CLAUSE = /^(import|export) (?:type )?(?:\{([^}]*)\}|\* as (\w+)|\*)(?: from '([^']+)')?;$/;
const WORDS = /[A-Za-z_$][\w$]*/g;
const INLINE = /import\(["']([^"']+)["']\)\.(\w+)/g;

/** `built`: the folder of the build; the types become its folder `types`. */
export function declarations(built) {
  const modules = new Map();
  const read = (path) => {
    if (!modules.has(path)) modules.set(path, readModule(built, path));
    return modules.get(path);
  };
  const entry = read(ENTRY);
  entry.keepsAll = true;
  for (const { name, from } of entry.passedOn) reach(read, entry, name, from);

  const out = join(built, 'types');
  rmSync(out, { recursive: true, force: true });
  for (const module of modules.values()) {
    const text = written(module);
    if (text === null) continue;
    // A compiler that is not told of any types takes those of Node by this line.
    const head = module === entry ? '/// <reference types="node" />\n' : '';
    const file = join(out, module.path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, head + text);
  }
}

function readModule(built, path) {
  const imported = new Map();
  const passedOn = [];
  const declared = new Map();
  const wholes = [];
  for (const statement of statementsOf(readFileSync(join(built, path), 'utf8'))) {
    const { code } = statement;
    const [clause, word, names, whole, from] = CLAUSE.exec(code) ?? [];
    const file = from?.startsWith('.') ? join(dirname(path), from).replace(/\.js$/, '.d.ts') : null;
    if (clause === undefined) {
      const [, name] = DECLARED.exec(code) ?? [];
      if (name === undefined) throw new Error(`${path}: a statement that is not understood: ${code.slice(0, 80)}`);
      declared.set(name, { ...statement, kept: false, overloads: declared.get(name) ?? null });
    } else if (whole !== undefined) imported.set(whole, { name: '*', file, text: code });
    else if (names === undefined) wholes.push({ file, text: code, isUsed: false });
    else {
      for (const one of names.split(',').map((each) => each.replace(/\btype\b(?= \w)/, '').trim())) {
        if (one === '') continue;
        const [name, local = name] = one.split(' as ');
        if (word === 'import') imported.set(local, { name, file, from });
        else passedOn.push({ name, as: local, from: file, source: from, isUsed: false });
      }
    }
  }
  return { path, imported, passedOn, declared, wholes, keepsAll: false };
}

/** A statement with the comments above it. */
function statementsOf(text) {
  const statements = [];
  let above = [];
  let isComment = false;
  for (const line of text.split('\n')) {
    if (isComment || line.startsWith('/*') || line.startsWith('//')) {
      above.push(line);
      isComment = (isComment || line.startsWith('/*')) && !line.includes('*/');
    } else if (START.test(line)) {
      statements.push({ lines: [line], above });
      above = [];
    } else if (line !== '') statements.at(-1)?.lines.push(line);
  }
  return statements.map(({ lines, above }) => ({ code: lines.join('\n'), above: above.join('\n') }));
}

/** Keeps what a name means in a module, and all that it needs. `from`: the module that it is passed on from. */
function reach(read, module, name, from = undefined) {
  if (typeof from === 'string') return reach(read, read(from), name);
  const found = module.declared.get(name);
  if (found !== undefined) return keep(read, module, found);
  const passed = module.passedOn.find((one) => one.as === name);
  if (passed !== undefined) {
    passed.isUsed = true;
    return passed.from === null ? reachWord(read, module, passed.name) : reach(read, read(passed.from), passed.name);
  }
  for (const whole of module.wholes) {
    if (gives(read, read(whole.file), name)) {
      whole.isUsed = true;
      return reach(read, read(whole.file), name);
    }
  }
  throw new Error(`${module.path} has no ${name}`);
}

function gives(read, module, name) {
  if (module.declared.has(name) || module.passedOn.some((one) => one.as === name)) return true;
  return module.wholes.some((whole) => gives(read, read(whole.file), name));
}

function keep(read, module, statement) {
  if (statement.kept) return;
  statement.kept = true;
  if (statement.overloads !== null) keep(read, module, statement.overloads);
  const code = statement.code.replace(/\/\*[\s\S]*?\*\//g, '');
  for (const [, path, name] of code.matchAll(INLINE)) {
    if (path.startsWith('.')) reach(read, read(join(dirname(module.path), path).replace(/\.js$/, '.d.ts')), name);
  }
  for (const [word] of code.matchAll(WORDS)) reachWord(read, module, word);
  for (const [, space, name] of code.matchAll(/\b(\w+)\.(\w+)/g)) {
    const whole = module.imported.get(space);
    if (whole?.name === '*' && whole.file !== null) reach(read, read(whole.file), name);
  }
}

function reachWord(read, module, word) {
  const own = module.declared.get(word);
  if (own !== undefined) return keep(read, module, own);
  const brought = module.imported.get(word);
  if (brought === undefined) return;
  brought.isUsed = true;
  if (brought.file !== null && brought.name !== '*') reach(read, read(brought.file), brought.name);
}

function written(module) {
  const kept = [...module.declared.values()].filter((one) => one.kept);
  const passed = module.passedOn.filter((one) => one.isUsed || module.keepsAll);
  const wholes = module.wholes.filter((one) => one.isUsed);
  if (kept.length + passed.length + wholes.length === 0) return null;
  const lines = [];
  const one = ({ name }, local) => (name === local ? name : `${name} as ${local}`);
  for (const [local, brought] of module.imported) {
    if (!brought.isUsed) continue;
    lines.push(brought.text ?? `import type { ${one(brought, local)} } from '${brought.from}';`);
  }
  for (const each of passed) {
    const from = each.source === undefined ? '' : ` from '${each.source}'`;
    lines.push(`export { ${one(each, each.as)} }${from};`);
  }
  lines.push(...wholes.map((each) => each.text));
  for (let statement of kept) {
    const overloads = [];
    for (; statement !== null; statement = statement.overloads) overloads.unshift(statement);
    for (const { above, code } of overloads) lines.push(...(above === '' ? [] : [above]), code);
  }
  return `${lines.join('\n')}\n`;
}
