/** The escapes of XML Schema that stand for sets of characters, and the blocks of `\p{Is…}`. */

import { type CharacterSet, RegexSyntaxError, rangesSet, type SetItem } from './syntax.js';

const CATEGORY = /^(?:L[ultmo]?|M[nce]?|N[dlo]?|P[cdseifo]?|Z[slp]?|S[mcko]?|C[cfon]?)$/;

const category = (name: string): SetItem => ({ kind: 'category', name, negated: false });

const SPACE = rangesSet(false, [0x20, 0x20], [0x9, 0xa], [0xd, 0xd]);
const DIGIT: CharacterSet = { negated: false, items: [category('Nd')], without: null };
/** By the standard the underscore, which is punctuation, is no word character. */
const WORD: CharacterSet = { negated: true, items: [category('P'), category('Z'), category('C')], without: null };
const NAME_START_RANGES = `3a 3a;41 5a;5f 5f;61 7a;c0 d6;d8 f6;f8 2ff;370 37d;37f 1fff;200c 200d;2070 218f;2c00 2fef;
3001 d7ff;f900 fdcf;fdf0 fffd;10000 effff`;
const NAME_START = rangesSet(false, ...hexRanges(NAME_START_RANGES));
const NAME = rangesSet(false, ...hexRanges(`${NAME_START_RANGES};2d 2e;30 39;b7 b7;300 36f;203f 2040`));

/** First and last code points. */
function hexRanges(table: string): (readonly [number, number])[] {
  return table.split(';').map((entry) => {
    const [from, to] = entry.trim().split(' ') as [string, string];
    return [Number.parseInt(from, 16), Number.parseInt(to, 16)];
  });
}

const SETS: Readonly<Record<string, CharacterSet>> = { s: SPACE, d: DIGIT, w: WORD, i: NAME_START, c: NAME };

/** The set of `\s`, `\D` and so on; null for another letter. */
export function namedSet(letter: string): CharacterSet | null {
  const set = SETS[letter.toLowerCase()];
  if (set === undefined) return null;
  return letter === letter.toLowerCase() ? set : { ...set, negated: !set.negated };
}

/** What stands in the braces of `\p{…}` and `\P{…}`. */
export function propertyItem(name: string, negated: boolean): SetItem {
  if (CATEGORY.test(name)) return { kind: 'category', name, negated };
  const block = name.startsWith('Is') ? BLOCKS.get(name.slice(2)) : undefined;
  if (block === undefined) throw new RegexSyntaxError(`unknown property ${name}`);
  return { kind: 'set', set: rangesSet(negated, block) };
}

/** Name, first and last code point. */
const BLOCK_TABLE = `BasicLatin 0 7f;Latin-1Supplement 80 ff;LatinExtended-A 100 17f;LatinExtended-B 180 24f;
IPAExtensions 250 2af;SpacingModifierLetters 2b0 2ff;CombiningDiacriticalMarks 300 36f;Greek 370 3ff;
GreekandCoptic 370 3ff;Cyrillic 400 4ff;CyrillicSupplement 500 52f;Armenian 530 58f;Hebrew 590 5ff;Arabic 600 6ff;
Syriac 700 74f;ArabicSupplement 750 77f;Thaana 780 7bf;Devanagari 900 97f;Bengali 980 9ff;Gurmukhi a00 a7f;
Gujarati a80 aff;Oriya b00 b7f;Tamil b80 bff;Telugu c00 c7f;Kannada c80 cff;Malayalam d00 d7f;Sinhala d80 dff;
Thai e00 e7f;Lao e80 eff;Tibetan f00 fff;Myanmar 1000 109f;Georgian 10a0 10ff;HangulJamo 1100 11ff;
Ethiopic 1200 137f;Cherokee 13a0 13ff;UnifiedCanadianAboriginalSyllabics 1400 167f;Ogham 1680 169f;
Runic 16a0 16ff;Khmer 1780 17ff;Mongolian 1800 18af;PhoneticExtensions 1d00 1d7f;
LatinExtendedAdditional 1e00 1eff;GreekExtended 1f00 1fff;GeneralPunctuation 2000 206f;
SuperscriptsandSubscripts 2070 209f;CurrencySymbols 20a0 20cf;CombiningMarksforSymbols 20d0 20ff;
CombiningDiacriticalMarksforSymbols 20d0 20ff;LetterlikeSymbols 2100 214f;NumberForms 2150 218f;Arrows 2190 21ff;
MathematicalOperators 2200 22ff;MiscellaneousTechnical 2300 23ff;ControlPictures 2400 243f;
OpticalCharacterRecognition 2440 245f;EnclosedAlphanumerics 2460 24ff;BoxDrawing 2500 257f;
BlockElements 2580 259f;GeometricShapes 25a0 25ff;MiscellaneousSymbols 2600 26ff;Dingbats 2700 27bf;
BraillePatterns 2800 28ff;CJKRadicalsSupplement 2e80 2eff;KangxiRadicals 2f00 2fdf;
IdeographicDescriptionCharacters 2ff0 2fff;CJKSymbolsandPunctuation 3000 303f;Hiragana 3040 309f;
Katakana 30a0 30ff;Bopomofo 3100 312f;HangulCompatibilityJamo 3130 318f;Kanbun 3190 319f;
BopomofoExtended 31a0 31bf;EnclosedCJKLettersandMonths 3200 32ff;CJKCompatibility 3300 33ff;
CJKUnifiedIdeographsExtensionA 3400 4dbf;CJKUnifiedIdeographs 4e00 9fff;YiSyllables a000 a48f;YiRadicals a490 a4cf;
HangulSyllables ac00 d7a3;PrivateUse e000 f8ff;PrivateUseArea e000 f8ff;CJKCompatibilityIdeographs f900 faff;
AlphabeticPresentationForms fb00 fb4f;ArabicPresentationForms-A fb50 fdff;VariationSelectors fe00 fe0f;
CombiningHalfMarks fe20 fe2f;CJKCompatibilityForms fe30 fe4f;SmallFormVariants fe50 fe6f;
ArabicPresentationForms-B fe70 feff;HalfwidthandFullwidthForms ff00 ffef;Specials fff0 ffff;
OldItalic 10300 1032f;Gothic 10330 1034f;Deseret 10400 1044f;ByzantineMusicalSymbols 1d000 1d0ff;
MusicalSymbols 1d100 1d1ff;MathematicalAlphanumericSymbols 1d400 1d7ff;Emoticons 1f600 1f64f;
CJKUnifiedIdeographsExtensionB 20000 2a6df;CJKCompatibilityIdeographsSupplement 2f800 2fa1f;Tags e0000 e007f`;

const BLOCKS = new Map<string, readonly [number, number]>(
  BLOCK_TABLE.split(';').map((entry) => {
    const [name, ...range] = entry.trim().split(' ');
    return [name as string, hexRanges(range.join(' '))[0] as readonly [number, number]];
  }),
);
