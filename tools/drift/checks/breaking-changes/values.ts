import { isDeepStrictEqual } from 'node:util';
import { list, type Node } from '../../openapi.ts';
import { annotations, canonical, typesOf } from './flat.ts';
import {
  type At,
  compareMaps,
  deprecation,
  documentation,
  fixed,
  inside,
  major,
  mapOf,
  minor,
  narrowed,
  type Rule,
  type Rules,
  report,
  row,
  show,
  widened,
} from './rules.ts';

/** Whether two schemas say the same. */
export const isSame = ({ before, after }: At, was: unknown, is: unknown) =>
  canonical(before, was) === canonical(after, is);

/** A keyword of which is only known that it rules values out. The `inert` values rule out nothing. */
function restriction(
  keyword: string,
  isWider = (_was: unknown, _is: unknown) => false,
  inert: readonly unknown[] = [],
): Rule {
  return ({ [keyword]: was }, { [keyword]: is }, at) => {
    const isAbsent = (value: unknown) => value === undefined || inert.includes(value);
    if ((isAbsent(was) && isAbsent(is)) || isSame(at, { [keyword]: was }, { [keyword]: is })) return;
    const detail = `${keyword} ${show(was)} became ${show(is)}`;
    if (isAbsent(was) || (!isAbsent(is) && isWider(is, was))) narrowed(at, keyword, detail);
    else if (isAbsent(is) || isWider(was, is)) widened(at, keyword, detail);
    else {
      narrowed(at, keyword, detail);
      widened(at, keyword, detail);
    }
  };
}

/** A map of rules that all have to hold. */
export function conditions(keyword: string, both: (was: unknown, is: unknown, at: At) => void): Rule {
  return (before, after, at) =>
    compareMaps(mapOf(before[keyword]), mapOf(after[keyword]), {
      gone: (key) => widened(at, keyword, `${keyword} ${key} was removed`),
      added: (key) => narrowed(at, keyword, `${keyword} ${key} was added`),
      both: (key, was, is) => both(was, is, inside(at, ` ${keyword} ${key}`)),
    });
}

/** A bound, which may be `keyword` itself, or beyond `exclusive`. `sign` is 1 where a larger one is tighter. */
function bound(keyword: string, sign: 1 | -1, none = -sign * Infinity, exclusive = ''): Rule {
  const round = sign === 1 ? Math.floor : Math.ceil;
  // The next number is the same bound.
  const next = (value: number, schema: Node) =>
    isDeepStrictEqual(typesOf(schema), ['integer'])
      ? round(value) + sign
      : value + sign * Number.EPSILON * Math.max(1, Math.abs(value));
  const tightness = ({ [keyword]: inclusive = none, [exclusive]: beyond, ...schema }: Node) =>
    Math.max(sign * Number(inclusive), beyond === undefined ? -Infinity : sign * next(Number(beyond), schema));
  return (before, after, at) => {
    const [was, is] = [tightness(before), tightness(after)];
    const detail = `${keyword} ${show(before[keyword] ?? before[exclusive])} became ${show(after[keyword] ?? after[exclusive])}`;
    if (is > was) narrowed(at, 'bound', detail);
    if (is < was) widened(at, 'bound', detail);
  };
}

const lowest = bound('minimum', 1, undefined, 'exclusiveMinimum');
const highest = bound('maximum', -1, undefined, 'exclusiveMaximum');

const isMultiple = (was: unknown, is: unknown) => Number.isInteger(Number((Number(was) / Number(is)).toFixed(9)));

/** Formats of which every value has the other one too. */
const widerFormats: Readonly<Record<string, string>> = {
  int32: 'int64',
  float: 'double',
  email: 'idn-email',
  hostname: 'idn-hostname',
  uri: 'uri-reference',
};

const compareEnums: Rule = (before, after, at) => {
  const texts = (values: unknown) => list(values).map((value) => (typeof value === 'string' ? value : show(value)));
  const [was, is] = [texts(before.enum), texts(after.enum)];
  if (!before.enum) return narrowed(at, 'enum', `any value became one of ${is.join(', ')}`);
  if (!after.enum) return widened(at, 'enum', `one of ${was.join(', ')} became any value`);
  const gone = was.filter((value) => !is.includes(value));
  const added = is.filter((value) => !was.includes(value));
  if (gone.length > 0) narrowed(at, 'enum', `${gone.join(', ')} was removed`);
  if (added.length > 0) widened(at, 'enum', `${added.join(', ')} was added`);
};

/** What stands for a value that is left out. */
const compareDefaults: Rule = ({ default: was }, { default: is }, at) => {
  if (isDeepStrictEqual(was, is)) return;
  const level = at.direction === 'request' || was !== undefined ? 'major' : 'minor';
  report(level, at, `${at.direction} default changed`, `default ${show(was)} became ${show(is)}`);
};

/** Where an error code is answered with another status. */
const compareStatuses: Rule = (before, after, at) =>
  compareMaps(mapOf(before['x-statuses']), mapOf(after['x-statuses']), {
    gone: (code) => major(at, 'status of a code changed', `${code} has none`),
    added: (code) => minor(at, 'status of a code added', `${code} has one now`),
    both: (code, was, is) => {
      if (was !== is) major(at, 'status of a code changed', `${code}: ${was} became ${is}`);
    },
  });

/** How a value is written as XML. */
const compareXml: Rule = (before, after, at) => {
  if (/xml/.test(at.media ?? '')) fixed('xml', `${at.direction} XML`)(before, after, at);
};

/** What a change of each keyword means that rules values out by itself. */
export const valueRules: Rules = {
  ...row([...annotations].join(' '), () => documentation),
  enum: compareEnums,
  default: compareDefaults,
  deprecated: (before, after, at) => deprecation(`${at.direction} value`)(before, after, at),
  ...row('minimum exclusiveMinimum', () => lowest),
  ...row('maximum exclusiveMaximum', () => highest),
  ...row('minLength minItems minProperties', (keyword) => bound(keyword, 1, 0)),
  minContains: bound('minContains', 1, 1),
  ...row('maxLength maxItems maxProperties maxContains', (keyword) => bound(keyword, -1)),
  format: restriction('format', (was, is) => widerFormats[String(was)] === is),
  multipleOf: restriction('multipleOf', isMultiple),
  pattern: restriction('pattern', undefined, ['', '.*', '^.*$']),
  uniqueItems: restriction('uniqueItems', undefined, [false]),
  ...row('contentEncoding contentMediaType not if contains allOf', (keyword) => restriction(keyword)),
  dependentRequired: conditions('dependentRequired', (was, is, at) => {
    const lacks = (some: unknown, all: unknown) => list(some).filter((name) => !list(all).includes(name));
    if (lacks(is, was).length > 0) narrowed(at, 'dependentRequired', `${lacks(is, was)} is required too`);
    if (lacks(was, is).length > 0) widened(at, 'dependentRequired', `${lacks(was, is)} is no longer required`);
  }),
  xml: compareXml,
  'x-statuses': compareStatuses,
};
