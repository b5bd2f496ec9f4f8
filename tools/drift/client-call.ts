// Calls the client. Instead of the service, a `fetch` records the requests and gives prepared
// responses.
import { petstore } from '@petstore/client';
import type { Case } from './cases.ts';
import { printJson } from './exact-json.ts';
import { apiKey, type Inputs } from './requests.ts';
import {
  asObject,
  hasPropertiesAsInputs,
  type JsonObject,
  type Operation,
  type Spec,
} from './spec.ts';

export const origin = 'http://drift.test';

/** An operation, and the case that a call sends by default. */
export interface CalledOperation {
  readonly spec: Spec;
  readonly operation: Operation;
  readonly least: Case;
}

/** A started call of the client, as far as the check uses it. */
export type StartedCall = Promise<unknown> &
  AsyncIterable<unknown> & {
    collect(options?: { max: number }): Promise<unknown[]>;
    pages(): AsyncIterable<{ readonly data: unknown[] }>;
  };

/** Reads the result of a started call. */
export type Use = (started: StartedCall) => Promise<unknown>;

/** The inputs and options of a call, and how its result is read. */
export interface CallSetting {
  /** Default: those of the least case. */
  readonly inputs?: Inputs;
  /** The options of the call. */
  readonly options?: JsonObject;
  /** Default: the call is awaited. */
  readonly use?: Use;
}

/** A request that was sent, and its body, which can be read only once. */
export interface Sent {
  readonly request: Request;
  readonly body: string;
}

/** How a call ended: with data or an error, and whether it was reported as deprecated. */
export interface Ended {
  readonly sent: readonly Sent[];
  readonly data?: unknown;
  readonly error?: unknown;
  readonly notices: readonly unknown[];
}

/** Calls an operation, which gets these responses. */
export async function call(
  { spec, operation, least }: CalledOperation,
  responses: readonly Response[],
  { inputs = least.inputs, options = {}, use = (started) => started }: CallSetting = {},
): Promise<Ended> {
  const sent: Sent[] = [];
  const notices: unknown[] = [];
  const client = petstore({
    apiKey,
    baseUrl: origin + spec.basePath,
    retry: 0,
    on: { deprecated: (event) => notices.push(event) },
    fetch: async (...args) => {
      const request = new Request(...args);
      sent.push({ request: request.clone(), body: await request.text() });
      return responses[sent.length - 1] ?? Response.error();
    },
  });
  // The compiler knows only the generated methods, and the spec may have others.
  const methods: Readonly<Record<string, unknown>> = { ...client };
  const method = methods[operation.id] as (input: JsonObject, options: JsonObject) => StartedCall;
  try {
    const data = await use(method(inputOf(spec, operation, inputs), options));
    return { sent, notices, data };
  } catch (error) {
    return { sent, notices, error };
  }
}

export async function allOf<T>(iterable: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const each of iterable) all.push(each);
  return all;
}

/** A JSON response, or one without a body. */
export function responseWith(
  status: number,
  data: unknown,
  headers: Record<string, string> = {},
): Response {
  if (data === undefined) return new Response(null, { status, headers });
  const type = { 'content-type': 'application/json' };
  return new Response(printJson(data), { status, headers: { ...headers, ...type } });
}

/**
 * The input of a method: parameters and the properties of the body as one object, or the body as
 * `body`.
 */
function inputOf(spec: Spec, operation: Operation, { parameters, body }: Inputs): JsonObject {
  if (body === undefined) return parameters;
  if (hasPropertiesAsInputs(spec, operation)) return { ...parameters, ...asObject(body) };
  return { ...parameters, body };
}
