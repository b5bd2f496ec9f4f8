import { isDeepStrictEqual } from 'node:util';
import { type Document, resolve } from '../../../openapi/document.ts';
import { type Node, node } from '../../openapi.ts';

/** A change between two specs, and its effect on users. */
export interface Change {
  /** `major` breaks correct programs, `minor` breaks none. */
  readonly level: 'major' | 'minor';
  /** The rule that reported it. */
  readonly rule: string;
  readonly where: string;
  readonly detail: string;
  /** The packages whose users the change affects: all packages by default. */
  readonly packages?: readonly string[];
}

interface Scope {
  readonly before: Document;
  readonly after: Document;
  /** Decides whether a sunset has come. */
  readonly today: string;
  /** The location in the interface, as a finding names it. */
  readonly where: string;
  /** Which way the data goes. In a request fewer valid values are a break, in a response more valid values are one. */
  readonly direction: 'request' | 'response';
  /** The media type of the data, where there is one. */
  readonly media?: string;
  /** The pairs of schemas around the compared pair, as JSON. Recursion stops when a pair occurs again. */
  readonly enclosingPairs?: ReadonlySet<string>;
}

/** A location in the compared interface. All locations of a comparison share one list of changes. */
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
    // Each media type and each alternative of a location may lead to the same change.
    if (!this.changes.some((known) => known.rule === rule && known.where === where && known.detail === detail))
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

/**
 * The rules of an object of OpenAPI by its keywords. A text instead of a rule is a note for readers: which function compares the
 * keyword, or that it is documentation.
 */
export type Rules = Readonly<Record<string, Rule | string>>;

/**
 * A rule that compares objects by the rules of their keywords. A keyword that the rules lack is a break where it differs: its
 * meaning is unknown. An extension that the rules lack may be added: nobody depends on it yet.
 */
export function byRules(rules: Rules): Rule {
  return (before, after, at) => {
    const keys = Object.keys({ ...before, ...after });
    const applying = keys.filter((key) => Object.hasOwn(rules, key)).map((key) => rules[key]);
    // A rule of several keywords runs once.
    for (const rule of new Set(applying)) if (typeof rule === 'function') rule(before, after, at);
    for (const key of keys) {
      if (Object.hasOwn(rules, key) || documentation.has(key) || isDeepStrictEqual(before[key], after[key])) continue;
      if (key.startsWith('x-') && before[key] === undefined) continue;
      at.major(`no rule for ${key}`, became(key, before[key], after[key]));
    }
  };
}

/** Keywords that are documentation in every object, and extensions that only documentation tools read. */
const documentation: ReadonlySet<string> = new Set([
  ...['summary', 'description', 'externalDocs', 'example', 'examples', 'x-codeSamples', 'x-displayName', 'x-internal'],
  ...['x-logo', 'x-tagGroups', 'x-enumDescriptions', 'x-enum-descriptions'],
]);

/** A rule that reports any change of a keyword's value. */
export function unequal(level: Change['level'], key: string, name: string): Rule {
  return (before, after, at) => {
    if (!isDeepStrictEqual(before[key], after[key]))
      at.report(level, `${name} changed`, became(key, before[key], after[key]));
  };
}

export function deprecation(name: string): Rule {
  return (before, after, at) => {
    if (!before.deprecated && after.deprecated) at.minor(`${name} deprecated`, 'it is deprecated now');
    if (before.deprecated && !after.deprecated) at.minor(`${name} no longer deprecated`, 'it is no longer deprecated');
  };
}

export function required(name: string): Rule {
  return (before, after, at) => compareRequired(before.required === true, after.required === true, name, at);
}

/** Compares whether a value is required in a request, or always present in a response. */
export function compareRequired(before: boolean, after: boolean, name: string, at: Location): void {
  if (before === after) return;
  const isRequest = at.scope.direction === 'request';
  if (isRequest && after) at.major(`${name} newly required`, 'it is required now');
  else if (isRequest) at.minor(`${name} no longer required`, 'it is optional now');
  else if (after) at.minor(`${name} always present`, 'it is always present now');
  else at.major(`${name} may be missing`, 'it may be missing now');
}

/** Handlers for the entries that only one of two maps has, and for the entries that both maps have. */
interface Handlers<T> {
  removed?(here: Location, before: T, key: string): void;
  added?(here: Location, after: T, key: string): void;
  both(before: T, after: T, here: Location, key: string): void;
}

/** Compares two maps by their keys. `locate` returns the location of an entry. */
export function compareMaps<T>(
  before: ReadonlyMap<string, T>,
  after: ReadonlyMap<string, T>,
  locate: (key: string) => Location,
  on: Handlers<T>,
): void {
  for (const [key, value] of before) {
    const valueAfter = after.get(key);
    if (valueAfter === undefined) on.removed?.(locate(key), value, key);
    else on.both(value, valueAfter, locate(key), key);
  }
  for (const [key, value] of after) if (!before.has(key)) on.added?.(locate(key), value, key);
}

/** The entries of a map of OpenAPI, with the targets of references. */
export function mapOf(value: unknown, document: Document): Map<string, Node> {
  return new Map(Object.entries(node(value)).map(([name, entry]) => [name, resolve(document, node(entry))]));
}

/** Compares two maps of OpenAPI: extensions as unknown keywords, the other entries with `on`, at `path + key`. */
export function compareExtensible(before: unknown, after: unknown, at: Location, path: string, on: Handlers<Node>) {
  const part = (value: unknown, isExtension: boolean): Node =>
    Object.fromEntries(Object.entries(node(value)).filter(([key]) => key.startsWith('x-') === isExtension));
  byRules({})(part(before, true), part(after, true), at);
  const [entries, entriesAfter] = [
    mapOf(part(before, false), at.scope.before),
    mapOf(part(after, false), at.scope.after),
  ];
  compareMaps(entries, entriesAfter, (key) => at.inside(path + key), on);
}

/** A rule for a map of named objects. A removed object is a break, a new one is an addition. */
export function named(key: string, kind: string, both: Rule): Rule {
  return (before, after, at) =>
    compareExtensible(before[key], after[key], at, ` ${kind} `, {
      removed: (here) => here.removed(kind),
      added: (here) => here.added(kind),
      both,
    });
}

/** One rule for each keyword. */
export function each(keywords: string, ruleOf: (keyword: string) => Rule | string): Rules {
  return Object.fromEntries(keywords.split(' ').map((keyword) => [keyword, ruleOf(keyword)]));
}

/** The detail of a change: both values. */
export function became(key: string, before: unknown, after: unknown): string {
  const [textBefore, textAfter] = [before, after].map((value) =>
    value === undefined ? 'none' : JSON.stringify(value),
  );
  return `${key} ${textBefore} became ${textAfter}`;
}
