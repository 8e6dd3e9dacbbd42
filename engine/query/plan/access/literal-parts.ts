/** The parts of a regular expression (XPath and XQuery Functions 3.1, section 5.6) that every text which matches contains. */

/** Characters that end a part: what they stand for is one of several texts. */
const SPECIAL = new Set(['.', '^', '$']);

/** Empty where there are none, or the expression has alternatives, groups, or flags that change how it is read. */
export function literalParts(pattern: string, flags: string): string[] {
  if (flags.includes('q')) return [pattern];
  if (flags.includes('x') || /[|()]/.test(pattern)) return [];
  const parts: string[] = [];
  let part: string[] = [];
  const end = (): void => {
    if (part.length > 0) parts.push(part.join(''));
    part = [];
  };
  const characters = [...pattern];
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] as string;
    if (character === '\\') {
      const next = characters[++at] ?? '';
      if (/[.\\?*+{}()[\]|^$-]/.test(next)) part.push(next);
      else {
        // A class such as \\d; of \\p{L} the braces follow.
        end();
        if (characters[at + 1] === '{') at = closing(characters, at + 1, '}');
      }
    } else if (character === '[') {
      end();
      at = closing(characters, at, ']');
    } else if (character === '?' || character === '*' || character === '{') {
      // What stands before may be absent.
      part.pop();
      end();
      if (character === '{') at = closing(characters, at, '}');
    } else if (character === '+') end();
    else if (SPECIAL.has(character)) end();
    else part.push(character);
  }
  end();
  return parts;
}

/** The place of what closes a bracket; brackets within, and what is escaped, count as what they are. */
function closing(characters: readonly string[], from: number, close: string): number {
  const open = characters[from];
  let depth = 0;
  for (let at = from; at < characters.length; at++) {
    if (characters[at] === '\\') at++;
    else if (characters[at] === open) depth++;
    else if (characters[at] === close && --depth === 0) return at;
  }
  return characters.length;
}
