import { inputOf, type RecordedResponse, recorder } from '../../../openapi/recorder.ts';
import { exampleCredentials } from '../../../openapi/security.ts';
import { expectedRequest, type Inputs } from '../../../openapi/serialize.ts';
import type { Spec } from '../../openapi.ts';

export type Client = typeof import('@petstore/client');
export type Row = Spec['model']['rows'][number]['operation'];

/** A call of an operation, with what it may have beside a promise. */
interface AnyCall extends Promise<unknown> {
  withResponse(): Promise<{ response: { headers: { get(name: string): string | null } } }>;
  collect?(options: { max: number }): Promise<unknown[]>;
}

/** Calls an operation; the answers come one after the other. Returns what was sent and should have been, and how it ended. */
export async function callOf(
  petstore: Client['petstore'],
  spec: Spec,
  row: Row,
  inputs: Inputs,
  { retry = 0, ...options }: { retry?: number; idempotencyKey?: string } = {},
  answers: Partial<RecordedResponse>[] = [{}],
  use: (call: AnyCall) => Promise<unknown> = (call) => call,
) {
  const credentials = exampleCredentials(spec);
  const expected = expectedRequest(spec, row.id, inputs, credentials);
  const baseUrl = new URL(expected.server, 'http://localhost').href.replace(/\/$/, '');
  const recorders = answers.map((answer) => recorder(baseUrl, answer));
  const left = [...recorders];
  const transport: (typeof recorders)[number]['transport'] = (request) => {
    const next = left.shift() ?? recorders.at(-1);
    if (!next) throw new Error('there is no answer');
    return next.transport(request);
  };
  const api = petstore({ credentials, baseUrl, transport, retry, on: { deprecated: false } } as object);
  // By name: the functions are those of the spec that is checked.
  const call = (api as unknown as Record<string, (input: object, options: object) => AnyCall>)[row.id];
  let result: unknown;
  let error: unknown;
  try {
    if (!call) throw new Error('there is no such function');
    result = await use(call(inputOf(row, inputs), options));
  } catch (thrown) {
    error = thrown;
  }
  const sent = [...new Set(recorders)].flatMap((one) => one.sent);
  return { expected, baseUrl, sent, result, error, ended: String(error ?? 'it ended well') };
}
