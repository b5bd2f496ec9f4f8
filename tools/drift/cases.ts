// The cases of each operation: inputs, the HTTP request that the spec means by them, and the
// statuses that the spec allows for it. The checks of the server, the client and petctl all try
// these cases.
import type { Schema } from '@petstore/types';
import { printJson, printWith } from './exact-json.ts';
import {
  canCarry,
  type Inputs,
  requestOf,
  type SpecRequest,
  targetOf,
  textsOf,
  withBody,
} from './requests.ts';
import { asObject, follow, isObject, type Operation, type Parameter, type Spec } from './spec.ts';
import { combinationsOf, Values } from './values.ts';

/** A request, and how the server has to respond. */
export interface Attempt {
  readonly operation: Operation;
  readonly what: string;
  readonly request: SpecRequest;
  readonly statuses: readonly number[];
  /**
   * Whether the response is about the operation's own inputs: then the operation has to declare it.
   */
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
  readonly #valid = new Map<Operation, [Case, ...Case[]]>();

  constructor(spec: Spec) {
    this.#spec = spec;
    this.values = new Values(spec);
  }

  /** The case with required inputs only. */
  least(operation: Operation): Case {
    return this.valid(operation)[0];
  }

  /** The cases with valid inputs. The first one is the least. */
  valid(operation: Operation): [Case, ...Case[]] {
    const known = this.#valid.get(operation);
    if (known) return known;
    const [first, ...others] = this.#validInputs(operation);
    const made: [Case, ...Case[]] = [caseOf(operation, first)];
    made.push(...others.map((each) => caseOf(operation, each)));
    this.#valid.set(operation, made);
    return made;
  }

  /** Requests that break one rule of the operation each. */
  invalid(operation: Operation): Attempt[] {
    const { parameters, idempotencyKey, body } = operation;
    const { inputs, request } = this.least(operation);
    const unknown = { ...request, query: [...request.query, ['unknown-name', '1'] as const] };
    const found = [generalAttemptOf(operation, 'an unknown query parameter', unknown, 400)];
    for (const parameter of idempotencyKey ? [...parameters, idempotencyKey] : parameters)
      found.push(...this.#invalidParameters(operation, parameter, inputs));
    if (!body) return found;
    for (const { what, value } of this.values.invalid(body.schema))
      found.push(attemptOf(operation, `a body with ${what}`, withBody(request, value), 400));
    return [...found, ...invalidBodies(operation, inputs.body, request)];
  }

  /**
   * The least inputs, those with each value of the body, and those with each value of each
   * parameter.
   */
  #validInputs({ parameters, body }: Operation): [Inputs, ...Inputs[]] {
    const values = new Map(parameters.map((each) => [each.name, this.#valuesOf(each)]));
    const required = parameters.filter((each) => each.required).map(({ name }) => name);
    const [least, ...combinations] = combinationsOf(values, required);
    const [firstBody, ...otherBodies] = body ? this.values.valid(body.schema) : [];
    if (body && !body.required) otherBodies.push(undefined);
    return [
      { parameters: least, body: firstBody },
      ...otherBodies.map((each) => ({ parameters: least, body: each })),
      ...combinations.map((each) => ({ parameters: each, body: firstBody })),
    ];
  }

  /** The valid values of a parameter that its place in a request can carry. */
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

  /** The texts that the schema of a parameter forbids. */
  #invalidTexts(schema: Schema): string[] {
    const full = follow(this.#spec, schema);
    const item = follow(this.#spec, full.items ?? full);
    const values = this.values.invalid(item).map(({ value }) => value);
    const scalars = values.filter((value) => !isObject(value) && !Array.isArray(value));
    const texts = new Set([...scalars.map(String), ...otherNotations]);
    return [...texts].filter((text) => this.values.faultIn(item, readText(text, item)));
  }
}

export function caseOf(operation: Operation, inputs: Inputs): Case {
  const request = requestOf(operation, inputs);
  const what = inputs.body === undefined ? targetOf(request) : printJson(inputs.body);
  const statuses = operation.successes;
  return { operation, what: what.slice(0, 80), inputs, request, statuses, isAboutInputs: true };
}

function attemptOf(
  operation: Operation,
  what: string,
  request: SpecRequest,
  status: number,
): Attempt {
  return { operation, what, request, statuses: [status], isAboutInputs: true };
}

/** An attempt with a fault that has nothing to do with the operation. */
function generalAttemptOf(
  operation: Operation,
  what: string,
  request: SpecRequest,
  status: number,
): Attempt {
  return { operation, what, request, statuses: [status], isAboutInputs: false };
}

/**
 * Attempts with valid values, but with a body that is malformed, missing, too large or of another
 * type.
 */
function invalidBodies(operation: Operation, body: unknown, request: SpecRequest): Attempt[] {
  const found = malformedTexts(body).map(([what, text]) =>
    attemptOf(operation, what, { ...request, body: text }, 400),
  );
  if (operation.body?.required)
    found.push(attemptOf(operation, 'no body', { ...request, body: undefined }, 400));
  for (const type of ['application/merge-patch+json', 'text/plain']) {
    const headers = { ...request.headers, 'content-type': type };
    found.push(generalAttemptOf(operation, `a body of ${type}`, { ...request, headers }, 415));
  }
  const large = printJson(body) + ' '.repeat(2 ** 21);
  found.push(generalAttemptOf(operation, 'a body of 2 MiB', { ...request, body: large }, 413));
  return found;
}

/** Bodies that a strict reader of JSON refuses, and what is wrong with each. */
function malformedTexts(body: unknown): [what: string, text: string][] {
  const found: [string, string][] = [['no JSON', '{']];
  const object = asObject(body);
  for (const [name, value] of Object.entries(object)) {
    const twice = printJson(body).replace('{', `{${JSON.stringify(name)}:${printJson(value)},`);
    found.push([`the property ${name} twice`, twice]);
    if (typeof value === 'string')
      found.push([`broken Unicode in ${name}`, printWith(object, name, '"\\ud800"')]);
    if (typeof value === 'number')
      found.push([
        `digits that would be lost in ${name}`,
        printWith(object, name, '5.00000000000000000001'),
      ]);
  }
  return found;
}

/** Notations of numbers that a parameter does not have. */
const otherNotations = ['1e1', '5.0', '05', '+5', ' 5', '0x5'];

/** A decimal integer or number as a parameter carries it, such as `-5` or `0.5`. */
const decimal = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

/** The boolean or number that a parameter means by a text; the text itself if it means neither. */
function readText(text: string, { type }: Schema): unknown {
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  if (!decimal.test(text)) return text;
  const number = Number(text);
  if (type === 'integer' && !text.includes('.'))
    return Number.isSafeInteger(number) ? number : BigInt(text);
  return type === 'number' ? number : text;
}
