// D7: a change that breaks callers of the last release has a changeset that says so.
import { execFileSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import type { Schema } from '@petstore/types';
import { root, textOf } from '../repository.ts';
import type { Findings } from './findings.ts';
import { readSpec } from './read-spec.ts';
import { follow, type Operation, type Parameter, type Spec, specFile } from './spec.ts';

export async function check(now: Spec, findings: Findings): Promise<string | undefined> {
  const text = releasedText();
  if (text === undefined) return 'nothing has been released, so there is nothing to compare with.';
  const before = readSpec(text);
  if (majorOf(now) > majorOf(before) || hasMajorChangeset()) return undefined;
  for (const what of breaks(termsOf(before), termsOf(now)))
    findings.add(`${what} breaks callers of the last release`);
  return undefined;
}

/** The spec of the last release, which is that of the newest tag. */
function releasedText(): string | undefined {
  if (!existsSync(join(root, '.git'))) return undefined;
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' });
  const [newest] = git('tag', '--list', '@petstore/spec@*', '--sort=-creatordate').split('\n');
  return newest ? git('show', `${newest}:${specFile}`) : undefined;
}

function majorOf({ version }: Spec): number {
  return Number(version.split('.')[0]);
}

/** Whether the head of a changeset, which is between two lines of dashes, says major. */
function hasMajorChangeset(): boolean {
  return globSync('.changeset/*.md', { cwd: root }).some((file) => {
    const [, head = ''] = textOf(file).split('---');
    return head.split('\n').some((line) => line.trim().endsWith(': major'));
  });
}

/** Everything that is no longer offered or assured, and everything that is demanded in addition. */
function breaks(before: Terms, now: Terms): string[] {
  const gone = [...before.offers]
    .filter(([offer, wider]) => !now.offers.has(offer) && !(wider && now.offers.has(wider)))
    .map(([offer]) => `the removal of '${offer}'`);
  const demanded = stricterBounds(now.demands, before.demands);
  const unassured = stricterBounds(before.assures, now.assures);
  const bounds = [...demanded, ...unassured]
    // What is new has no callers.
    .filter(({ place }) => before.offers.has(place))
    .map((bound) => `'${termOf(bound)}${bound.value === undefined ? '' : ` ${bound.value}`}'`);
  return [...gone, ...bounds];
}

/** The bounds that allow less than the other ones, or are not among them. */
function stricterBounds(bounds: Bounds, others: Bounds): Bound[] {
  return [...bounds.values()].filter((bound) => {
    const other = others.get(termOf(bound));
    if (other === undefined) return true;
    return isStricter(bound, other);
  });
}

/** Whether a bound allows less than another one of the same term. */
function isStricter({ value, isUpper }: Bound, other: Bound): boolean {
  if (value === undefined || other.value === undefined) return false;
  return isUpper ? value < other.value : value > other.value;
}

/** The terms of an interface: what callers rely on. */
interface Terms {
  /** What callers may use or rely on, each with a wider offer that may replace it. */
  readonly offers: ReadonlyMap<string, string | undefined>;
  /** What is demanded of those who send. A stricter bound demands more. */
  readonly demands: Bounds;
  /** What is assured to those who read. A stricter bound assures more. */
  readonly assures: Bounds;
}

/** By their terms. */
type Bounds = ReadonlyMap<string, Bound>;

/** A keyword of a schema that bounds values. */
interface Limit {
  /** `maximum`, or `format int64`. */
  readonly name: string;
  /** Only of a limit that is a number. */
  readonly value?: number;
  /** Whether greater values are what it forbids. */
  readonly isUpper?: boolean;
}

interface Bound extends Limit {
  /** The offer that is bounded: `listPets limit`. */
  readonly place: string;
}

/** `listPets limit: maximum`. */
function termOf({ place, name }: Bound): string {
  return `${place}: ${name}`;
}

function termsOf(spec: Spec): Terms {
  const collector = new TermCollector(spec);
  for (const [name, url] of spec.deployments) collector.offer(`the server ${name} at ${url}`);
  for (const operation of spec.operations) collector.addOperation(operation);
  return collector;
}

/** Below this depth, a schema that contains itself has nothing new. */
const MAX_DEPTH = 6;

const lowerBounds = ['minimum', 'minLength', 'minItems'] as const;
const upperBounds = ['maximum', 'maxLength', 'maxItems'] as const;
const forms = ['pattern', 'format', 'const'] as const;

class TermCollector implements Terms {
  readonly offers = new Map<string, string | undefined>();
  readonly demands = new Map<string, Bound>();
  readonly assures = new Map<string, Bound>();
  readonly #spec: Spec;

  constructor(spec: Spec) {
    this.#spec = spec;
  }

  offer(what: string, wider?: string): void {
    this.offers.set(what, wider);
  }

  addOperation(operation: Operation): void {
    const { id, method, path, command, parameters, idempotencyKey, body, pagination } = operation;
    for (const what of [id, `${id} ${method} ${path}`, `${id} ${command}`]) this.offer(what);
    for (const [name, value] of Object.entries(pagination ?? {}))
      this.offer(`${id} has pages by ${name} ${value}`);
    if (idempotencyKey) this.offer(`${id} ${idempotencyKey.name}`);
    for (const parameter of parameters) this.#addParameter(id, parameter);
    if (body) this.#addBody(id, body.schema);
    if (body?.required) this.#add(this.demands, id, { name: 'needs a body' });
    this.#addResponses(operation);
  }

  #addResponses({ id, responses }: Operation): void {
    for (const [status, { schema, headers }] of responses) {
      this.offer(`${id} ${status}`);
      this.offer(`${id} ${status}${schema ? ' with' : ' without'} a body`);
      if (schema) this.#addRead(schema, `${id} ${status}`);
      for (const header of headers.keys()) this.offer(`${id} ${status} with ${header}`);
    }
  }

  #addParameter(id: string, { name, in: place, required, schema }: Parameter): void {
    this.offer(`${id} ${name} in ${place}`);
    this.#addSent(schema, `${id} ${name}`);
    if (required) this.#add(this.demands, id, { name: `needs ${name}` });
  }

  /** Callers pass the properties of a body like parameters. */
  #addBody(id: string, schema: Schema): void {
    this.#addSent(schema, id);
    for (const name of Object.keys(follow(this.#spec, schema).properties ?? {}))
      this.offer(`${id} ${name} in body`);
  }

  /** Adds what a sender relies on: the values that are accepted. */
  #addSent(schema: Schema, place: string, depth = 0): void {
    const full = follow(this.#spec, schema);
    this.offer(place);
    this.#offerValues(full, place);
    for (const name of full.required ?? [])
      this.#add(this.demands, place, { name: `needs ${name}` });
    if (full.default !== undefined) this.offer(`${place} is ${full.default} if it is left out`);
    for (const limit of limitsOf(full)) this.#add(this.demands, place, limit);
    if (depth < MAX_DEPTH)
      for (const [name, part] of partsOf(full))
        this.#addSent(part, placeOf(place, name), depth + 1);
  }

  #offerValues(schema: Schema, place: string): void {
    for (const type of typesOf(schema)) {
      this.offer(`${place}: type ${type}`);
      if (type === 'number') this.offer(`${place}: type integer`);
    }
    if (!schema.enum) this.offer(`${place} takes any`);
    for (const value of schema.enum ?? [])
      this.offer(`${place} takes ${JSON.stringify(value)}`, `${place} takes any`);
  }

  /** Adds what a reader relies on: what always comes, and that nothing else comes. */
  #addRead(schema: Schema, place: string, depth = 0): void {
    const full = follow(this.#spec, schema);
    this.offer(place);
    this.offer(`${place}: type ${typesOf(full).join(' or ')}`);
    const values = full.enum?.map((value) => JSON.stringify(value)) ?? ['any'];
    this.offer(`${place} is ${values.sort().join(' or ')}`);
    for (const name of full.required ?? []) this.offer(`${place} always has ${name}`);
    for (const limit of limitsOf(full)) this.#add(this.assures, place, limit);
    if (depth < MAX_DEPTH)
      for (const [name, part] of partsOf(full))
        this.#addRead(part, placeOf(place, name), depth + 1);
  }

  #add(bounds: Map<string, Bound>, place: string, limit: Limit): void {
    const bound = { place, ...limit };
    bounds.set(termOf(bound), bound);
  }
}

function typesOf({ type }: Schema): readonly (string | undefined)[] {
  return Array.isArray(type) ? type : [type as string | undefined];
}

function limitsOf(schema: Schema): Limit[] {
  const limits: Limit[] = [];
  for (const name of lowerBounds) {
    const value = schema[name];
    if (value !== undefined) limits.push({ name, value, isUpper: false });
  }
  for (const name of upperBounds) {
    const value = schema[name];
    if (value !== undefined) limits.push({ name, value, isUpper: true });
  }
  for (const form of forms)
    if (schema[form] !== undefined) limits.push({ name: `${form} ${schema[form]}` });
  return limits;
}

/** The schemas within a schema, by property; an alternative has no name. */
function partsOf({ properties, items, oneOf, anyOf, allOf }: Schema): [string, Schema][] {
  const found = Object.entries(properties ?? {});
  if (items) found.push(['items', items]);
  for (const part of [...(oneOf ?? []), ...(anyOf ?? []), ...(allOf ?? [])]) found.push(['', part]);
  return found;
}

function placeOf(place: string, name: string): string {
  return name === '' ? place : `${place} ${name}`;
}
