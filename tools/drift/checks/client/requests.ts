import { differences, type SentRequest } from '../../../openapi/compare.ts';
import type { Operation } from '../../../openapi/document.ts';
import { inputOf, type RecordedResponse, recorder } from '../../../openapi/recorder.ts';
import { exampleCredentials } from '../../../openapi/security.ts';
import { type ExpectedRequest, expectedRequest, type Inputs } from '../../../openapi/serialize.ts';
import type { ModelOperation, Spec } from '../../openapi.ts';
import { inputsFor, requiredInputs } from '../values.ts';

/** An operation, and the client that offers it. */
export interface ClientOperation {
  readonly client: typeof import('@petstore/client');
  readonly spec: Spec;
  readonly operation: Operation;
  readonly modelOperation: ModelOperation;
}

/** The promise of a call, and its way to collect pages. */
interface StartedCall extends Promise<unknown> {
  collect?(options: { max: number }): Promise<unknown[]>;
}

export interface CallOptions {
  readonly inputs?: Inputs;
  readonly retry?: number;
  readonly idempotencyKey?: string;
  /** The responses, one after the other; the last is repeated. */
  readonly responses?: readonly Partial<RecordedResponse>[];
  /** Makes the result from the started call. By default the call is awaited. */
  use?(started: StartedCall): Promise<unknown>;
}

export function jsonResponse(status: number, body: string, headers: Record<string, string> = {}): RecordedResponse {
  return { status, contentType: 'application/json', headers, body };
}

/** Calls an operation, and returns what was sent and how the call ended. */
export async function call({ client, spec, operation, modelOperation }: ClientOperation, options: CallOptions = {}) {
  const { inputs = requiredInputs(spec, operation), retry = 0, responses = [], use, ...others } = options;
  const credentials = exampleCredentials(spec);
  const expected = expectedRequest(spec, modelOperation.id, inputs, credentials);
  const baseUrl = new URL(expected.server, 'http://localhost').href.replace(/\/$/, '');
  const { sent, transport } = recorder(baseUrl, ...responses);
  const api = client.petstore({ credentials, baseUrl, transport, retry, on: { deprecated: false } } as object);
  // The types know only the spec on disk, but tests edit the spec.
  const start = (api as unknown as Record<string, (input: object, options: object) => StartedCall>)[modelOperation.id];
  try {
    if (!start) throw new Error('there is no such function');
    const started = start(inputOf(modelOperation, inputs), others);
    return { expected, sent, result: await (use ? use(started) : started) };
  } catch (error) {
    return { expected, sent, error };
  }
}

/** How the requests of an operation differ from those that OpenAPI asks for, one sentence each. */
export async function* requestErrors(subject: ClientOperation): AsyncGenerator<string> {
  const { spec, operation, modelOperation } = subject;
  for (const { label, inputs } of inputsFor(operation, spec)) {
    // The client sends one of the media types of a body.
    if (inputs.contentType !== undefined && inputs.contentType !== modelOperation.body?.mediaType) continue;
    const { expected, sent, error } = await call(subject, { inputs });
    yield* requestDifferences(label, expected, sent[0], String(error ?? 'it ended well'));
  }
  yield* keyErrors(subject);
}

/** Differences between a request and the expected one; if none was sent, the reason. */
export function requestDifferences(
  label: string,
  expected: ExpectedRequest,
  sent: SentRequest | undefined,
  ending: string,
): string[] {
  const name = label.slice(0, 60);
  return sent
    ? differences(expected, sent).map((sentence) => `with ${name}, ${sentence}`)
    : [`with ${name} it sends nothing: ${ending}`];
}

/** Errors in the idempotency key: it is the caller's, else a new one for each call. */
async function* keyErrors(subject: ClientOperation): AsyncGenerator<string> {
  const { idempotencyKey } = subject.modelOperation;
  if (!idempotencyKey) return;
  const unavailable = { status: 503, headers: { 'retry-after': '0' }, body: '{"code":"unavailable"}' };
  const keysWith = async (options: CallOptions) => {
    const { sent } = await call(subject, { retry: 1, ...options });
    return sent.map(({ headers }) => headers[idempotencyKey.header.toLowerCase()]);
  };
  const [key, repeatedKey] = await keysWith({ responses: [unavailable, {}] });
  const [keyOfNextCall] = await keysWith({});
  const [keyOfCaller] = await keysWith({ idempotencyKey: 'of-the-caller' });
  if (!key || key !== repeatedKey) yield `a request is sent with the key ${key}, and again with ${repeatedKey}`;
  if (keyOfNextCall === key) yield 'two calls have the same key';
  if (keyOfCaller !== 'of-the-caller') yield `the key of the caller is sent as ${keyOfCaller}`;
}
