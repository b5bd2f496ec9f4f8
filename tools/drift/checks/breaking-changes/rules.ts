import { isDeepStrictEqual } from 'node:util';
import { type Document, resolve } from '../../../openapi/document.ts';
import { type Node, node } from '../../openapi.ts';

/** A change between two specs, and what it means for the users of the interface. */
export interface Change {
  /** `major` breaks correct users, `minor` adds something. */
  readonly level: 'major' | 'minor';
  /** The rule that says so. */
  readonly rule: string;
  readonly where: string;
  readonly detail: string;
  /** The packages whose users see it; all of them where none is named. */
  readonly packages?: readonly string[];
}

/** Data goes to the service, where it is a break to accept less, or comes from it, where it is a break to send more. */
export type Direction = 'request' | 'response';

/** A place of the interface that is compared. */
export interface At {
  readonly before: Document;
  readonly after: Document;
  readonly where: string;
  readonly direction: Direction;
  /** The media type of the data, where there is one. */
  readonly media?: string;
  /** Takes down what was found. */
  readonly changes: Change[];
  /** Decides whether a sunset has come. */
  readonly today: string;
}

/** Compares one keyword of an object, or several that mean something together. */
export type Rule = (before: Node, after: Node, at: At) => void;

/** The rules of an object of OpenAPI by its keywords. */
export type Rules = Readonly<Record<string, Rule>>;

/** For keywords that nobody's calls depend on. */
export const documentation: Rule = () => {};

/** For keywords that are compared together with others, which the comment in its row names. */
export const elsewhere: Rule = () => {};

/**
 * Compares two objects by their rules. A keyword without a rule is a break where it differs: nobody can say what it means.
 * An extension without a rule may be added: nobody can depend on it yet.
 */
export function compareByRules(rules: Rules, before: Node, after: Node, at: At): void {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  for (const rule of new Set([...keys].flatMap((key) => rules[key] ?? []))) rule(before, after, at);
  for (const key of keys) {
    if (Object.hasOwn(rules, key) || shown.has(key) || isDeepStrictEqual(before[key], after[key])) continue;
    if (key.startsWith('x-') && before[key] === undefined) continue;
    major(at, `no rule for ${key}`, `${key} ${show(before[key])} became ${show(after[key])}`);
  }
}

/** Keywords that are documentation wherever they stand, extensions that only pages of documentation read among them. */
const shown: ReadonlySet<string> = new Set([
  ...['summary', 'description', 'externalDocs', 'example', 'examples', 'x-codeSamples', 'x-displayName', 'x-internal'],
  ...['x-logo', 'x-tagGroups', 'x-enumDescriptions', 'x-enum-descriptions'],
]);

export function report(level: Change['level'], at: At, rule: string, detail: string): void {
  const { where, changes } = at;
  // A schema that is reached in several ways is compared in each.
  if (!changes.some((one) => one.rule === rule && one.where === where && one.detail === detail))
    changes.push({ level, rule, where, detail });
}

export const major = (at: At, rule: string, detail: string) => report('major', at, rule, detail);
export const minor = (at: At, rule: string, detail: string) => report('minor', at, rule, detail);

/** Fewer values are valid. */
export function narrowed(at: At, rule: string, detail: string): void {
  report(at.direction === 'request' ? 'major' : 'minor', at, `${at.direction} ${rule} narrowed`, detail);
}

/** More values are valid. */
export function widened(at: At, rule: string, detail: string): void {
  report(at.direction === 'response' ? 'major' : 'minor', at, `${at.direction} ${rule} widened`, detail);
}

export const inside = (at: At, path: string, more: Partial<At> = {}): At => ({
  ...at,
  where: at.where + path,
  ...more,
});

export const opposite = ({ direction }: At): Direction => (direction === 'request' ? 'response' : 'request');

/** What may not change, compared by what it means where the rule says how. */
export function fixed(key: string, name: string, meaning = (value: unknown): unknown => value): Rule {
  return ({ [key]: was }, { [key]: is }, at) => {
    if (!isDeepStrictEqual(meaning(was), meaning(is)))
      major(at, `${name} changed`, `${key} ${show(was)} became ${show(is)}`);
  };
}

/** What users want to read about, and what breaks nobody. */
export function announced(key: string, name: string): Rule {
  return ({ [key]: was }, { [key]: is }, at) => {
    if (!isDeepStrictEqual(was, is)) minor(at, name, `${key} ${show(was)} became ${show(is)}`);
  };
}

export function deprecation(name: string): Rule {
  return ({ deprecated: was }, { deprecated: is }, at) => {
    if (!was && is) minor(at, `${name} deprecated`, 'it is deprecated now');
    if (was && !is) minor(at, `${name} no longer deprecated`, 'it is no longer deprecated');
  };
}

/** What has to be sent, or is always sent. */
export function compareRequired(was: boolean, is: boolean, name: string, at: At): void {
  if (was === is) return;
  const isSent = at.direction === 'request';
  if (isSent && is) major(at, `${name} newly required`, 'it is required now');
  else if (isSent) minor(at, `${name} no longer required`, 'it is optional now');
  else if (is) minor(at, `${name} always present`, 'it is always present now');
  else major(at, `${name} may be missing`, 'it may be missing now');
}

export function required(name: string): Rule {
  return (before, after, at) => compareRequired(before.required === true, after.required === true, name, at);
}

/** Compares two maps by their keys. */
export function compareMaps<T>(
  was: ReadonlyMap<string, T>,
  is: ReadonlyMap<string, T>,
  { gone, added, both }: ByKey<T>,
): void {
  for (const [key, one] of was) {
    const other = is.get(key);
    if (other === undefined) gone(key, one);
    else both(key, one, other);
  }
  for (const [key, one] of is) if (!was.has(key)) added(key, one);
}

interface ByKey<T> {
  gone(key: string, one: T): void;
  added(key: string, one: T): void;
  both(key: string, was: T, is: T): void;
}

/** The entries of a map of OpenAPI. With a document, each is an object behind the reference that leads to it. */
export function mapOf(value: unknown): Map<string, unknown>;
export function mapOf(value: unknown, document: Document): Map<string, Node>;
export function mapOf(value: unknown, document?: Document): Map<string, unknown> {
  const entries = Object.entries(node(value));
  return new Map(entries.map(([name, one]) => [name, document ? resolve(document, node(one)) : one]));
}

/** Compares the extensions of a map by their rules, which are none, and the other entries by their keys. */
export function compareExtensible(was: unknown, is: unknown, at: At, byKey: ByKey<Node>): void {
  const part = (value: unknown, isWanted: boolean): Node =>
    Object.fromEntries(Object.entries(node(value)).filter(([key]) => key.startsWith('x-') === isWanted));
  compareByRules({}, part(was, true), part(is, true), at);
  compareMaps(mapOf(part(was, false), at.before), mapOf(part(is, false), at.after), byKey);
}

/** A rule for a map of named things: one that is gone is a break, one more is an addition. */
export function things(key: string, what: string, both: (was: Node, is: Node, at: At) => void): Rule {
  return ({ [key]: was }, { [key]: is }, at) => {
    const here = (name: string) => inside(at, ` ${what} ${name}`);
    compareExtensible(was, is, at, {
      gone: (name) => major(here(name), `${what} removed`, 'it was removed'),
      added: (name) => minor(here(name), `${what} added`, 'it is new'),
      both: (name, one, other) => both(one, other, here(name)),
    });
  };
}

/** One rule for each keyword. */
export function row(keywords: string, ruleOf: (keyword: string) => Rule): Rules {
  return Object.fromEntries(keywords.split(' ').map((keyword) => [keyword, ruleOf(keyword)]));
}

export function show(value: unknown): string {
  return value === undefined ? 'none' : JSON.stringify(value);
}
