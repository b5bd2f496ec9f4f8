import { isDeepStrictEqual } from 'node:util';
import { type Document, resolve } from '../../../openapi/document.ts';
import { type Node, node } from '../../openapi.ts';

/** A change between two specs, and its effect on users. */
export interface Change {
  /** `major` breaks correct users, `minor` adds something. */
  readonly level: 'major' | 'minor';
  /** The rule that reported it. */
  readonly rule: string;
  readonly where: string;
  readonly detail: string;
  /** The packages whose users see it; all of them where none is named. */
  readonly packages?: readonly string[];
}

interface Scope {
  readonly before: Document;
  readonly after: Document;
  /** Decides whether a sunset has come. */
  readonly today: string;
  /** For people. */
  readonly where: string;
  /** Data goes to the service, where it is a break to accept less, or comes from it, where it is a break to send more. */
  readonly direction: 'request' | 'response';
  /** The media type of the data, where there is one. */
  readonly media?: string;
  /** The pairs of schemas that led here. */
  readonly within?: ReadonlySet<string>;
}

/** A location in the interface that is compared. It collects the changes that are reported there. */
export class Location {
  readonly scope: Scope;
  readonly changes: Change[];

  constructor(scope: Scope, changes: Change[] = []) {
    this.scope = scope;
    this.changes = changes;
  }

  with(more: Partial<Scope>): Location {
    return new Location({ ...this.scope, ...more }, this.changes);
  }

  inside(path: string): Location {
    return this.with({ where: this.scope.where + path });
  }

  /** The same location for data that goes the other way. */
  reversed(): Location {
    return this.with({ direction: this.scope.direction === 'request' ? 'response' : 'request' });
  }

  report(level: Change['level'], rule: string, detail: string): void {
    const { where } = this.scope;
    // A schema that is reached in several ways is compared in each.
    if (!this.changes.some((one) => one.rule === rule && one.where === where && one.detail === detail))
      this.changes.push({ level, rule, where, detail });
  }

  major(rule: string, detail: string): void {
    this.report('major', rule, detail);
  }

  minor(rule: string, detail: string): void {
    this.report('minor', rule, detail);
  }

  removed(name: string): void {
    this.major(`${name} removed`, 'it was removed');
  }

  added(name: string, isRequired = false): void {
    if (isRequired && this.scope.direction === 'request') this.major(`${name} newly required`, 'it is new');
    else this.minor(`${name} added`, 'it is new');
  }

  /** Fewer values are valid. */
  narrowed(rule: string, detail: string): void {
    const { direction } = this.scope;
    this.report(direction === 'request' ? 'major' : 'minor', `${direction} ${rule} narrowed`, detail);
  }

  /** More values are valid. */
  widened(rule: string, detail: string): void {
    const { direction } = this.scope;
    this.report(direction === 'response' ? 'major' : 'minor', `${direction} ${rule} widened`, detail);
  }
}

/** Compares one keyword of an object, or several that mean something together. */
export type Rule = (before: Node, after: Node, at: Location) => void;

/** The rules of an object of OpenAPI by its keywords. */
export type Rules = Readonly<Record<string, Rule>>;

/** A rule for keywords that affect no call. */
export const documentation: Rule = () => {};

/** A rule for keywords that the function named in a comment compares. */
export const elsewhere: Rule = () => {};

/**
 * Compares two objects by their rules. A keyword without a rule is a break where it differs: its meaning is unknown.
 * An extension without a rule may be added: nobody depends on it yet.
 */
export function compareByRules(rules: Rules, before: Node, after: Node, at: Location): void {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  for (const rule of new Set([...keys].flatMap((key) => rules[key] ?? []))) rule(before, after, at);
  for (const key of keys) {
    if (Object.hasOwn(rules, key) || documented.has(key) || isDeepStrictEqual(before[key], after[key])) continue;
    if (key.startsWith('x-') && before[key] === undefined) continue;
    at.major(`no rule for ${key}`, became(key, before[key], after[key]));
  }
}

/** Keywords that are documentation wherever they stand, extensions that only pages of documentation read among them. */
const documented: ReadonlySet<string> = new Set([
  ...['summary', 'description', 'externalDocs', 'example', 'examples', 'x-codeSamples', 'x-displayName', 'x-internal'],
  ...['x-logo', 'x-tagGroups', 'x-enumDescriptions', 'x-enum-descriptions'],
]);

/** A rule for a keyword that must not change. `meaning` makes values comparable. */
export function fixed(key: string, name: string, meaning = (value: unknown): unknown => value): Rule {
  return ({ [key]: was }, { [key]: is }, at) => {
    if (!isDeepStrictEqual(meaning(was), meaning(is))) at.major(`${name} changed`, became(key, was, is));
  };
}

/** A rule for a keyword whose change is announced, and breaks nothing. */
export function announced(key: string, name: string): Rule {
  return ({ [key]: was }, { [key]: is }, at) => {
    if (!isDeepStrictEqual(was, is)) at.minor(name, became(key, was, is));
  };
}

export function deprecation(name: string): Rule {
  return ({ deprecated: was }, { deprecated: is }, at) => {
    if (!was && is) at.minor(`${name} deprecated`, 'it is deprecated now');
    if (was && !is) at.minor(`${name} no longer deprecated`, 'it is no longer deprecated');
  };
}

/** Compares whether a value is required in a request, or always present in a response. */
export function compareRequired(was: boolean, is: boolean, name: string, at: Location): void {
  if (was === is) return;
  const isSent = at.scope.direction === 'request';
  if (isSent && is) at.major(`${name} newly required`, 'it is required now');
  else if (isSent) at.minor(`${name} no longer required`, 'it is optional now');
  else if (is) at.minor(`${name} always present`, 'it is always present now');
  else at.major(`${name} may be missing`, 'it may be missing now');
}

export function required(name: string): Rule {
  return (before, after, at) => compareRequired(before.required === true, after.required === true, name, at);
}

/** Handlers for the entries that only one of two maps has, and for those that both have. */
interface ByKey<T> {
  removed?(key: string, was: T): void;
  added?(key: string, is: T): void;
  both(key: string, was: T, is: T): void;
}

/** Compares two maps by their keys. */
export function compareMaps<T>(was: ReadonlyMap<string, T>, is: ReadonlyMap<string, T>, byKey: ByKey<T>): void {
  for (const [key, one] of was) {
    const other = is.get(key);
    if (other === undefined) byKey.removed?.(key, one);
    else byKey.both(key, one, other);
  }
  for (const [key, one] of is) if (!was.has(key)) byKey.added?.(key, one);
}

/** The entries of a map of OpenAPI, each without its reference. */
export function mapOf(value: unknown, document: Document): Map<string, Node> {
  return new Map(Object.entries(node(value)).map(([name, one]) => [name, resolve(document, node(one))]));
}

/** Compares the entries of a map by their keys, and its extensions as keywords without rules. */
export function compareExtensible(was: unknown, is: unknown, at: Location, byKey: ByKey<Node>): void {
  const part = (value: unknown, isWanted: boolean): Node =>
    Object.fromEntries(Object.entries(node(value)).filter(([key]) => key.startsWith('x-') === isWanted));
  compareByRules({}, part(was, true), part(is, true), at);
  compareMaps(mapOf(part(was, false), at.scope.before), mapOf(part(is, false), at.scope.after), byKey);
}

/** A rule for a map of named objects: one that is removed is a break, one more is an addition. */
export function named(key: string, name: string, both: (was: Node, is: Node, at: Location) => void): Rule {
  return ({ [key]: was }, { [key]: is }, at) => {
    const here = (one: string) => at.inside(` ${name} ${one}`);
    compareExtensible(was, is, at, {
      removed: (one) => here(one).removed(name),
      added: (one) => here(one).added(name),
      both: (key, one, other) => both(one, other, here(key)),
    });
  };
}

/** One rule for each keyword. */
export function each(keywords: string, ruleOf: (keyword: string) => Rule): Rules {
  return Object.fromEntries(keywords.split(' ').map((keyword) => [keyword, ruleOf(keyword)]));
}

/** The detail of a change: both values. */
export function became(key: string, was: unknown, is: unknown): string {
  return `${key} ${textOf(was)} became ${textOf(is)}`;
}

function textOf(value: unknown): string {
  return value === undefined ? 'none' : JSON.stringify(value);
}
