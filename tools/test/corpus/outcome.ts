// What becomes of each operation of a document, from its generation to the request and the result of its calls.
import { differences } from '../../openapi/compare.ts';
import { type Document, type Operation, operationsOf } from '../../openapi/document.ts';
import { exampleInputs } from '../../openapi/examples.ts';
import { inputOf, recorder } from '../../openapi/recorder.ts';
import { exampleCredentials } from '../../openapi/security.ts';
import { expectedRequest } from '../../openapi/serialize.ts';
import type { Case } from './cases.ts';
import { type GeneratedClient, generateWhatFits, loadClient } from './generated-client.ts';
import type { GeneratedPetctl } from './generated-petctl.ts';
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

/** Cases from example inputs, for all operations whose expected request tools/openapi can compute. */
export function examplesOf(document: Document): Case[] {
  const credentials = exampleCredentials(document);
  return operationsOf(document).flatMap((operation) => {
    try {
      return exampleInputs(document, operation).map(({ inputs }) => {
        const request = expectedRequest(document, operation.id, inputs, credentials);
        return { operation: operation.id, inputs, credentials, request };
      });
    } catch {
      // corpus.test.ts lists these.
      return [];
    }
  });
}

/** A Markdown table of the outcomes. Documents with the same `rowNameOf(name)` share a row; the last row is the total. */
export function table(outcomes: ReadonlyMap<string, Outcome>, rowNameOf: (name: string) => string): string {
  const columns = ['right', 'rejected', 'open', 'wrong'] as const;
  const rows = new Map<string, number[]>();
  for (const [name, outcome] of outcomes) {
    const counts = columns.map((column) => outcome[column].length);
    const cells = [counts.reduce((sum, count) => sum + count), ...counts];
    for (const key of [rowNameOf(name), '**together**'])
      rows.set(
        key,
        cells.map((count, i) => count + (rows.get(key)?.[i] ?? 0)),
      );
  }
  const together = rows.get('**together**') ?? [];
  rows.delete('**together**');
  rows.set('**together**', together);
  return [
    '| document | operations | right | rejected | open | wrong |',
    '|---|---|---|---|---|---|',
    ...[...rows].map(([name, cells]) => `| ${name} | ${cells.join(' | ')} |`),
  ].join('\n');
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

/** Differences between the requests that petctl's dry runs show and those expected. Files are written to `folder`. */
export async function dryRunViolations(petctl: GeneratedPetctl, { client, calls }: Outcome, folder: string) {
  const messages: string[] = [];
  for (const { row, testCase } of calls) {
    // A dry run shows a missing credential as its variable.
    if (testCase.fails === 'missing credential') continue;
    const words = await petctl.words(row, inputOf(row, testCase.inputs), folder);
    const server = wholeAddress(testCase.request?.server ?? '');
    const { sent, error } = await petctl.dryRun(
      words,
      testCase.credentials,
      wholeAddress(client?.address ?? ''),
      server,
    );
    const where = `petctl ${words.join(' ')}`;
    if (!testCase.request) {
      if (sent) messages.push(`${where}: it is sent as ${sent.target}`);
    } else if (!sent) messages.push(`${where}: it is not sent: ${error}`);
    else messages.push(...differences(testCase.request, sent).map((message) => `${where}: ${message}`));
  }
  return messages;
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
