/**
 * Words and habits that may not stand in the project. Each rule names where it applies and what to
 * do instead. This file spells the words out, so it is the one file that the rules skip.
 */
import type { Found, Problem, SourceFile } from './sources.js';

interface WordRule {
  readonly pattern: RegExp;
  /** `text`: everything; `code`: outside comments and strings; `strings`: inside string literals. */
  readonly within: 'text' | 'code' | 'strings';
  readonly applies: (path: string) => boolean;
  readonly message: string;
}

const everywhere = (): boolean => true;
const inEngine = (path: string): boolean => path.startsWith('engine/');
const outsideTests = (path: string): boolean => !path.startsWith('test/');
const outsidePipeline = (path: string): boolean => !/^(engine\/(service\/pipeline|storage)|test|bench)\//.test(path);

const RULES: readonly WordRule[] = [
  {
    pattern: /\b(TODO|FIXME|XXX|HACK)\b/,
    within: 'text',
    applies: everywhere,
    message: 'unfinished work is an error with a name, not a mark',
  },
  { pattern: /\bas any\b|:\s*any\b|<any>/, within: 'code', applies: everywhere, message: 'any: give it a type' },
  {
    pattern: /\bas unknown as\b/,
    within: 'code',
    applies: (path) => /^(engine|interfaces)\//.test(path),
    message: 'a cast that nothing backs: a type guard, an intersection or a better type',
  },
  {
    pattern: /\bAbortSignal\.(any|timeout)\(/,
    within: 'code',
    applies: (path) => /^(engine|interfaces\/(?!ui\/))/.test(path),
    message: 'the garbage collector may take what it waits for: use JoinedSignal (engine/base/joined-signal.ts)',
  },
  { pattern: /@ts-(ignore|nocheck)/, within: 'text', applies: everywhere, message: 'the compiler is not silenced' },
  {
    pattern: /\bconsole\./,
    within: 'code',
    applies: inEngine,
    message: 'the engine prints nothing: throw, or report through Control',
  },
  { pattern: /\bprocess\.exit\(/, within: 'code', applies: inEngine, message: 'the engine never ends the process' },
  {
    pattern: /\.(only|todo)\(/,
    within: 'code',
    applies: (path) => path.startsWith('test/'),
    message: 'a test that hides other tests',
  },
  {
    pattern: /\.stage(Load)?\(/,
    within: 'code',
    applies: outsidePipeline,
    message: 'only engine/service/pipeline writes',
  },
  {
    pattern: /(^|[\s'"`(=])\/(work|home|root|tmp|farm)(\/|\b)/,
    within: 'strings',
    applies: outsideTests,
    message: 'a path of one machine',
  },
  { pattern: /\/(work|root)\/(main|shared|\.)/, within: 'text', applies: everywhere, message: 'a path of one machine' },
  {
    pattern: /\b(registry\.(?!(ts|js)\b)[a-z]|artifactory|verdaccio|nexus\.)/i,
    within: 'strings',
    applies: everywhere,
    message: 'a registry host',
  },
  {
    pattern:
      /\b(sub-?agents?|steering repo|the CEO|my brief|the brief|other agents?|another engineer|issue #?\d+|pull request)\b/i,
    within: 'text',
    applies: everywhere,
    message: 'how the work is organised does not belong here',
  },
];

const SELF = 'tools/tidy/words.ts';

function linesOf(text: string): Found[] {
  return text.split('\n').map((line, at) => ({ text: line, line: at + 1 }));
}

export function checkWords(files: readonly SourceFile[]): Problem[] {
  const problems: Problem[] = [];
  for (const file of files) {
    if (file.path === SELF) continue;
    const parts = { text: linesOf(file.text), code: linesOf(file.code), strings: file.strings };
    for (const rule of RULES) {
      if (!rule.applies(file.path)) continue;
      for (const { text, line } of parts[rule.within]) {
        const match = rule.pattern.exec(text);
        if (match) problems.push({ path: file.path, line, message: `"${match[0].trim()}": ${rule.message}` });
      }
    }
  }
  return problems;
}

/** Documents and scripts are held to the rules that are about text. */
export function checkDocumentWords(path: string, text: string): Problem[] {
  const problems: Problem[] = [];
  for (const rule of RULES) {
    if (rule.within === 'code' || !rule.applies(path)) continue;
    for (const found of linesOf(text)) {
      const match = rule.pattern.exec(found.text);
      if (match) problems.push({ path, line: found.line, message: `"${match[0].trim()}": ${rule.message}` });
    }
  }
  return problems;
}
