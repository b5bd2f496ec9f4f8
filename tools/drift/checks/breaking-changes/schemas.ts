import { isNode, list, type Node, node } from '../../openapi.ts';
import { type Alternative, alternativesOf, type Discriminator, isSameTarget, mayFitTwo } from './alternatives.ts';
import { hasReference, typesOf } from './flat.ts';
import {
  type At,
  compareByRules,
  compareMaps,
  compareRequired,
  elsewhere,
  inside,
  major,
  minor,
  narrowed,
  type Rule,
  type Rules,
  report,
  row,
  show,
  widened,
} from './rules.ts';
import { conditions, isSame, valueRules } from './values.ts';

/** Compares two schemas of data that goes in one direction. */
export function compareSchemas(was: unknown, is: unknown, at: At, within: ReadonlySet<string> = new Set()): void {
  if (was === false || is === false) {
    if (was !== false) narrowed(at, 'schema', 'nothing is valid any more');
    if (is !== false) widened(at, 'schema', 'nothing was valid before');
    return;
  }
  const pair = hasReference(was) || hasReference(is) ? JSON.stringify([was, is]) : '';
  // Schemas that contain themselves were compared where they begin.
  if (within.has(pair)) return;
  const schemas: SchemaAt = { ...at, within: pair === '' ? within : new Set([...within, pair]) };
  const [one, other] = [alternativesOf(at.before, was), alternativesOf(at.after, is)];
  compareDiscriminators(one.discriminator, other.discriminator, at);
  if (one.all.length > 1 && one.isExclusive !== other.isExclusive && mayFitTwo(at.after, other.all))
    (other.isExclusive ? narrowed : widened)(at, 'oneOf', 'whether a value may fit two alternatives differs');
  compareAlternatives(one.all, other.all, schemas);
}

/** A place in a schema, and the references that led to it. */
interface SchemaAt extends At {
  readonly within: ReadonlySet<string>;
}

const compare = (was: unknown, is: unknown, at: At, path = '') =>
  compareSchemas(was ?? {}, is ?? {}, inside(at, path), (at as SchemaAt).within);

/** Compares alternatives that are the same, have the same name, or are the only ones left. */
function compareAlternatives(was: readonly Alternative[], is: readonly Alternative[], at: At): void {
  const left = new Set(is);
  const withoutPartner = (matches: (one: Alternative, other: Alternative) => boolean) => (one: Alternative) => {
    const other = [...left].find((each) => matches(one, each));
    if (other) {
      left.delete(other);
      compareKeywords(one.schema, other.schema, at);
    }
    return !other;
  };
  const isOnly = was.length === 1 && is.length === 1;
  const gone = was
    .filter(withoutPartner((one, other) => isOnly || isSame(at, one.schema, other.schema)))
    .filter(withoutPartner((one, other) => one.name !== undefined && one.name === other.name));
  const mayPair = gone.length === 1 && left.size === 1;
  for (const one of gone.filter(withoutPartner(() => mayPair)))
    narrowed(at, 'alternatives', `${nameOf(one)} was removed`);
  for (const one of left) widened(at, 'alternatives', `${nameOf(one)} was added`);
}

function nameOf({ name, schema }: Alternative): string {
  return name ?? JSON.stringify(schema).slice(0, 60);
}

function compareKeywords(before: Node, after: Node, at: At): void {
  if (compareTypes(before, after, at)) compareByRules(schemaRules, before, after, at);
}

/** Compares types, and says whether there are values left to compare by the other keywords. */
function compareTypes(before: Node, after: Node, at: At): boolean {
  const [was, is] = [typesOf(before) ?? allTypes, typesOf(after) ?? allTypes];
  // Every integer is a number.
  const lacks = (types: readonly string[]) => (type: string) =>
    !types.includes(type) && !(type === 'integer' && types.includes('number'));
  const isNarrower = was.some(lacks(is));
  const isWider = is.some(lacks(was));
  if (!isNarrower && !isWider) return true;
  const breaks = at.direction === 'request' ? isNarrower : isWider;
  report(breaks ? 'major' : 'minor', at, `${at.direction} type changed`, `type ${show(was)} became ${show(is)}`);
  return !was.every(lacks(is)) || !is.every(lacks(was));
}

const allTypes = ['array', 'boolean', 'null', 'number', 'object', 'string'];

/** A schema for a part of the value, which is true where it is absent. */
function subschema(keyword: string): Rule {
  return ({ [keyword]: was }, { [keyword]: is }, at) => {
    if (was !== undefined && is !== undefined) compare(was, is, at, ` ${keyword}`);
    else if (!isSame(at, was ?? {}, is ?? {}) && (was ?? is) !== true)
      (was === undefined ? narrowed : widened)(at, keyword, `${keyword} ${show(was)} became ${show(is)}`);
  };
}

const compareItems: Rule = (before, after, at) => {
  const [first, then] = [list(before.prefixItems), list(after.prefixItems)];
  for (let i = 0; i < Math.max(first.length, then.length); i++)
    compare(first[i] ?? before.items, then[i] ?? after.items, at, `[${i}]`);
  compare(before.items, after.items, at, '[]');
};

const compareProperties: Rule = (before, after, at) => {
  const [was, is] = [sentIn(at, at.before, before), sentIn(at, at.after, after)];
  const [needed, needs] = [list(before.required), list(after.required)];
  const { direction } = at;
  const others = before.additionalProperties;
  compareMaps(was, is, {
    gone: (name) => major(inside(at, `.${name}`), `${direction} property removed`, 'it was removed'),
    added: (name, schema) => {
      const here = inside(at, `.${name}`);
      if (direction === 'request' && needs.includes(name)) major(here, 'request property newly required', 'it is new');
      else minor(here, `${direction} property added`, 'it is new');
      // It was possible before, as one of the others.
      if (isNode(others)) compare(others, schema, at, `.${name}`);
    },
    both: (name, one, other) => {
      compareRequired(needed.includes(name), needs.includes(name), `${direction} property`, inside(at, `.${name}`));
      compare(one, other, at, `.${name}`);
    },
  });
  const isUndescribed = (name: unknown) =>
    !(String(name) in node(before.properties) || String(name) in node(after.properties));
  for (const name of new Set([...needed, ...needs].filter(isUndescribed)))
    compareRequired(needed.includes(name), needs.includes(name), `${direction} property`, inside(at, `.${name}`));
  compareOthers(others ?? true, after.additionalProperties ?? true, at);
};

/** The properties that are sent in the direction. */
function sentIn({ direction }: At, document: At['before'], { properties }: Node): Map<string, unknown> {
  const kept = direction === 'request' ? 'readOnly' : 'writeOnly';
  const isSent = (property: unknown) =>
    !alternativesOf(document, property).all.every(({ schema }) => schema[kept] === true);
  return new Map(Object.entries(node(properties)).filter(([, property]) => isSent(property)));
}

/** The properties that have no name. */
function compareOthers(was: unknown, is: unknown, at: At): void {
  if (was !== false && is === false) {
    const level = at.direction === 'request' ? 'major' : 'minor';
    report(level, at, `${at.direction} properties closed`, 'unknown properties are rejected now');
  } else if (was === false && is !== false)
    minor(at, `${at.direction} properties opened`, 'unknown properties are possible now');
  else if (was !== false && (was !== true || is !== true)) compare(was, is, at, '.*');
}

function compareDiscriminators(was: Discriminator | undefined, is: Discriminator | undefined, at: At): void {
  if (!was || !is) {
    if (is) narrowed(at, 'discriminator', `${is.propertyName} tells the alternatives apart now`);
    if (was) widened(at, 'discriminator', `${was.propertyName} no longer tells the alternatives apart`);
    return;
  }
  if (was.propertyName !== is.propertyName)
    major(at, 'discriminator changed', `${was.propertyName} became ${is.propertyName}`);
  compareMaps(was.mapping, is.mapping, {
    gone: (value) => narrowed(at, 'discriminator', `${value} was removed`),
    added: (value) => widened(at, 'discriminator', `${value} was added`),
    both: (value, one, other) => {
      if (!isSameTarget(at, String(one), String(other)))
        major(at, 'discriminator changed', `${value} means ${other}, not ${one}`);
    },
  });
  compareByRules({ propertyName: elsewhere, mapping: elsewhere }, was.object, is.object, at);
}

/** What a change of each keyword means. Those that lead to other schemas, as `$ref` and `allOf`, are followed before. */
const schemaRules: Rules = {
  ...valueRules,
  // compareTypes
  type: elsewhere,
  // compareProperties, of the object that has the property
  ...row('readOnly writeOnly', () => elsewhere),
  ...row('then else contentSchema propertyNames unevaluatedItems unevaluatedProperties', subschema),
  ...row('patternProperties dependentSchemas', (keyword) => conditions(keyword, compare)),
  ...row('items prefixItems', () => compareItems),
  ...row('properties required additionalProperties', () => compareProperties),
  // compareDiscriminators
  discriminator: elsewhere,
};
