// What becomes of each operation of a document, from its generation to the request and the result of its calls.
import { differences } from '../../openapi/compare.ts';
import { type Operation, operationsOf } from '../../openapi/document.ts';
import { inputOf, recorder } from '../../openapi/recorder.ts';
import type { Case } from './cases.ts';
import { type GeneratedClient, generateWhatFits, loadClient } from './generated-client.ts';
import { readDocument } from './read-document.ts';

/** The operations of a document by their result. */
export interface Outcome {
  right: string[];
  rejected: string[];
  /** Not tested: the document does not define their request, or no case can be passed to the client. */
  open: string[];
  /** One message for each call whose request or result differs from its case. */
  wrong: string[];
  /** The reasons for rejected operations. */
  messages: readonly string[];
  /** The generated client, if any operation is supported. */
  client: GeneratedClient | undefined;
  /** The tested calls. */
  calls: Call[];
}

interface Call {
  row: Row;
  testCase: Case;
}

/** Generates a client from a document into a folder, and compares each of its calls with its case. */
export async function outcomeOf(file: string, cases: readonly Case[], folder: string): Promise<Outcome> {
  const { files, rejected: messages } = await generateWhatFits(file);
  const client = files.size > 0 ? await loadClient(files, folder) : undefined;
  const operations = operationsOf(await readDocument(file));
  const calls = client ? callsOf(client, operations, cases) : [];
  const outcome: Outcome = { right: [], rejected: [], open: [], wrong: [], messages, client, calls };
  for (const operation of operations) {
    const tested = calls.filter(({ testCase }) => testCase.operation === operation.id);
    const wrong: string[] = [];
    for (const { row, testCase } of tested) if (client) wrong.push(...(await violations(client, row, testCase)));
    outcome.wrong.push(...wrong);
    if (!client || !rowOf(client, operation)) outcome.rejected.push(operation.id);
    else if (wrong.length === 0) outcome[tested.length > 0 ? 'right' : 'open'].push(operation.id);
  }
  return outcome;
}

/** The cases whose inputs the client accepts, each with the row of its operation. */
export function callsOf(client: GeneratedClient, operations: readonly Operation[], cases: readonly Case[]): Call[] {
  return operations.flatMap((operation) => {
    const row = rowOf(client, operation);
    return row
      ? cases.flatMap((testCase) =>
          testCase.operation === operation.id && isAccepted(row, testCase) ? [{ row, testCase }] : [],
        )
      : [];
  });
}

type Row = GeneratedClient['operations'][number];

function rowOf({ operations }: GeneratedClient, { method, path }: Operation): Row | undefined {
  return operations.find((row) => row.method === method && row.path === path);
}

/** The client chooses among media types, and does not send an optional body without properties. */
function isAccepted(row: Row, { inputs }: Case): boolean {
  if (inputs.contentType && !inputs.contentType.startsWith(row.body?.mediaType ?? '')) return false;
  const isEmpty = typeof inputs.body === 'object' && Object.keys(inputs.body ?? {}).length === 0;
  return !(isEmpty && row.body && !row.body.required && !row.body.whole);
}

/** Differences between a call of the generated client and its case. */
async function violations(client: GeneratedClient, row: Row, testCase: Case): Promise<string[]> {
  const { operation, inputs, credentials, request, response, result } = testCase;
  // The client asks for JSON where there is JSON.
  const isUnrequestedType =
    response?.contentType && row.successes.length === 1 && !isChosen(row.responses, response.contentType);
  const { sent, transport } = recorder(wholeAddress(request?.server ?? ''), response ?? {});
  // Where the document does not say its host, the caller has to.
  const elsewhere = URL.canParse(client.address) ? {} : { baseUrl: wholeAddress(client.address) };
  const ended = await client
    .call(row, inputOf(row, inputs), { credentials, transport, ...elsewhere })
    .then((data) => ({ data, error: undefined }))
    .catch((error: Error & { status?: number }) => ({ data: undefined, error }));
  const [first] = sent;
  const where = `${operation} ${JSON.stringify(inputs, withBigInt)}`;
  if (!request) return first ? [`${where}: it is sent as ${first.target}`] : [];
  if (!first) return [`${where}: it is not sent: ${ended.error}`];
  const messages = differences(request, first);
  if (messages.length === 0 && result && !isUnrequestedType)
    messages.push(...(await resultViolations(ended, row.successes.length > 1, result)));
  return messages.map((message) => `${where}: ${message}`);
}

function wholeAddress(server: string): string {
  return new URL(server, 'https://api.example.com').href.replace(/\/$/, '');
}

/** Whether a client that asks for the declared media types gets this one. */
export function isChosen(responses: Row['responses'], contentType = ''): boolean {
  const types = Object.values(responses).flatMap(({ mediaType }) => mediaType ?? []);
  return types.length === 0 || types.some((type) => type.split(';')[0] === contentType.split(';')[0]);
}

async function resultViolations(
  { data, error }: { data: unknown; error: (Error & { status?: number }) | undefined },
  hasStatus: boolean,
  expected: NonNullable<Case['result']>,
): Promise<string[]> {
  if (expected.status !== undefined)
    return error?.status === expected.status ? [] : [`result: expected error ${expected.status}, got ${error}`];
  if (error) return [`result: ${error}`];
  const value = hasStatus ? (data as { data: unknown }).data : data;
  const actual = value instanceof ReadableStream ? new Uint8Array(await new Response(value).arrayBuffer()) : value;
  const expectedValue = 'json' in expected ? expected.json : (expected.text ?? expected.bytes);
  const [expectedText, actualText] = [expectedValue, actual].map((each) => JSON.stringify(each, withBigInt));
  return actualText === expectedText ? [] : [`result: expected ${expectedText}, got ${actualText}`];
}

function withBigInt(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}n` : value;
}
