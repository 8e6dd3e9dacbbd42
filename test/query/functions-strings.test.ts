/** Strings, languages, hashes (SPARQL 1.1, 17.4.3 and 17.4.6; SPARQL 1.2). */

import { test } from 'node:test';
import { assertCases } from './expression-cases.js';

test('strings are counted and cut by code points', async () => {
  await assertCases({
    'STRLEN("chat")': '4^integer',
    'STRLEN("a👪b")': '3^integer',
    'STRLEN(""@en)': '0^integer',
    'STRLEN(1)': '-',
    'STRLEN(<http://example.org/>)': '-',
    'SUBSTR("foobar", 4)': '"bar"',
    'SUBSTR("foobar", 4, 1)': '"b"',
    'SUBSTR("foobar"@en, 4, 1)': '"b"@en',
    'SUBSTR("a👪b", 2, 1)': '"👪"',
    'SUBSTR("a👪b", 3)': '"b"',
    'SUBSTR("12345", 1.5, 2.6)': '"234"',
    'SUBSTR("12345", 0, 3)': '"12"',
    'SUBSTR("12345", 5, -3)': '""',
    'SUBSTR("12345", -3, 5)': '"1"',
    'SUBSTR("12345", 0e0/0e0, 3)': '""',
    'SUBSTR("12345", 1, 0e0/0e0)': '""',
    'SUBSTR("12345", -42, 1e0/0e0)': '"12345"',
    'SUBSTR("12345", 3, 1e0/0e0)': '"345"',
    'SUBSTR("12345", "1")': '-',
    'SUBSTR("12345"@en, 9)': '""@en',
  });
});

test('case, search and joining keep languages as the standard says', async () => {
  await assertCases({
    'UCASE("straße"@de)': '"STRASSE"@de',
    'LCASE("ÀB")': '"àb"',
    'UCASE(1)': '-',
    'STRSTARTS("foobar", "foo")': 'true^boolean',
    'STRSTARTS("foobar"@en, "foo")': 'true^boolean',
    'STRSTARTS("foobar"@en, "foo"@en)': 'true^boolean',
    'STRSTARTS("foobar", "foo"@en)': '-',
    'STRSTARTS("foobar"@en, "foo"@fr)': '-',
    'STRENDS("foobar", "bar")': 'true^boolean',
    'STRENDS("foobar", "foo")': 'false^boolean',
    'CONTAINS("foobar"@EN, "oba"@en)': 'true^boolean',
    'CONTAINS("foobar", "")': 'true^boolean',
    'CONTAINS("foobar", 1)': '-',
    'STRBEFORE("abc", "b")': '"a"',
    'STRBEFORE("abc"@en, "bc")': '"a"@en',
    'STRBEFORE("abc"@en, "b"@cy)': '-',
    'STRBEFORE("abc"@en, "")': '""@en',
    'STRBEFORE("abc"@en, "xyz"@en)': '""',
    'STRAFTER("abc"@en, "ab")': '"c"@en',
    'STRAFTER("abc"@en, "")': '"abc"@en',
    'STRAFTER("abc"@en, "z"@en)': '""',
    'CONCAT()': '""',
    'CONCAT("foo", "bar")': '"foobar"',
    'CONCAT("foo"@en, "bar"@EN)': '"foobar"@en',
    'CONCAT("foo"@en, "bar")': '"foobar"',
    'CONCAT("foo"@en, "bar"@fr)': '"foobar"',
    'CONCAT("foo", 1)': '-',
    'ENCODE_FOR_URI("Los Angeles"@en)': '"Los%20Angeles"',
    'ENCODE_FOR_URI("a-b_c.d~e!\'()*é👪")': '"a-b_c.d~e%21%27%28%29%2A%C3%A9%F0%9F%91%AA"',
  });
});

test('language tags', async () => {
  await assertCases({
    'LANG("a"@EN-us)': '"EN-us"',
    'LANG("a")': '""',
    'LANG(1)': '""',
    'LANG(<http://example.org/>)': '-',
    'LANGMATCHES("fr-BE", "FR")': 'true^boolean',
    'LANGMATCHES("fr", "fr-BE")': 'false^boolean',
    'LANGMATCHES("fra", "fr")': 'false^boolean',
    'LANGMATCHES("fr", "*")': 'true^boolean',
    'LANGMATCHES("", "*")': 'false^boolean',
    'LANGMATCHES("", "")': 'false^boolean',
    'LANGMATCHES("fr"@en, "fr")': '-',
    'STRLANG("a", "EN-us")': '"a"@EN-us',
    'STRLANG("a", "")': '-',
    'STRLANG("a", "no tag")': '-',
    'STRLANG("a"@en, "fr")': '-',
    'STRLANG(1, "fr")': '-',
    'HASLANG("a"@en)': 'true^boolean',
    'HASLANG("a")': 'false^boolean',
    'HASLANG(<http://example.org/>)': 'false^boolean',
    'LANGDIR(STRLANGDIR("a", "ar", "rtl"))': '"rtl"',
    'LANG(STRLANGDIR("a", "AR", "rtl"))': '"AR"',
    'HASLANGDIR(STRLANGDIR("a", "ar", "rtl"))': 'true^boolean',
    'HASLANGDIR("a"@ar)': 'false^boolean',
    'LANGDIR("a"@ar)': '""',
    'STRLANGDIR("a", "ar", "RTL")': '-',
    'LANGDIR(UCASE(STRLANGDIR("a", "ar", "rtl")))': '"rtl"',
    'CONTAINS(STRLANGDIR("a", "ar", "rtl"), STRLANGDIR("a", "ar", "ltr"))': '-',
    'DATATYPE(STRLANGDIR("a", "ar", "rtl"))': 'http://www.w3.org/1999/02/22-rdf-syntax-ns#dirLangString',
    'DATATYPE("a"@en)': 'http://www.w3.org/1999/02/22-rdf-syntax-ns#langString',
    'LANG(CONCAT(STRLANGDIR("a", "ar", "rtl"), "b"@ar))': '""',
  });
});

test('hashes are of the UTF-8 bytes', async () => {
  await assertCases({
    'MD5("abc")': '"900150983cd24fb0d6963f7d28e17f72"',
    'SHA1("食べ物")': '"caf1f189d7064f8987e972525091c29f7e462c74"',
    'SHA256("abc")': '"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"',
    'STRLEN(SHA384("abc"))': '96^integer',
    'STRLEN(SHA512(""))': '128^integer',
    'MD5("a"@en)': '-',
    'MD5(1)': '-',
  });
});
