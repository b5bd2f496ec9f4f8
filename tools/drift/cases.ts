// The table of cases: for each operation what callers may pass, the HTTP request that the spec means by it, and the statuses that the
// spec allows for it. The drivers of the server, the client and petctl all take their cases from here.
import type { Schema } from '@petstore/types';
import { printJson } from './exact.ts';
import type { Operation, Parameter, Spec } from './interface.ts';
import type { Judge } from './judge.ts';
import { follow, isNode } from './oracle.ts';
import { Values } from './values.ts';

/** What a caller passes to an operation. */
export interface Inputs {
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** A request without the base URL and the API key. */
export interface Request {
  readonly method: string;
  readonly path: string;
  readonly query: readonly (readonly [name: string, value: string])[];
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

/** A request, and how the server has to respond. */
export interface Attempt {
  readonly operation: Operation;
  readonly what: string;
  readonly request: Request;
  readonly statuses: readonly number[];
  /** Whether the response is about the operation's own inputs. Then the operation declares its status, not `default`. */
  readonly isAboutInputs: boolean;
}

/** An attempt with valid inputs. */
export interface Case extends Attempt {
  readonly inputs: Inputs;
}

/** Makes the cases of a spec. */
export class Cases {
  readonly values: Values;
  readonly #spec: Spec;
  readonly #judge: Judge;

  constructor(spec: Spec, judge: Judge) {
    this.#spec = spec;
    this.#judge = judge;
    this.values = new Values(spec, judge);
  }

  /** Valid inputs: the least, then each value of each parameter and of the body, then all parameters. */
  valid(operation: Operation): [Case, ...Case[]] {
    const { parameters, body } = operation;
    const least: Record<string, unknown> = {};
    const all: Record<string, unknown> = {};
    const values = new Map(parameters.map((each) => [each, this.#valuesOf(each)]));
    for (const [{ name, required }, [first]] of values) {
      all[name] = first;
      if (required) least[name] = first;
    }
    const bodies = body ? this.values.valid(body.schema) : [undefined];
    const inputs = bodies.map((each): Inputs => ({ parameters: least, body: each }));
    if (body && !body.required) inputs.push({ parameters: least });
    for (const [{ name }, each] of values)
      for (const value of each)
        inputs.push({ parameters: { ...least, [name]: value }, body: bodies[0] });
    inputs.push({ parameters: all, body: bodies[0] });
    const [first = { parameters: {} }, ...others] = inputs;
    return [caseOf(operation, first), ...others.map((each) => caseOf(operation, each))];
  }

  /** Requests that break one rule of the operation each. */
  invalid({ operation, inputs, request }: Case): Attempt[] {
    const unknown = { ...request, query: [...request.query, ['unknown-name', '1'] as const] };
    const found = [attemptOf(operation, 'an unknown query parameter', unknown, 400, false)];
    for (const parameter of operation.parameters)
      found.push(...this.#invalidParameters(operation, parameter, inputs));
    if (operation.idempotencyKey)
      found.push(...this.#invalidParameters(operation, operation.idempotencyKey, inputs));
    if (operation.body)
      for (const { what, value } of this.values.invalid(operation.body.schema))
        found.push(attemptOf(operation, `a body with ${what}`, withBody(request, value), 400));
    return [...found, ...invalidBodies(operation, inputs, request)];
  }

  /** Valid values of a parameter, as far as its place can carry them. */
  #valuesOf({ in: place, schema }: Parameter): unknown[] {
    return this.values.valid(schema).filter((value) => canCarry(place, textsOf(value)));
  }

  #invalidParameters(operation: Operation, parameter: Parameter, inputs: Inputs): Attempt[] {
    const { name, in: place, required, schema } = parameter;
    const status = place === 'path' ? 404 : 400;
    const found: Attempt[] = [];
    const add = (what: string, value: unknown) => {
      const parameters = { ...inputs.parameters, [name]: value };
      const request = requestOf(operation, { ...inputs, parameters });
      found.push(attemptOf(operation, `${place} ${name} ${what}`, request, status));
    };
    for (const text of this.#invalidTexts(schema))
      if (canCarry(place, [text])) add(text.slice(0, 40), text);
    if (required && place !== 'path') add('left out', undefined);
    const [first] = this.#valuesOf(parameter);
    if (place === 'query' && !Array.isArray(first)) add('twice', [first, first]);
    return found;
  }

  /** Texts of a parameter that its schema forbids. */
  #invalidTexts(schema: Schema): string[] {
    const full = follow(this.#spec, schema);
    const item = follow(this.#spec, full.items ?? full);
    const values = this.values.invalid(item).map(({ value }) => value);
    const scalars = values.filter((value) => !isNode(value) && !Array.isArray(value));
    const texts = new Set([...scalars.map(String), '1e1', '5.0', '05', '+5', ' 5', '0x5']);
    return [...texts].filter((text) => this.#judge(item, readText(text, item)) !== undefined);
  }
}

/** The request that the spec means by inputs. */
export function requestOf(operation: Operation, inputs: Inputs): Request {
  const { method, parameters, idempotencyKey } = operation;
  const all = idempotencyKey ? [...parameters, idempotencyKey] : parameters;
  const textsIn = (place: string) =>
    all
      .filter((each) => each.in === place)
      .flatMap(({ name }) => textsOf(inputs.parameters[name]).map((text) => [name, text] as const));
  const query = textsIn('query');
  const headers: Record<string, string> = {};
  for (const [name, text] of textsIn('header')) headers[name.toLowerCase()] = text;
  let { path } = operation;
  for (const [name, text] of textsIn('path'))
    path = path.replace(`{${name}}`, encodeURIComponent(text));
  const request = { method, path, query, headers };
  return inputs.body === undefined ? request : withBody(request, inputs.body);
}

export function caseOf(operation: Operation, inputs: Inputs): Case {
  const request = requestOf(operation, inputs);
  const what = inputs.body === undefined ? targetOf(request) : printJson(inputs.body);
  const statuses = operation.successes;
  return { operation, what: what.slice(0, 80), inputs, request, statuses, isAboutInputs: true };
}

/** The path and the query of a request. */
export function targetOf({ path, query }: Request): string {
  const pairs = query.map((pair) => pair.map(encodeURIComponent).join('='));
  return pairs.length === 0 ? path : `${path}?${pairs.join('&')}`;
}

function attemptOf(
  operation: Operation,
  what: string,
  request: Request,
  status: number,
  isAboutInputs = true,
): Attempt {
  return { operation, what, request, statuses: [status], isAboutInputs };
}

/** Bodies that no schema can speak of. */
function invalidBodies(operation: Operation, { body }: Inputs, request: Request): Attempt[] {
  if (!operation.body) return [];
  const json = printJson(body);
  const add = (what: string, changed: Partial<Request>, status = 400) =>
    attemptOf(operation, what, { ...request, ...changed }, status, status === 400);
  const typed = (type: string) => ({ headers: { ...request.headers, 'content-type': type } });
  const found = [
    add('no JSON', { body: '{' }),
    add('a body as merge-patch', typed('application/merge-patch+json'), 415),
    add('a body as text', typed('text/plain'), 415),
    add('a body of 2 MiB', { body: json + ' '.repeat(2 ** 21) }, 413),
  ];
  if (operation.body.required) found.push(add('no body', { body: undefined }));
  const entries = Object.entries(isNode(body) ? body : {});
  const [first] = entries;
  const replaced = (name: string, text: string) =>
    printJson({ ...(body as object), [name]: 4711 }).replace('4711', text);
  if (first)
    found.push(
      add(`the property ${first[0]} twice`, {
        body: json.replace('{', `{${JSON.stringify(first[0])}:${printJson(first[1])},`),
      }),
    );
  for (const [name, value] of entries) {
    if (typeof value === 'string')
      found.push(add(`broken Unicode in ${name}`, { body: replaced(name, '"\\ud800"') }));
    if (typeof value === 'number')
      found.push(
        add(`digits that would be lost in ${name}`, {
          body: replaced(name, '4711.00000000000000000001'),
        }),
      );
  }
  return found;
}

function withBody(request: Request, value: unknown): Request {
  const headers = { ...request.headers, 'content-type': 'application/json' };
  return { ...request, headers, body: printJson(value) };
}

/** The texts of a parameter: none if it is left out, and one for each item of an array. */
function textsOf(value: unknown): string[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value.map(String) : [String(value)];
}

/** What a header can carry: visible ASCII, such as `8e03978e`. */
const headerText = /^[!-~]+$/;

/** Servers and proxies bound the head of a request. */
const MAX_HEAD = 2_000;

function canCarry(place: string, texts: readonly string[]): boolean {
  if (texts.join('').length > MAX_HEAD) return false;
  if (place === 'header') return texts.every((text) => headerText.test(text));
  // A segment of a path is not empty. A server in front may not pass on an escaped slash or NUL.
  if (place === 'path')
    return texts.every((text) => text !== '' && !text.includes('/') && !text.includes('\0'));
  return true;
}

/** A decimal integer or number as a parameter carries it, such as `-5` or `0.5`. */
const decimal = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

/** The value that a text of a parameter stands for; the text itself if it stands for no other value. */
function readText(text: string, { type }: Schema): unknown {
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  if (!decimal.test(text)) return text;
  const number = Number(text);
  if (type === 'integer' && !text.includes('.'))
    return Number.isSafeInteger(number) ? number : BigInt(text);
  return type === 'number' ? number : text;
}
