/** Character classes of the Turtle family (PN_CHARS and its parts), as tests on code points. */

/** Bits of [0-9A-Za-z_-] for bytes 0..63 and 64..127. */
const NAME_LOW: u64 = 0x03ff200000000000;
const NAME_HIGH: u64 = 0x07fffffe87fffffe;

/** PN_CHARS among ASCII: letters, digits, `_`, `-`. */
// @inline
export function isAsciiName(c: u32): bool {
  return c < 128 && (((c < 64 ? NAME_LOW : NAME_HIGH) >> <u64>(c & 63)) & 1) != 0;
}

// @inline
export function isDigit(c: u32): bool {
  return c - 0x30 < 10;
}

// @inline
export function isLetter(c: u32): bool {
  return (c | 0x20) - 0x61 < 26;
}

/** The value of a hexadecimal digit, 16 or above when it is none. */
// @inline
export function hexValue(c: u32): u32 {
  if (isDigit(c)) return c - 0x30;
  const letter = (c | 0x20) - 0x61;
  return letter < 6 ? letter + 10 : 16;
}

/** PN_CHARS_BASE above ASCII. */
export function isNameStart(point: u32): bool {
  if (point < 0x300) return point >= 0xc0 && point != 0xd7 && point != 0xf7;
  if (point < 0x2000) return point >= 0x370 && point != 0x37e;
  if (point < 0x3001) {
    return (
      point == 0x200c || point == 0x200d || (point >= 0x2070 && point <= 0x218f) || (point >= 0x2c00 && point <= 0x2fef)
    );
  }
  if (point < 0x10000) {
    return point <= 0xd7ff || (point >= 0xf900 && point <= 0xfdcf) || (point >= 0xfdf0 && point <= 0xfffd);
  }
  return point <= 0xeffff;
}

/** PN_CHARS above ASCII. */
export function isNamePart(point: u32): bool {
  return (
    isNameStart(point) || point == 0xb7 || (point >= 0x300 && point <= 0x36f) || point == 0x203f || point == 0x2040
  );
}

/** Whether an unescaped code point may stand in an IRI reference. */
export function isIriCharacter(point: u32): bool {
  if (point <= 0x20) return false;
  switch (point) {
    case 0x22: // "
    case 0x3c: // <
    case 0x3e: // >
    case 0x5c: // \
    case 0x5e: // ^
    case 0x60: // `
    case 0x7b: // {
    case 0x7c: // |
    case 0x7d: // }
      return false;
    default:
      return true;
  }
}
