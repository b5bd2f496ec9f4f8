import { isDeepStrictEqual } from 'node:util';
import { list, type Node, node } from '../../openapi.ts';
import { annotations, isSame, typesOf } from './normal.ts';
import {
  became,
  compareMaps,
  deprecation,
  documentation,
  each,
  fixed,
  type Location,
  type Rule,
  type Rules,
} from './rules.ts';

/** A rule for a keyword that restricts values. `isWider` compares two restrictions; `inert` values restrict nothing. */
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

const entriesOf = (value: unknown) => new Map(Object.entries(node(value)));

/** A rule for a keyword that holds several conditions by name. */
export function conditions(keyword: string, both: (was: unknown, is: unknown, at: Location) => void): Rule {
  return (before, after, at) =>
    compareMaps(entriesOf(before[keyword]), entriesOf(after[keyword]), {
      removed: (key) => at.widened(keyword, `${keyword} ${key} was removed`),
      added: (key) => at.narrowed(keyword, `${keyword} ${key} was added`),
      both: (key, was, is) => both(was, is, at.inside(` ${keyword} ${key}`)),
    });
}

/** A rule for an inclusive bound and its exclusive form. `sign` is 1 if a larger bound is stricter. */
function bound(keyword: string, sign: 1 | -1, none = -sign * Infinity, exclusive = ''): Rule {
  const round = sign === 1 ? Math.floor : Math.ceil;
  // An exclusive bound equals the inclusive one of the next number.
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

/** Formats by a wider format that accepts all of their values. */
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

/** Compares the default of an omitted value. */
const compareDefaults: Rule = ({ default: was }, { default: is }, at) => {
  if (isDeepStrictEqual(was, is)) return;
  const { direction } = at.scope;
  const level = direction === 'request' || was !== undefined ? 'major' : 'minor';
  at.report(level, `${direction} default changed`, became('default', was, is));
};

/** Compares the statuses of error codes. */
const compareStatuses: Rule = (before, after, at) =>
  compareMaps(entriesOf(before['x-statuses']), entriesOf(after['x-statuses']), {
    removed: (code) => at.major('status of a code changed', `${code} has none`),
    added: (code) => at.minor('status of a code added', `${code} has one now`),
    both: (code, was, is) => {
      if (was !== is) at.major('status of a code changed', `${code}: ${was} became ${is}`);
    },
  });

/** Compares how a value is written as XML. */
const compareXml: Rule = (before, after, at) => {
  const { direction, media = '' } = at.scope;
  if (/xml/.test(media)) fixed('xml', `${direction} XML`)(before, after, at);
};

/** The rules of keywords that restrict values without other schemas. */
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
