import { isDeepStrictEqual } from 'node:util';
import { list, type Node } from '../../openapi.ts';
import { annotations, isSame, typesOf } from './normal.ts';
import {
  became,
  compareMaps,
  deprecation,
  documentation,
  each,
  fixed,
  type Location,
  mapOf,
  type Rule,
  type Rules,
} from './rules.ts';

/** A keyword of which is only known that it rules values out. The `inert` values rule out nothing. */
function restriction(
  keyword: string,
  isWider = (_was: unknown, _is: unknown) => false,
  inert: readonly unknown[] = [],
): Rule {
  return ({ [keyword]: was }, { [keyword]: is }, at) => {
    const isAbsent = (value: unknown) => value === undefined || inert.includes(value);
    if ((isAbsent(was) && isAbsent(is)) || isSame(at.scope, { [keyword]: was }, { [keyword]: is })) return;
    const detail = became(keyword, was, is);
    if (isAbsent(was) || (!isAbsent(is) && isWider(is, was))) at.narrowed(keyword, detail);
    else if (isAbsent(is) || isWider(was, is)) at.widened(keyword, detail);
    else {
      at.narrowed(keyword, detail);
      at.widened(keyword, detail);
    }
  };
}

/** A map of rules that all have to hold. */
export function conditions(keyword: string, both: (was: unknown, is: unknown, at: Location) => void): Rule {
  return (before, after, at) =>
    compareMaps(mapOf(before[keyword]), mapOf(after[keyword]), {
      removed: (key) => at.widened(keyword, `${keyword} ${key} was removed`),
      added: (key) => at.narrowed(keyword, `${keyword} ${key} was added`),
      both: (key, was, is) => both(was, is, at.inside(` ${keyword} ${key}`)),
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
    const detail = became(keyword, before[keyword] ?? before[exclusive], after[keyword] ?? after[exclusive]);
    if (is > was) at.narrowed('bound', detail);
    if (is < was) at.widened('bound', detail);
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
  const texts = (values: unknown) =>
    list(values).map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
  const [was, is] = [texts(before.enum), texts(after.enum)];
  if (!before.enum) return at.narrowed('enum', `any value became one of ${is.join(', ')}`);
  if (!after.enum) return at.widened('enum', `one of ${was.join(', ')} became any value`);
  const removed = was.filter((value) => !is.includes(value));
  const added = is.filter((value) => !was.includes(value));
  if (removed.length > 0) at.narrowed('enum', `${removed.join(', ')} was removed`);
  if (added.length > 0) at.widened('enum', `${added.join(', ')} was added`);
};

/** What stands for a value that is left out. */
const compareDefaults: Rule = ({ default: was }, { default: is }, at) => {
  if (isDeepStrictEqual(was, is)) return;
  const { direction } = at.scope;
  const level = direction === 'request' || was !== undefined ? 'major' : 'minor';
  at.report(level, `${direction} default changed`, became('default', was, is));
};

/** Where an error code is answered with another status. */
const compareStatuses: Rule = (before, after, at) =>
  compareMaps(mapOf(before['x-statuses']), mapOf(after['x-statuses']), {
    removed: (code) => at.major('status of a code changed', `${code} has none`),
    added: (code) => at.minor('status of a code added', `${code} has one now`),
    both: (code, was, is) => {
      if (was !== is) at.major('status of a code changed', `${code}: ${was} became ${is}`);
    },
  });

/** How a value is written as XML. */
const compareXml: Rule = (before, after, at) => {
  const { direction, media = '' } = at.scope;
  if (/xml/.test(media)) fixed('xml', `${direction} XML`)(before, after, at);
};

/** What a change of each keyword means that rules values out by itself. */
export const keywordRules: Rules = {
  ...each([...annotations].join(' '), () => documentation),
  enum: compareEnums,
  default: compareDefaults,
  deprecated: (before, after, at) => deprecation(`${at.scope.direction} value`)(before, after, at),
  ...each('minimum exclusiveMinimum', () => lowest),
  ...each('maximum exclusiveMaximum', () => highest),
  ...each('minLength minItems minProperties', (keyword) => bound(keyword, 1, 0)),
  minContains: bound('minContains', 1, 1),
  ...each('maxLength maxItems maxProperties maxContains', (keyword) => bound(keyword, -1)),
  format: restriction('format', (was, is) => widerFormats[String(was)] === is),
  multipleOf: restriction('multipleOf', isMultiple),
  pattern: restriction('pattern', undefined, ['', '.*', '^.*$']),
  uniqueItems: restriction('uniqueItems', undefined, [false]),
  ...each('contentEncoding contentMediaType not if contains allOf', (keyword) => restriction(keyword)),
  dependentRequired: conditions('dependentRequired', (was, is, at) => {
    const lacks = (some: unknown, all: unknown) => list(some).filter((name) => !list(all).includes(name));
    if (lacks(is, was).length > 0) at.narrowed('dependentRequired', `${lacks(is, was)} is required too`);
    if (lacks(was, is).length > 0) at.widened('dependentRequired', `${lacks(was, is)} is no longer required`);
  }),
  xml: compareXml,
  'x-statuses': compareStatuses,
};
