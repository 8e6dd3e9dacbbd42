/** Numbers, dates, times and durations (SPARQL 1.1, 17.4.4 and 17.4.5; XPath for what it leaves open). */

import { test } from 'node:test';
import { assertCases } from './expression-cases.js';

test('rounding keeps the type and takes the half up', async () => {
  await assertCases({
    'ABS(-3)': '3^integer',
    'ABS("-3"^^xsd:byte)': '3^integer',
    'ABS(-2.50)': '2.5^decimal',
    'ABS(-0e0)': '0.0E0^double',
    'ABS("3")': '-',
    'ROUND(2.5)': '3^decimal',
    'ROUND(-2.5)': '-2^decimal',
    'ROUND(-2.51)': '-3^decimal',
    'ROUND(2.4999e0)': '2.0E0^double',
    'ROUND(-2.5e0)': '-2.0E0^double',
    'ROUND("NaN"^^xsd:double)': 'NaN^double',
    'ROUND(7)': '7^integer',
    'CEIL(10.5)': '11^decimal',
    'CEIL(-10.5)': '-10^decimal',
    'FLOOR(10.5)': '10^decimal',
    'FLOOR(-10.5)': '-11^decimal',
    'FLOOR(1.5e0)': '1.0E0^double',
    'CEIL("1.5"^^xsd:float)': '2.0E0^float',
    'FLOOR(123456789012345678901234567890.9)': '123456789012345678901234567890^decimal',
  });
});

test('arithmetic is exact for integers and decimals, and promotes', async () => {
  await assertCases({
    '9007199254740993 + 1': '9007199254740994^integer',
    '123456789012345678901234567890 * 10': '1234567890123456789012345678900^integer',
    '0.1 + 0.2': '0.3^decimal',
    '1 / 3': '0.333333333333333333^decimal',
    '4 / 2': '2^decimal',
    '1 / 0': '-',
    '1e0 / 0': 'INF^double',
    '1 + "1"^^xsd:float': '2.0E0^float',
    '"1"^^xsd:float + 1e0': '2.0E0^double',
    '"1"^^xsd:short + "1"^^xsd:byte': '2^integer',
    '-"1.50"^^xsd:decimal': '-1.5^decimal',
    '+"1.50"^^xsd:decimal': '1.50^decimal',
    '1 + "1"': '-',
    '-"a"': '-',
  });
});

test('parts of dates and times', async () => {
  const at = '"2011-01-10T14:45:13.815-05:00"^^xsd:dateTime';
  await assertCases({
    [`YEAR(${at})`]: '2011^integer',
    [`MONTH(${at})`]: '1^integer',
    [`DAY(${at})`]: '10^integer',
    [`HOURS(${at})`]: '14^integer',
    [`MINUTES(${at})`]: '45^integer',
    [`SECONDS(${at})`]: '13.815^decimal',
    [`TIMEZONE(${at})`]: '-PT5H^dayTimeDuration',
    [`TZ(${at})`]: '"-05:00"',
    'TIMEZONE("2011-01-10T14:45:13"^^xsd:dateTime)': '-',
    'TZ("2011-01-10T14:45:13"^^xsd:dateTime)': '""',
    'TZ("2011-01-10T14:45:13Z"^^xsd:dateTime)': '"Z"',
    'TIMEZONE("2011-01-10T14:45:13Z"^^xsd:dateTime)': 'PT0S^dayTimeDuration',
    'YEAR("-0044-03-15T00:00:00Z"^^xsd:dateTime)': '-44^integer',
    'YEAR("2011-01-10"^^xsd:date)': '2011^integer',
    'HOURS("14:45:13"^^xsd:time)': '14^integer',
    'HOURS("2011-01-10"^^xsd:date)': '-',
    'YEAR("2011-13-10"^^xsd:date)': '-',
    'YEAR("2011")': '-',
    'DAY("2011-01-10T24:00:00"^^xsd:dateTime)': '11^integer',
  });
});

test('sums and differences of dates, times and durations', async () => {
  await assertCases({
    '"2020-01-31"^^xsd:date + "P1M"^^xsd:yearMonthDuration': '2020-02-29^date',
    '"2020-02-29"^^xsd:date - "P1Y"^^xsd:yearMonthDuration': '2019-02-28^date',
    '"P1D"^^xsd:dayTimeDuration + "2020-02-28"^^xsd:date': '2020-02-29^date',
    '"2020-01-01"^^xsd:date + "PT36H"^^xsd:dayTimeDuration': '2020-01-02^date',
    '"2020-01-01T00:00:00Z"^^xsd:dateTime - "PT0.5S"^^xsd:dayTimeDuration': '2019-12-31T23:59:59.5Z^dateTime',
    '"2020-01-01T00:00:00+02:00"^^xsd:dateTime + "P1M2DT1H"^^xsd:duration': '2020-02-03T01:00:00+02:00^dateTime',
    '"23:30:00"^^xsd:time + "PT1H"^^xsd:dayTimeDuration': '00:30:00^time',
    '"00:10:00Z"^^xsd:time - "PT1H"^^xsd:dayTimeDuration': '23:10:00Z^time',
    '"2020-03-01T12:00:00Z"^^xsd:dateTime - "2020-02-28T11:30:00Z"^^xsd:dateTime': 'P2DT30M^dayTimeDuration',
    '"2020-01-01"^^xsd:date - "2021-01-01"^^xsd:date': '-P366D^dayTimeDuration',
    '"2020-01-01T00:00:00+01:00"^^xsd:dateTime - "2020-01-01T00:00:00Z"^^xsd:dateTime': '-PT1H^dayTimeDuration',
    '"12:00:00"^^xsd:time - "10:30:00"^^xsd:time': 'PT1H30M^dayTimeDuration',
    '"P1D"^^xsd:dayTimeDuration + "PT1H"^^xsd:dayTimeDuration': 'P1DT1H^dayTimeDuration',
    '"P1Y"^^xsd:yearMonthDuration - "P1M"^^xsd:yearMonthDuration': 'P11M^yearMonthDuration',
    '"P1Y"^^xsd:yearMonthDuration + "P1D"^^xsd:dayTimeDuration': 'P1Y1D^duration',
    '"P1Y"^^xsd:yearMonthDuration - "P1D"^^xsd:dayTimeDuration': '-',
    '"PT1H"^^xsd:dayTimeDuration * 2.5': 'PT2H30M^dayTimeDuration',
    '2 * "P1Y"^^xsd:yearMonthDuration': 'P2Y^yearMonthDuration',
    '"P1Y"^^xsd:yearMonthDuration / 5': 'P2M^yearMonthDuration',
    '"P1D"^^xsd:dayTimeDuration / "PT6H"^^xsd:dayTimeDuration': '4^decimal',
    '"P1D"^^xsd:dayTimeDuration / 0': '-',
    '-"P1D"^^xsd:dayTimeDuration': '-P1D^dayTimeDuration',
    '"2020-01-01"^^xsd:date + "2020-01-01"^^xsd:date': '-',
    '"2020-01-01"^^xsd:date - "2020-01-01T00:00:00"^^xsd:dateTime': '-',
    '"2020-01-01"^^xsd:date + 1': '-',
    '"P1D"^^xsd:dayTimeDuration - "2020-01-01"^^xsd:date': '-',
    '"99999999-01-01"^^xsd:date + "P9999999999D"^^xsd:dayTimeDuration': '-',
    '"2020-01-01"^^xsd:date < "2020-01-02"^^xsd:date': 'true^boolean',
    '"P1D"^^xsd:dayTimeDuration = "PT24H"^^xsd:dayTimeDuration': 'true^boolean',
    '"PT1H"^^xsd:dayTimeDuration < "P1D"^^xsd:dayTimeDuration': 'true^boolean',
  });
});
