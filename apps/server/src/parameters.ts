// Reads the parameters of a request strictly: nothing is coerced or dropped.
import type { IncomingHttpHeaders } from 'node:http';
import { type Operation, operations, parseScalar, typeIn } from '@petstore/types';
import type { RequestHandler } from 'express';
import { HttpError, invalid } from './errors.ts';
import { exchangeOf } from './exchange.ts';
import type { Input, Target, Values } from './target.ts';

/** Reads the parameters of a request, and its idempotency key. Throws for unknown and repeated parameters. */
export const readParameters: RequestHandler = (request, response, next) => {
  const exchange = exchangeOf(response);
  const declared = declaredBy.get(exchange.routedOperation);
  if (!declared) throw new Error('The operation is not one of the spec.');
  exchange.input = inputOf(exchange.target, request.headers, declared);
  next();
};

/** What an operation declares besides its body. */
interface Declared {
  readonly parameters: readonly Parameter[];
  readonly idempotencyKey: KeyForm | undefined;
  /** Whether all that its requests say is in their targets. */
  readonly isInTarget: boolean;
}

/** A parameter, with its type or that of its items. */
interface Parameter {
  readonly name: string;
  readonly place: string;
  readonly isList: boolean;
  readonly type: string;
}

/** The header of an idempotency key, and what the key has to match. */
interface KeyForm {
  readonly header: string;
  readonly pattern: RegExp;
}

const declaredBy = new Map<Operation, Declared>();
for (const operation of Object.values<Operation>(operations))
  declaredBy.set(operation, declaredIn(operation));

function declaredIn(operation: Operation): Declared {
  const { method, body, fields, idempotencyKey } = operation;
  const parameters = Object.entries(fields)
    .filter(([, field]) => field.in !== 'body')
    .map(([name, { in: place, schema }]) => {
      const isList = typeIn(schema) === 'array';
      const type = typeIn(isList ? (schema.items ?? {}) : schema) ?? 'string';
      return { name, place, isList, type };
    });
  const hasHeaders = parameters.some(({ place }) => place === 'header');
  return {
    parameters,
    idempotencyKey: idempotencyKey && {
      header: idempotencyKey.header,
      pattern: new RegExp(idempotencyKey.schema.pattern ?? ''),
    },
    isInTarget: method === 'GET' && !body && !hasHeaders,
  };
}

function inputOf(target: Target, headers: IncomingHttpHeaders, declared: Declared): Input {
  if (!declared.isInTarget) return parseInput(target, headers, declared);
  // Requests repeat their targets, so what is in a target is read once.
  target.input ??= parseInput(target, headers, declared);
  return target.input;
}

function parseInput(target: Target, headers: IncomingHttpHeaders, declared: Declared): Input {
  const { parameters, idempotencyKey } = declared;
  for (const [name] of target.query) {
    const isDeclared = parameters.some((each) => each.place === 'query' && each.name === name);
    if (!isDeclared) throw invalid(`query '${name}': there is no such parameter`);
  }
  const valuesIn = (place: string): Values => {
    const values: Record<string, unknown> = {};
    for (const parameter of parameters.filter((each) => each.place === place)) {
      const texts = textsOf(parameter, target, headers);
      if (texts.length > 0) values[parameter.name] = parsedValue(parameter, texts);
    }
    return values;
  };
  return {
    query: valuesIn('query'),
    path: valuesIn('path'),
    header: valuesIn('header'),
    idempotencyKey: idempotencyKey && readIdempotencyKey(headers, idempotencyKey),
  };
}

/** The strings that a request has for a parameter. */
function textsOf(
  { name, place }: Parameter,
  target: Target,
  headers: IncomingHttpHeaders,
): readonly string[] {
  if (place === 'path') return [target.params.get(name) ?? ''];
  if (place === 'query')
    return target.query.filter(([own]) => own === name).map(([, text]) => text);
  const text = headers[name.toLowerCase()];
  return text === undefined ? [] : [String(text)];
}

function parsedValue({ name, place, isList, type }: Parameter, texts: readonly string[]): unknown {
  const values = texts.map((text) => typedValue(place, name, type, text));
  if (isList) return values;
  if (values.length > 1) throw invalid(`${place} '${name}': it appears more than once`);
  return values[0];
}

const DECIMAL = /^-?[1-9]\d*$/;

/** The value of a string. An integer of more than 64 bits stays a string, which no validator accepts. */
function typedValue(place: string, name: string, type: string, text: string): unknown {
  const value = type === 'string' ? text : parseScalar(text, type);
  if (value !== undefined) return value;
  if (DECIMAL.test(text)) return text;
  // No pet can have an invalid identifier, so the path leads nowhere.
  const code = place === 'path' ? 'not_found' : 'invalid_request';
  throw new HttpError(code, `${place} '${name}': must be ${type}`);
}

function readIdempotencyKey(
  headers: IncomingHttpHeaders,
  { header, pattern }: KeyForm,
): string | undefined {
  const text = headers[header.toLowerCase()];
  if (typeof text !== 'string') return undefined;
  if (!pattern.test(text))
    throw invalid(`header '${header}': it must match ${pattern.source}, as a UUID does`);
  // Without the quotes of a structured field (RFC 9651).
  return text.startsWith('"') ? text.slice(1, -1).replace(/\\(.)/g, '$1') : text;
}
